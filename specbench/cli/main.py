"""Entry point: the list of commands, and the one place where an error becomes a
message and an exit code."""

import io
import signal
import sys
from types import FrameType

import typer

from specbench import __version__
from specbench.cli import (
    datasets,
    engines,
    import_,
    measure,
    report,
    run,
    selftest,
    sim,
)
from specbench.cli.streams import complain, open_standard_streams
from specbench.errors import ExitCode, SpecbenchError

EPILOG = """
Exit codes: 0 fine, 2 bad input, 3 an engine or arm failed (what could be measured was
kept), 4 results damaged, 70 internal error, 130 interrupted.
"""

app = typer.Typer(
    name="specbench",
    help="Measures where speculative decoding stops paying, on your own machine:"
    " launches an LLM engine with and without a drafter, drives both with the same"
    " prompts over a range of loads, and reports the break-even.",
    epilog=EPILOG,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.command()(run.run)
app.command()(measure.measure)
app.command()(report.report)
app.command()(selftest.selftest)
app.add_typer(engines.app, name="engines")
app.command()(datasets.datasets)
app.add_typer(import_.app, name="import")
app.add_typer(sim.app, name="sim")


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"specbench {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: bool = typer.Option(
        False,
        "--version",
        callback=_show_version,
        is_eager=True,
        help="Show the version and exit.",
    ),
    debug: bool = typer.Option(
        False, "--debug", help="Show the traceback of an internal error."
    ),
) -> None:
    """Options that stand before the command."""


def main() -> None:
    """Run the command line; always ends by exiting."""
    open_standard_streams()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # a terminal that cannot show a sign must not cost the result
            stream.reconfigure(errors="replace")
    signal.signal(signal.SIGTERM, _interrupt)
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:  # as under nohup
        signal.signal(signal.SIGHUP, _interrupt)
    try:
        app()
    except SpecbenchError as error:
        complain(error.message, error.hint)
        sys.exit(error.exit_code)
    except KeyboardInterrupt:
        complain("interrupted; what was measured is kept")
        sys.exit(ExitCode.INTERRUPTED)
    except Exception as error:
        if "--debug" in sys.argv:
            raise
        complain(
            f"internal error: {type(error).__name__}: {error}",
            "this is a bug in specbench; run again with `specbench --debug ...` for"
            " the traceback and report it",
        )
        sys.exit(ExitCode.INTERNAL)


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    """SIGTERM and a closed terminal end a run as Ctrl-C does: engines are stopped,
    results kept."""
    raise KeyboardInterrupt
