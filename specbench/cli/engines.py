"""`specbench engines`: what it can launch or measure, and the drafters of each."""

import typer

from specbench.cli.engines_capture import capture
from specbench.cli.engines_check import check
from specbench.cli.streams import Format, emit, result_console

app = typer.Typer(
    invoke_without_command=True,
    rich_markup_mode=None,
)


app.command()(check)
app.command()(capture)


@app.callback()
def engines(
    ctx: typer.Context,
    format_: Format = typer.Option(
        Format.TABLE, "--format", help="How the list is printed."
    ),
) -> None:
    """List the engines, and the speculative methods of the version that each adapter
    knows.

    Per method: what it needs, whether answers stay those of the target model, whether
    it learns from the traffic, and what it is good for. JSON and CSV have the keys of
    an arm too. An engine lives in an environment of its own; a sweep file names its
    program with target.executable.
    """
    if ctx.invoked_subcommand is not None:
        return
    from specbench.engines import ADAPTERS
    from specbench.engines.known_methods import METHODS_BY_ENGINE
    from specbench.report.method_list import (
        method_csv_rows,
        method_document,
        method_rows,
    )
    from specbench.report.method_tables import method_tables

    names = {name: adapter.methods for name, adapter in ADAPTERS.items()}
    if format_ is Format.JSON:
        import orjson

        document = method_document(method_rows(names, METHODS_BY_ENGINE))
        emit(orjson.dumps(document, option=orjson.OPT_INDENT_2).decode())
    elif format_ is Format.CSV:
        import csv
        import io

        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerows(method_csv_rows(method_rows(names, METHODS_BY_ENGINE)))
        emit(text.getvalue())
    else:
        console = result_console()
        for part in method_tables(names, METHODS_BY_ENGINE):
            console.print(part)
