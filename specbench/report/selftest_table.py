"""The client's own test as rows, and as a table for a terminal."""

from collections.abc import Sequence

from rich import box
from rich.table import Table

from specbench.report.columns import Column, field, write_value
from specbench.schema.selftest import SelftestLevel, SelftestVerdict

DASH = "–"
SHARED_NOTE = (
    "Server and client share this machine's CPUs here, so the server's own load is in"
    " these figures; against an engine on GPUs the client has more room. server-bound:"
    " the server was late by its own schedule, which says nothing about the client."
)
STYLES = {
    SelftestVerdict.CARRIES: "bold green",
    SelftestVerdict.ERRS: "bold red",
    SelftestVerdict.SERVER_BOUND: "bold yellow",
}

COLUMNS: tuple[Column[SelftestLevel], ...] = (
    Column("streams", "", "answers in flight", field("streams")),
    Column("processes", "", "load processes of the client", field("processes")),
    Column(
        "offered_chunks_per_s",
        "chunks/s",
        "as scheduled, all streams busy",
        field("offered_chunks_per_s"),
    ),
    Column(
        "delivered_chunks_per_s",
        "chunks/s",
        "as stamped by the client, all streams busy",
        field("delivered_chunks_per_s"),
    ),
    Column("lost_chunks", "", "sent and never read", field("lost_chunks")),
    Column("failed_requests", "", "requests that failed", field("failed_requests")),
    Column("lag_p50_s", "s", "stamp less send instant, median", field("lag_p50_s")),
    Column("lag_p99_s", "s", "the same, p99", field("lag_p99_s")),
    Column("ttft_error_s", "s", "TTFT less the server's", field("ttft_error_s")),
    Column("tpot_error", "", "TPOT over the server's, less 1", field("tpot_error")),
    Column(
        "client_cpu_share",
        "",
        "of one CPU, busiest client process",
        field("client_cpu_share"),
    ),
    Column(
        "server_late_p99_s",
        "s",
        "the server's sends by its own schedule, p99",
        field("server_late_p99_s"),
    ),
    Column(
        "server_cpu_share",
        "",
        "of one CPU, busiest server process",
        field("server_cpu_share"),
    ),
    Column("verdict", "", "what the level says of the client", field("verdict")),
    Column("reasons", "", "bounds that were passed", field("reasons")),
)


def selftest_csv_rows(levels: Sequence[SelftestLevel]) -> list[list[str]]:
    """Header and one row a level; empty = unknown."""
    header = [column.name for column in COLUMNS]
    return [header, *([_text(c, level) for c in COLUMNS] for level in levels)]


def _text(column: Column[SelftestLevel], level: SelftestLevel) -> str:
    return write_value(column.read(level))


def selftest_table(levels: Sequence[SelftestLevel]) -> Table:
    """One row a level."""
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    for name in (
        "\nstreams",
        "load\nproc.",
        "offered\nchunks/s",
        "delivered\nchunks/s",
        "lag ms\np50",
        "\np99",
        "TTFT\nerr. ms",
        "TPOT\nerror",
        "client\nCPU",
        "server\nlate ms",
    ):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("\nverdict", no_wrap=True)
    for level in levels:
        table.add_row(
            str(level.streams),
            str(level.processes),
            f"{level.offered_chunks_per_s:,.0f}",
            _number(level.delivered_chunks_per_s, "{:,.0f}"),
            _ms(level.lag_p50_s, "{:.2f}"),
            _ms(level.lag_p99_s, "{:.2f}"),
            _ms(level.ttft_error_s, "{:+.2f}"),
            _number(level.tpot_error, "{:+.2%}"),
            _number(level.client_cpu_share, "{:.0%}"),
            _ms(level.server_late_p99_s, "{:.2f}"),
            f"[{STYLES[level.verdict]}]{level.verdict.value}[/]",
        )
    return table


def _ms(seconds: float | None, shape: str) -> str:
    return DASH if seconds is None else shape.format(seconds * 1e3)


def _number(value: float | None, shape: str) -> str:
    return DASH if value is None else shape.format(value)
