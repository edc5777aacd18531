"""`specbench sim`: an engine with programmed truth, for tests and for learning."""

import typer

app = typer.Typer(
    help="An engine with programmed truth behind the same HTTP API.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@app.callback()
def about() -> None:
    """An engine with programmed truth behind the same HTTP API."""


@app.command(
    context_settings={"allow_extra_args": True, "ignore_unknown_options": True},
    add_help_option=False,
)
def serve(ctx: typer.Context) -> None:
    """Serve an engine of programmed speed, acceptance, capacity and faults."""
    from specbench.sim.__main__ import main

    raise typer.Exit(main(ctx.args))
