"""Whether the load was the one that was asked for, and lasted."""

from specbench.analysis.rules.rule import CellContext, flag, void
from specbench.schema.findings import CellStats, Finding

HELD_SHARE = 0.95
"""Of the concurrency, as a time-weighted mean over the window."""
HIT_RATE_LIMIT = 0.01
QUEUE = 0.5
"""Requests that wait on average, from which on a load is said to queue."""
MIN_WINDOW_REQUESTS = 4
MIN_WINDOW_LATENCIES = 1.0
"""A window shorter than one request hangs on the phase in which it met the slots."""


def load_not_held(stats: CellStats, _: CellContext) -> Finding | None:
    """Fewer requests were in flight than asked: the cell is of another load. An open
    loop asks for no such number."""
    asked = stats.key.condition.concurrency
    if stats.in_flight is None or stats.in_flight >= HELD_SHARE * asked:
        return None
    return void(
        "load-not-held",
        f"on average {stats.in_flight:.1f} of {asked} requests were in flight in the"
        " window",
        "requests end faster than the client sends new ones: raise"
        " workload.max_tokens, or free CPUs for the client",
    )


def cache_hits(stats: CellStats, context: CellContext) -> Finding | None:
    """Prefix-cache hits where there should be none."""
    rate = stats.prefix_hit_rate
    if rate is None or rate <= HIT_RATE_LIMIT or context.is_caching_wanted:
        return None
    return void(
        "prefix-cache",
        f"{rate:.1%} of the prompt tokens came from the prefix cache",
        "turn prefix caching off in all arms, or restart the server between passes",
    )


def not_flushed(_: CellStats, context: CellContext) -> Finding | None:
    """The engine began the cell with what earlier cells had left in it."""
    if context.not_flushed is None:
        return None
    message = f"the engine was not emptied before the cell: {context.not_flushed}"
    if context.learns_from_traffic:
        return void(
            "not-flushed",
            message,
            "the drafter learns from traffic, so what came before flatters it: see that"
            " nothing else uses the server, and that it may be flushed",
        )
    return flag(
        "not-flushed",
        message,
        "see that nothing else uses the server: cached prompts would help this cell",
    )


def queueing(stats: CellStats, _: CellContext) -> Finding | None:
    """Requests waited, so the batch was capped by something else than the load."""
    if stats.waiting is None or stats.waiting < QUEUE:
        return None
    below = "requests in flight" if stats.key.condition.is_open else "concurrency"
    return flag(
        "queueing",
        f"{stats.waiting:.1f} requests waited on average",
        f"the running batch is below the {below}: where it stands at the admission"
        " cap, raise that in all arms; else the KV cache or the token budget of a step"
        " holds requests back",
    )


def overloaded(stats: CellStats, _: CellContext) -> Finding | None:
    """More arrived than the server could do, so that its queue grew all along."""
    backlog = stats.open_load.backlog if stats.open_load else None
    if backlog is None or not backlog.grows:
        return None
    return flag(
        "overloaded",
        f"{backlog.due} requests were due in the window and {backlog.ended} ended in"
        f" it; in flight {backlog.in_flight_first:.1f} in its first third,"
        f" {backlog.in_flight_last:.1f} in its last",
        "the rate is beyond what the server can do, so its latencies are those of a"
        " queue that grows for as long as requests arrive: read them with"
        " measure.seconds_per_rate beside them, or lower the rate",
    )


def preemption(stats: CellStats, _: CellContext) -> Finding | None:
    """The KV cache was too small for the load."""
    if not stats.preemptions:
        return None
    return flag(
        "preemption",
        f"{stats.preemptions:.0f} preemptions",
        "the KV cache is full at this load: capacity, not speculation, decides here",
    )


def short_window(stats: CellStats, _: CellContext) -> Finding | None:
    """Too little was measured under full load."""
    if stats.window_s is None:
        return flag(
            "no-window",
            f"no window: {stats.missing.get('window_s', 'unknown')}",
            "the figures are over the whole cell, ramp and drain included",
        )
    done = round((stats.request_throughput or 0.0) * stats.window_s)
    if done < MIN_WINDOW_REQUESTS:
        return flag(
            "short-window",
            f"only {done} requests finished inside the window",
            f"raise measure.min_requests or {_longer(stats)}",
        )
    request_s = stats.e2e_latency.mean if stats.e2e_latency else 0.0
    if stats.window_s < MIN_WINDOW_LATENCIES * request_s:
        return flag(
            "short-window",
            f"the window of {stats.window_s:.1f} s is shorter than one request"
            f" ({request_s:.1f} s)",
            f"raise {_longer(stats)}",
        )
    return None


def _longer(stats: CellStats) -> str:
    """The key that makes a window longer."""
    is_open = stats.key.condition.is_open
    return f"measure.{'seconds_per_rate' if is_open else 'requests_per_slot'}"


def drift(stats: CellStats, _: CellContext) -> Finding | None:
    """The pace changed over the window by more than chance explains."""
    if stats.drift is None or not stats.drift.is_clear:
        return None
    change = stats.drift.ratio - 1
    return flag(
        "drift",
        f"throughput {'rose' if change > 0 else 'fell'} by {abs(change):.0%} from the"
        f" first to the last third of the window; chance explains a factor of"
        f" {stats.drift.limit:.2f}",
        "look for what changed meanwhile: a cold engine or GPU, clocks, other load on"
        " the machine, prompts in an order that is not mixed",
    )
