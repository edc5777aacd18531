"""`specbench engines`: the engines that it can launch or measure."""

import typer

from specbench.cli.streams import Format, emit, result_console


def engines(
    format_: Format = typer.Option(
        Format.TABLE, "--format", help="How the list is printed."
    ),
) -> None:
    """List the engines, and the speculative methods that each adapter knows.

    An engine lives in an environment of its own; a sweep file names its program with
    target.executable.
    """
    from specbench.engines import ADAPTERS

    rows = [(name, adapter.methods) for name, adapter in ADAPTERS.items()]
    if format_ is Format.JSON:
        import orjson

        document = [{"engine": name, "methods": list(m)} for name, m in rows]
        emit(orjson.dumps(document, option=orjson.OPT_INDENT_2).decode())
    elif format_ is Format.CSV:
        emit("engine,method")
        for name, methods in rows:
            for method in methods or ("",):
                emit(f"{name},{method}")
    else:
        from rich.table import Table

        table = Table("engine", "speculative methods", show_lines=True)
        for name, methods in rows:
            table.add_row(name, ", ".join(methods) or "as the running server has it")
        result_console().print(table)
