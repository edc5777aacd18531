"""Levels and results of the client's own test, ready to be changed."""

from dataclasses import replace

from specbench.analysis.schedule_match import ScheduleMatch
from specbench.analysis.selftest import LevelSeen, judge_level
from specbench.schema.selftest import (
    SelftestLevel,
    SelftestMachine,
    SelftestResult,
    SelftestVerdict,
)

CARRIES, ERRS, SERVER_BOUND = SelftestVerdict
MATCH = ScheduleMatch(
    answers=10,
    unmatched=0,
    chunks_sent=500,
    chunks_read=500,
    lag_p50_s=0.0001,
    lag_p99_s=0.0004,
    ttft_error_p50_s=0.0002,
    ttft_error_p99_s=0.0005,
    tpot_error_p50=0.0001,
    tpot_error_p99=0.0003,
    late_p99_s=0.0004,
)
SEEN = LevelSeen(
    streams=10,
    processes=1,
    chunks=50,
    ttft_s=0.2,
    gap_s=0.02,
    match=MATCH,
    delivered_chunks_per_s=10 * 50 / 1.18,
    failed_requests=0,
    client_cpu_share=0.1,
    server_cpu_share=0.1,
)
OFFERED = 10 * 50 / 1.18


def level(streams: int, verdict: SelftestVerdict = CARRIES) -> SelftestLevel:
    """A level with this verdict."""
    reasons = () if verdict is CARRIES else ("lag p99 9.0 ms (bound 2.0 ms)",)
    judged = judge_level(replace(SEEN, streams=streams))
    return replace(judged, verdict=verdict, reasons=reasons)


def result(*levels: SelftestLevel, gap_s: float = 0.02) -> SelftestResult:
    """A stored one."""
    machine = SelftestMachine("host", "cpu", 2, "0.1.0")
    return SelftestResult(machine, "2026-11-30T20:00:00+00:00", gap_s, levels)
