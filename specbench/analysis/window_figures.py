"""The figures of a cell that need a window: throughput, load and the engine's gauges
inside it. Without a window they are missing, with the reason."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from specbench.analysis.drift import find_drift
from specbench.analysis.missing import Missing, keep
from specbench.analysis.reasons import (
    FEW_READINGS,
    GAUGE_FIELDS,
    NO_USAGE,
    WINDOW_FIELDS,
)
from specbench.analysis.window import (
    NoWindow,
    Window,
    mean_in_flight,
    tokens_in_window,
)
from specbench.analysis.window_error import find_window_error
from specbench.schema.findings import CellStats
from specbench.schema.sample import Outcome, RequestSample
from specbench.schema.snapshot import EngineGauges, EngineReading, Phase
from specbench.stats.means import time_weighted_mean
from specbench.units import NS_PER_S

ENOUGH_READINGS = 3
FOLLOWS_ARRIVALS = "throughput of an open loop comes and goes with its arrivals"


def add_window(
    stats: CellStats,
    samples: Sequence[RequestSample],
    readings: Sequence[EngineReading],
    window: Window | NoWindow,
) -> CellStats:
    """The summary with what its window holds."""
    missing = dict(stats.missing)
    if isinstance(window, NoWindow):
        missing.update(dict.fromkeys(WINDOW_FIELDS, window.reason))
        return replace(stats, missing=missing)
    tokens = tokens_in_window(samples, window)
    if not tokens.is_known:
        missing["output_throughput"] = NO_USAGE
    if any(r.gauges.running is not None for r in readings):
        missing.update(dict.fromkeys(GAUGE_FIELDS, FEW_READINGS))
    finished = sum(
        window.open_ns < s.end_ns <= window.close_ns
        for s in samples
        if s.outcome is not Outcome.FAILED
    )
    duration = stats.whole_run.duration_s
    return replace(
        stats,
        window_s=window.seconds,
        window_share=window.seconds / duration if duration else None,
        in_flight=mean_in_flight(samples, window),
        running_batch=_gauge_mean(readings, window, lambda g: g.running),
        waiting=_gauge_mean(readings, window, lambda g: g.waiting),
        kv_usage=_gauge_mean(readings, window, lambda g: g.kv_usage),
        output_throughput=tokens.total / window.seconds if tokens.is_known else None,
        request_throughput=finished / window.seconds,
        drift=keep(
            missing,
            "drift",
            Missing(FOLLOWS_ARRIVALS)
            if stats.key.condition.is_open
            else find_drift(tokens, finished),
        ),
        window_completed=finished,
        window_error=keep(missing, "window_error", find_window_error(tokens)),
        tokens_exact=tokens.is_exact and tokens.is_known,
        missing=missing,
    )


def _gauge_mean(
    readings: Sequence[EngineReading],
    window: Window,
    pick: Callable[[EngineGauges], float | None],
) -> float | None:
    """Time-weighted mean of a gauge over the readings inside the window; None with
    fewer than three. The readings at its edges are left out: at the opening a request
    has just ended and the next has hardly arrived, at the close a slot is dry. So is
    one that was asked for inside and answered after the close."""
    points = []
    for reading in readings:
        value = pick(reading.gauges)
        is_inside = window.open_ns < reading.instant_ns < window.close_ns
        if value is not None and reading.phase is Phase.INSIDE and is_inside:
            points.append((reading.instant_ns / NS_PER_S, value))
    if len(points) < ENOUGH_READINGS:
        return None
    return time_weighted_mean(
        points, window.open_ns / NS_PER_S, window.close_ns / NS_PER_S
    )
