"""`specbench engines check`: an adapter against captured output."""

from pathlib import Path

import typer

from specbench.cli.streams import Format, emit, result_console, tell
from specbench.errors import ExitCode, InputError


def check(
    name: str = typer.Argument(help="Adapter, as `target.engine` writes it."),
    captures: Path = typer.Argument(
        help="Folder with meta.toml and a folder for each recorded server.",
        show_default=False,
    ),
    format_: Format = typer.Option(
        Format.TABLE, "--format", help="How the result is printed."
    ),
) -> None:
    """Check an adapter against captured output; no engine is needed.

    Reads facts, gauges, counters, streams and the causes of failed starts as a run
    would, and holds them against each other. Exit code 3: something that the adapter
    must answer is missing or wrong. docs/engines.md explains the files.

    Example: specbench engines check vllm tests/contract/captures/vllm/0.32.0
    """
    from specbench.engines import ADAPTERS
    from specbench.engines.checking.checks import check_captures
    from specbench.report.checked_captures import (
        checked_csv_rows,
        checked_document,
        checked_summary,
        checked_tables,
    )
    from specbench.store.captures import read_captures

    if name not in ADAPTERS:
        raise InputError(
            f"{name}: there is no such adapter",
            hint=f"one of {', '.join(ADAPTERS)}",
        )
    items = check_captures(ADAPTERS[name], read_captures(captures))
    if format_ is Format.JSON:
        import orjson

        document = checked_document(items)
        emit(orjson.dumps(document, option=orjson.OPT_INDENT_2).decode())
    elif format_ is Format.CSV:
        import csv
        import io

        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows(checked_csv_rows(items))
        emit(text.getvalue())
    else:
        console = result_console()
        for table in checked_tables(items):
            console.print(table, highlight=False, markup=False)
        console.print(checked_summary(items), highlight=False)
    if any(item.is_failed for item in items):
        tell(f"error: the adapter {name} does not read these captures as they are")
        raise typer.Exit(ExitCode.ENGINE_FAILED)
