"""`specbench datasets`: the data sets that come along, or one of the user's own."""

import typer

from specbench.cli.streams import Format, emit, result_console


def datasets(
    names: list[str] = typer.Argument(
        None,
        metavar="[NAME_OR_FILE]...",
        help="Data sets to check; without any, the ones that come along.",
        show_default=False,
    ),
    format_: Format = typer.Option(
        Format.TABLE, "--format", help="How the list is printed."
    ),
) -> None:
    """List data sets: questions, turns, hash, and entries that were skipped.

    Reads MT-Bench JSONL, ShareGPT JSON, and plain JSONL with a `prompt` a line.
    """
    from specbench.workload.readers import load_dataset
    from specbench.workload.shipped import list_shipped

    loaded = [load_dataset(name) for name in names or list(list_shipped())]
    rows = [
        (
            d.name,
            len(d.questions),
            sum(len(q.turns) for q in d.questions),
            len({q.category for q in d.questions}),
            len(d.skipped),
            d.sha256,
            d.path,
        )
        for d in loaded
    ]
    columns = (
        "name", "questions", "turns", "categories", "skipped", "sha256", "path",
    )  # fmt: skip
    if format_ is Format.JSON:
        import orjson

        document = [
            dict(zip(columns, row, strict=True))
            | {"skipped_entries": [f"{s.where}: {s.reason}" for s in d.skipped]}
            for row, d in zip(rows, loaded, strict=True)
        ]
        emit(orjson.dumps(document, option=orjson.OPT_INDENT_2).decode())
        return
    if format_ is Format.CSV:
        import csv
        import io

        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(rows)
        emit(text.getvalue())
        return
    from rich.table import Table

    table = Table(*columns[:5], "sha256 (start)")
    for row in rows:
        table.add_row(*(str(cell) for cell in row[:5]), str(row[5])[:12])
    console = result_console()
    console.print(table)
    for d in loaded:
        for s in d.skipped:
            console.print(f"{d.path}: skipped {s.where}: {s.reason}", markup=False)
