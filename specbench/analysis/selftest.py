"""Whether the client bore a load, up to which load it does, and whether a sweep stays
under it. Pure; the bounds and their reasons are here."""

from collections.abc import Sequence
from dataclasses import dataclass

from specbench.analysis.schedule_match import ScheduleMatch, further_off
from specbench.schema.selftest import (
    SelftestLevel,
    SelftestMachine,
    SelftestResult,
    SelftestVerdict,
)

DELIVERED_MIN = 0.99
"""Of the scheduled chunks per second. Throughput is a count by arrival: what is missing
here would be missing there, and a break-even is read where two throughputs are nearly
equal."""
LAG_P99_MAX_S = 0.002
"""TTFT is late by the lag itself and TPOT by the difference of two lags over the
answer's tokens: at 2 ms, 1 % of a TTFT of 200 ms, and 0.2 % of a TPOT of 20 ms over
50 tokens. It is under the lag that voids a cell, so a level that passes leaves room."""
TTFT_ERROR_MAX_S = 0.003
TTFT_ERROR_MAX_SHARE = 0.01
TPOT_ERROR_MAX = 0.01
SERVER_LATE_MAX_GAPS = 0.25
"""A server that sends a chunk later than a quarter of the gap (p99) does not offer the
load that its schedule says."""


@dataclass(frozen=True, slots=True)
class LevelSeen:
    """One load as driven: what was planned, and what both sides noted."""

    streams: int
    processes: int
    chunks: int
    """Of an answer."""
    ttft_s: float
    """As scheduled."""
    gap_s: float
    match: ScheduleMatch
    delivered_chunks_per_s: float | None
    failed_requests: int
    client_cpu_share: float | None
    server_cpu_share: float | None

    @property
    def period_s(self) -> float:
        """One answer, first byte to last, as scheduled."""
        return answer_s(self.ttft_s, self.gap_s, self.chunks)

    @property
    def offered_chunks_per_s(self) -> float:
        """As scheduled, all streams busy without a pause between two answers."""
        return self.streams * self.chunks / self.period_s


def answer_s(ttft_s: float, gap_s: float, chunks: int) -> float:
    """Seconds that an answer takes by its schedule."""
    return ttft_s + (chunks - 1) * gap_s


def judge_level(seen: LevelSeen) -> SelftestLevel:
    """The level with its verdict. A server that was late itself excuses the client
    from lag and figures, but not from requests that failed."""
    match = seen.match
    ttft_error_s = further_off(match.ttft_error_p50_s, match.ttft_error_p99_s)
    tpot_error = further_off(match.tpot_error_p50, match.tpot_error_p99)
    reasons = _reasons(seen, ttft_error_s, tpot_error)
    verdict = SelftestVerdict.ERRS if reasons else SelftestVerdict.CARRIES
    late_s = match.late_p99_s
    late_max_s = SERVER_LATE_MAX_GAPS * seen.gap_s
    if late_s is not None and late_s > late_max_s and not seen.failed_requests:
        verdict = SelftestVerdict.SERVER_BOUND
        reasons = (
            f"the server sent {_ms(late_s)} late (p99; bound {_ms(late_max_s)})",
            *reasons,
        )
    return SelftestLevel(
        streams=seen.streams,
        processes=seen.processes,
        offered_chunks_per_s=seen.offered_chunks_per_s,
        delivered_chunks_per_s=seen.delivered_chunks_per_s,
        lost_chunks=match.chunks_sent - match.chunks_read,
        failed_requests=seen.failed_requests,
        lag_p50_s=match.lag_p50_s,
        lag_p99_s=match.lag_p99_s,
        ttft_error_s=ttft_error_s,
        ttft_s=seen.ttft_s,
        tpot_error=tpot_error,
        client_cpu_share=seen.client_cpu_share,
        server_late_p99_s=late_s,
        server_cpu_share=seen.server_cpu_share,
        verdict=verdict,
        reasons=reasons,
    )


def _reasons(
    seen: LevelSeen, ttft_error_s: float | None, tpot_error: float | None
) -> tuple[str, ...]:
    match = seen.match
    found = []
    if seen.failed_requests:
        found.append(f"{seen.failed_requests} requests failed")
    lost = match.chunks_sent - match.chunks_read
    if lost or match.unmatched:
        found.append(f"{lost} chunks lost, {match.unmatched} answers unmatched")
    found += _rate_reasons(seen)
    lag_s = match.lag_p99_s
    if lag_s is None:
        found.append("no lag is known")
    elif lag_s > LAG_P99_MAX_S:
        found.append(f"lag p99 {_ms(lag_s)} (bound {_ms(LAG_P99_MAX_S)})")
    ttft_max_s = TTFT_ERROR_MAX_S + TTFT_ERROR_MAX_SHARE * seen.ttft_s
    if ttft_error_s is not None and abs(ttft_error_s) > ttft_max_s:
        found.append(f"TTFT off by {_ms(ttft_error_s)} (bound {_ms(ttft_max_s)})")
    if tpot_error is not None and abs(tpot_error) > TPOT_ERROR_MAX:
        found.append(f"TPOT off by {tpot_error:+.1%} (bound {TPOT_ERROR_MAX:.0%})")
    return tuple(found)


def _rate_reasons(seen: LevelSeen) -> list[str]:
    """Unknown where the test was too short to tell; that alone is no fault."""
    if seen.delivered_chunks_per_s is None:
        return []
    share = seen.delivered_chunks_per_s / seen.offered_chunks_per_s
    # one stamp on the other side of the window's edge is no loss
    bound = DELIVERED_MIN - 1 / (seen.streams * seen.chunks)
    if share >= bound:
        return []
    return [f"{share:.1%} of the offered chunks/s (bound {bound:.1%})"]


def _ms(seconds: float) -> str:
    return f"{seconds * 1e3:.1f} ms"


@dataclass(frozen=True, slots=True)
class ClientLimit:
    """Up to where the client is known to carry, and where it is known to err."""

    carried: SelftestLevel | None
    """The highest level under the first one that errs; None = not even the lowest."""
    erred: SelftestLevel | None
    """The lowest level that errs; None = none did."""


def find_limit(levels: Sequence[SelftestLevel]) -> ClientLimit:
    """Server-bound levels say nothing either way."""
    by_load = sorted(levels, key=lambda level: level.streams)
    erred = next((x for x in by_load if x.verdict is SelftestVerdict.ERRS), None)
    carried = [
        level
        for level in by_load
        if level.verdict is SelftestVerdict.CARRIES
        and (erred is None or level.streams < erred.streams)
    ]
    return ClientLimit(carried[-1] if carried else None, erred)


def describe_limit(levels: Sequence[SelftestLevel]) -> str:
    """The limit in one sentence."""
    limit = find_limit(levels)
    if limit.carried is None and limit.erred is None:
        return "Nothing is known of the client: the server could keep no level's pace."
    if limit.carried is None:
        assert limit.erred is not None
        return (
            f"The client errs already at {limit.erred.streams} streams:"
            f" {'; '.join(limit.erred.reasons)}."
        )
    can = (
        f"The client carries {limit.carried.streams} streams"
        f" ({limit.carried.offered_chunks_per_s:,.0f} chunks/s)"
    )
    if limit.erred is not None:
        return (
            f"{can}; at {limit.erred.streams} it errs:"
            f" {'; '.join(limit.erred.reasons)}."
        )
    if any(x.verdict is SelftestVerdict.SERVER_BOUND for x in levels):
        return f"{can}; beyond that the server could not keep its own pace."
    return f"{can}, the highest level tried."


MANY_STREAMS = 64
"""From more on, a client that was never tested is worth a word."""
FASTEST_TPOT_S = 0.02
"""What a stream is taken to give before anything is measured: a chunk each 20 ms, as
in the test itself."""


def advise(
    result: SelftestResult | None,
    concurrency: int,
    chunks_per_s: float = 1 / FASTEST_TPOT_S,
) -> str | None:
    """What to say before a sweep whose largest concurrency is this and whose streams
    may give so many chunks per second each. None = nothing to say."""
    if result is None:
        if concurrency <= MANY_STREAMS:
            return None
        return (
            "note: how many streams this machine's client can carry is not known;"
            " `specbench selftest` measures it (about a minute)"
        )
    carried = find_limit(result.levels).carried
    if carried is None:
        return (
            "warning: in the selftest of this machine the client carried no level;"
            " free the machine and run `specbench selftest` again"
        )
    rate = concurrency * chunks_per_s
    beyond = []
    if concurrency > carried.streams:
        beyond.append(f"{concurrency} streams")
    if rate > carried.streams / result.gap_s:
        beyond.append(f"up to {rate:,.0f} chunks/s")
    if not beyond:
        return None
    return (
        f"warning: the sweep asks the client for {' and '.join(beyond)}; in this"
        f" machine's selftest ({result.measured_utc[:10]}) it carried {carried.streams}"
        f" streams of {1 / result.gap_s:g} chunks/s. Cells that it cannot carry will be"
        " void by client lag: stop at a lower concurrency, leave the client more CPUs,"
        " or run `specbench selftest` with --levels up to what you need"
    )


def holds_for(result: SelftestResult, machine: SelftestMachine) -> bool:
    """Whether a stored result is of this machine, as it is now, and this version."""
    return result.machine == machine
