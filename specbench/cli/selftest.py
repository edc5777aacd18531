"""`specbench selftest`: how much load this machine's client can carry."""

import sys
from typing import TYPE_CHECKING

import typer

from specbench.cli.streams import (
    Format,
    emit,
    result_console,
    tell,
    told_when_interrupted,
)
from specbench.errors import InputError, ResultsError

if TYPE_CHECKING:
    from specbench.schema.selftest import SelftestLevel, SelftestResult

MOST_STREAMS = 20_000


def selftest(
    seconds: float = typer.Option(
        5.0, "--seconds", min=1.0, max=600.0, help="About how long each level lasts."
    ),
    levels: str = typer.Option(
        "16,64,128,256,512,1000,2000",
        "--levels",
        metavar="N,N,...",
        help="Streams in flight at each level, rising.",
    ),
    processes: int | None = typer.Option(
        None,
        "--processes",
        min=1,
        max=64,
        help="Load processes of the client; by default as many as a sweep would use.",
        show_default=False,
    ),
    format_: Format = typer.Option(
        Format.TABLE, "--format", help="How the result is printed."
    ),
) -> None:
    """Measure how many streams this machine's client can carry before its figures err.

    A server with a known schedule sends each stream a chunk every 20 ms; the client's
    stamps are held against the server's own. Ends after the first level that is not
    carried twice. The result is kept, and a sweep that plans beyond it says so.
    """
    tried = parse_levels(levels)
    from specbench.runner.selftest import SelftestJob, keep_selftest, run_selftest

    job = SelftestJob(
        server_command=(sys.executable, "-P", "-m", "specbench.sim.metronome"),
        levels=tried,
        seconds=seconds,
        processes=processes,
    )
    with told_when_interrupted("the result so far is not kept"):
        result = run_selftest(job, _tell_level)
    _show(result, format_)
    try:
        path = keep_selftest(result)
    except ResultsError as error:
        tell(f"the result could not be kept: {error.message}")
    else:
        tell(f"kept in {path}" if path else "not kept: the kept one tried more streams")


def parse_levels(text: str) -> tuple[int, ...]:
    """`16,64` as numbers, ascending."""
    parts = [part.strip() for part in text.split(",")]
    if not all(p.isdecimal() and 1 <= int(p) <= MOST_STREAMS for p in parts):
        raise InputError(
            f"--levels {text}: each must be a count of streams from 1 to"
            f" {MOST_STREAMS}",
            hint="e.g. --levels 16,64,256",
        )
    return tuple(sorted({int(part) for part in parts}))


def _tell_level(level: "SelftestLevel") -> None:
    tell(f"{level.streams} streams: {level.verdict.value}")


def _show(result: "SelftestResult", format_: Format) -> None:
    from specbench.analysis.selftest import describe_limit

    if format_ is Format.JSON:
        import orjson

        document = {"limit": describe_limit(result.levels), "result": result}
        emit(orjson.dumps(document, option=orjson.OPT_INDENT_2).decode())
        return
    if format_ is Format.CSV:
        import csv
        import io

        from specbench.report.selftest_table import selftest_csv_rows

        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows(
            selftest_csv_rows(result.levels)
        )
        emit(text.getvalue())
        return
    from specbench.report.selftest_table import SHARED_NOTE, selftest_table

    console = result_console()
    console.print(selftest_table(result.levels))
    console.print(describe_limit(result.levels), highlight=False)
    console.print(SHARED_NOTE, highlight=False)
