"""Whether the load generator kept up: a client that is late stamps late, and since
speculation sends fewer chunks it is late for one arm only.

What a lag L of the stamps does. TTFT is late by L. TPOT is off by the difference of
two lags over N - 1 tokens, so by L / decode time at most. Throughput: a slot is
refilled late by L once a request, so by L / end-to-end time at most. The promise is
TTFT within 3 ms and 1 %, the others within 1 %; the 99th percentile of L is held to
it, though medians see the usual lag and not the 99th percentile. A chunk gap can be
off by L itself: its tail and that of the ITL suffer first, and take part in no
speedup."""

from specbench.analysis.rules.rule import CellContext, flag, void
from specbench.schema.findings import CellStats, Finding

LAG_FLOOR_S = 0.003
"""Lag up to this passes whatever the latencies are."""
LAG_SHARE = 0.01
"""Of the median TTFT or decode time, whichever is less, on top of the floor; beyond
that the cell is void, and from half of it on flagged."""
DELAY_FLOOR_S = 0.002
"""Send delay of an open loop up to this passes whatever the latencies are."""
DELAY_SHARE = 0.01
"""Of the median TTFT, on top of that."""
GAP_SHARE = 0.25
"""Of the median chunk gap: beyond it the gaps' tail is the client's, which is said."""
CPU_SHARE = 0.80
"""A queue at 80 % load delays by several service times: (1 + cv^2) / 2 x 0.8 / 0.2 in
the mean (Pollaczek and Khinchine), 2 to 4 where service times vary little or a lot."""
WATCHED_SHARE = 0.50
"""Of the probes that were due; with fewer nobody knows the lag."""

_ADVICE = (
    "give the client CPUs of its own, or lower the load on this machine; `specbench"
    " selftest` says what it can carry"
)


def client_lag(stats: CellStats, _: CellContext) -> Finding | None:
    """The load generator itself was late."""
    lag = stats.client_lag_p99
    if lag is None:
        return flag(
            "client-lag-unknown",
            "the client's lag was not measured",
            "nothing vouches for the stamps: measure the cell again",
        )
    limit = lag_limit(stats)
    said = f"the client's lag p99 is {lag * 1e3:.1f} ms"
    if lag > limit:
        return void(
            "client-lag",
            f"{said}: over {limit * 1e3:.1f} ms it can move TTFT, TPOT or throughput",
            _ADVICE,
        )
    if lag > limit / 2:
        return flag(
            "some-client-lag",
            f"{said}, near its limit of {limit * 1e3:.1f} ms",
            _ADVICE,
        )
    gap = stats.chunk_gap.p50 if stats.chunk_gap else None
    if gap is not None and lag > GAP_SHARE * gap:
        return flag(
            "some-client-lag",
            f"{said} where a chunk comes each {gap * 1e3:.1f} ms: the upper quantiles"
            " of chunk gap and ITL hold lag of the client",
            _ADVICE,
        )
    return None


def lag_limit(stats: CellStats) -> float:
    """Seconds of lag (99th percentile) that the figures of this cell bear."""
    if stats.ttft is None or stats.e2e_latency is None:
        return LAG_FLOOR_S
    decode_s = stats.e2e_latency.p50 - stats.ttft.p50
    return LAG_FLOOR_S + LAG_SHARE * max(0.0, min(stats.ttft.p50, decode_s))


def client_late(stats: CellStats, _: CellContext) -> Finding | None:
    """An open loop's requests left later than they were due. Latencies count from
    then, so the delay is in them: it must be small beside the least of them."""
    delay = stats.open_load.send_delay if stats.open_load else None
    if delay is None:
        return None
    limit = delay_limit(stats)
    said = f"requests were sent late: {delay.p99 * 1e3:.1f} ms at the 99th percentile"
    if delay.p99 > limit:
        return void(
            "client-late",
            f"{said}, over {limit * 1e3:.1f} ms",
            "the arrivals were not the wanted ones: " + _ADVICE,
        )
    if delay.p99 > limit / 2:
        return flag(
            "some-client-delay",
            f"{said}, near the limit of {limit * 1e3:.1f} ms",
            _ADVICE,
        )
    return None


def delay_limit(stats: CellStats) -> float:
    """Seconds by which an open loop's requests may be sent late (99th percentile)."""
    return DELAY_FLOOR_S + DELAY_SHARE * (stats.ttft.p50 if stats.ttft else 0.0)


def client_unwatched(stats: CellStats, _: CellContext) -> Finding | None:
    """Too few probes of the client's lag arrived to know it."""
    watched = stats.client_lag_watched
    if watched is None or watched >= WATCHED_SHARE:
        return None
    return void(
        "client-unwatched",
        f"only {watched:.0%} of the probes of the client's lag arrived",
        "a client that was not watched cannot vouch for its stamps: " + _ADVICE,
    )


def client_cpu(stats: CellStats, _: CellContext) -> Finding | None:
    """The busiest client process had hardly any CPU time to spare."""
    share = stats.client_cpu_share
    if share is None or share <= CPU_SHARE:
        return None
    return void(
        "client-cpu",
        f"the busiest client process used {share:.0%} of a CPU",
        "a client that is this busy queues what arrives: " + _ADVICE,
    )
