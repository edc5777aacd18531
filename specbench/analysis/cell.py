"""One cell summarised: the window, the figures in it, the figures over the whole run
beside them, and what can spoil them."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from specbench.analysis.acceptance import (
    NO_DRAFTS,
    Missing,
    acceptance_between,
    counter_growth,
    readable,
)
from specbench.analysis.latencies import (
    distribution,
    gap_distribution,
    itl_distribution,
)
from specbench.analysis.loops import looping_share
from specbench.analysis.reasons import (
    FEW_READINGS,
    GAUGE_FIELDS,
    NO_USAGE,
    WINDOW_FIELDS,
    explain_missing,
)
from specbench.analysis.requests import RequestFigures, derive_figures
from specbench.analysis.steps import tokens_per_step
from specbench.analysis.validity import CellContext, judge_cell
from specbench.analysis.window import (
    NoWindow,
    Window,
    find_window,
    mean_in_flight,
    tokens_in_window,
)
from specbench.schema.cell import CellKey
from specbench.schema.findings import (
    Acceptance,
    CellStats,
    LatencyBasis,
    WholeRun,
)
from specbench.schema.record import ClientHealth
from specbench.schema.sample import Outcome, RequestSample, Role
from specbench.schema.snapshot import (
    EngineCounters,
    EngineGauges,
    EngineReading,
    Phase,
)
from specbench.stats.means import time_weighted_mean
from specbench.units import NS_PER_S, seconds_between

ENOUGH_READINGS = 3
WINDOW_EDGES = (Phase.OPEN, Phase.CLOSE)
CELL_EDGES = (Phase.BEFORE, Phase.AFTER)


@dataclass(frozen=True, slots=True)
class CellObservations:
    """What was seen of one cell."""

    key: CellKey
    samples: tuple[RequestSample, ...]
    readings: tuple[EngineReading, ...]
    client: ClientHealth
    expects_speculation: bool = False
    is_caching_wanted: bool = False


def summarise_cell(seen: CellObservations) -> CellStats:
    """Every figure of one cell; pure, so that a stored run gives them again."""
    missing: dict[str, str] = {}
    concurrency = seen.key.condition.concurrency
    window = find_window(seen.samples, concurrency)
    measured = [s for s in seen.samples if s.role is Role.MEASURED]
    ended_well = [s for s in measured if s.outcome is not Outcome.FAILED]
    failed = [s for s in measured if s.outcome is Outcome.FAILED]
    basis, chosen = _latency_requests(ended_well, window)
    figures = [derive_figures(s) for s in chosen]
    acceptance = _keep(
        missing, "acceptance", _acceptance(seen.readings, WINDOW_EDGES, "the window")
    )
    if acceptance is not None and acceptance.drafts == 0:
        missing.update(
            dict.fromkeys(("acceptance_rate", "acceptance_length"), NO_DRAFTS)
        )
    per_step = _keep(
        missing, "tokens_per_step", _steps(chosen, seen.readings, acceptance)
    )
    stats = CellStats(
        key=seen.key,
        completed=len(ended_well),
        empty=sum(s.outcome is Outcome.EMPTY for s in ended_well),
        failed=len(failed),
        errors=tuple(sorted({s.error or "unknown" for s in failed})),
        window_s=None,
        in_flight=None,
        running_batch=None,
        waiting=None,
        kv_usage=None,
        output_throughput=None,
        request_throughput=None,
        output_tokens=_total_tokens(ended_well),
        tokens_exact=True,
        ttft=distribution(f.ttft for f in figures),
        tpot=distribution(f.tpot for f in figures),
        tpot_is_usual=any(f.tpot_is_usual for f in figures),
        tpot_usual=distribution(f.tpot_usual for f in figures),
        itl=itl_distribution(figures),
        chunk_gap=gap_distribution(figures),
        e2e_latency=distribution(f.e2e for f in figures),
        acceptance=acceptance,
        tokens_per_step=per_step,
        preemptions=_growth(seen.readings, lambda c: c.preemptions),
        prefix_hit_rate=_hit_rate(seen.readings, missing),
        looping_share=looping_share(_text(s) for s in ended_well),
        mean_output_tokens=_mean_tokens(ended_well),
        finish_reasons=dict(Counter(s.finish_reason or "unknown" for s in ended_well)),
        client_lag_p99=seen.client.lag_p99_s,
        missing=missing,
        latency_basis=basis,
        whole_run=_whole_run(seen.samples, ended_well, seen.readings),
    )
    stats = explain_missing(_add_window(stats, seen, window))
    context = CellContext(seen.expects_speculation, seen.is_caching_wanted)
    return replace(stats, findings=judge_cell(stats, context))


def _latency_requests(
    ended_well: list[RequestSample], window: Window | NoWindow
) -> tuple[LatencyBasis, list[RequestSample]]:
    """Requests at full load that ended before the window closed; all measured ones
    where there is none."""
    if isinstance(window, Window):
        inside = [s for s in ended_well if window.had_full_load(s)]
        if inside:
            return LatencyBasis.FULL_LOAD, inside
    return LatencyBasis.WHOLE_RUN, ended_well


def _add_window(
    stats: CellStats, seen: CellObservations, window: Window | NoWindow
) -> CellStats:
    """The figures that need a window; without one they are missing, with reason."""
    missing = dict(stats.missing)
    if isinstance(window, NoWindow):
        missing.update(dict.fromkeys(WINDOW_FIELDS, window.reason))
        return replace(stats, missing=missing)
    tokens = tokens_in_window(seen.samples, window)
    if not tokens.is_known:
        missing["output_throughput"] = NO_USAGE
    if any(r.gauges.running is not None for r in seen.readings):
        missing.update(dict.fromkeys(GAUGE_FIELDS, FEW_READINGS))
    finished = sum(
        window.open_ns < s.end_ns <= window.close_ns
        for s in seen.samples
        if s.outcome is not Outcome.FAILED
    )
    return replace(
        stats,
        window_s=window.seconds,
        in_flight=mean_in_flight(seen.samples, window),
        running_batch=_gauge_mean(seen.readings, window, lambda g: g.running),
        waiting=_gauge_mean(seen.readings, window, lambda g: g.waiting),
        kv_usage=_gauge_mean(seen.readings, window, lambda g: g.kv_usage),
        output_throughput=tokens.total / window.seconds if tokens.is_known else None,
        request_throughput=finished / window.seconds,
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
    has just ended and the next has hardly arrived, at the close a slot is dry."""
    points = []
    for reading in readings:
        value = pick(reading.gauges)
        if value is not None and reading.phase is Phase.INSIDE:
            points.append((reading.instant_ns / NS_PER_S, value))
    if len(points) < ENOUGH_READINGS:
        return None
    return time_weighted_mean(
        points, window.open_ns / NS_PER_S, window.close_ns / NS_PER_S
    )


def _acceptance(
    readings: Sequence[EngineReading], edges: tuple[Phase, Phase], where: str
) -> Acceptance | Missing:
    return acceptance_between(readings, edges, f"counters over {where}")


def _steps(
    samples: Sequence[RequestSample],
    readings: Sequence[EngineReading],
    acceptance: Acceptance | None,
) -> float | Missing:
    """Tokens per step, where the server speculates at all."""
    speculates = acceptance is not None or any(
        r.counters.drafts is not None for r in readings
    )
    if not speculates and not any(s.speculation for s in samples):
        return Missing("the server does not report speculation")
    return tokens_per_step(samples)


def _whole_run(
    samples: Sequence[RequestSample],
    measured: Sequence[RequestSample],
    readings: Sequence[EngineReading],
) -> WholeRun:
    """Latencies over the measured requests; tokens and time over all that were sent,
    warm-up included, since they shared the server."""
    figures: list[RequestFigures] = [derive_figures(s) for s in measured]
    ended_well = [s for s in samples if s.outcome is not Outcome.FAILED]
    duration = None
    if ended_well:
        duration = seconds_between(
            min(s.sent_ns for s in samples), max(s.end_ns for s in samples)
        )
    tokens = _total_tokens(ended_well)
    acceptance = _acceptance(readings, CELL_EDGES, "the whole cell")
    return WholeRun(
        duration_s=duration,
        output_throughput=(
            tokens / duration if duration and tokens is not None else None
        ),
        ttft=distribution(f.ttft for f in figures),
        tpot=distribution(f.tpot for f in figures),
        tpot_usual=distribution(f.tpot_usual for f in figures),
        itl=itl_distribution(figures),
        chunk_gap=gap_distribution(figures),
        e2e_latency=distribution(f.e2e for f in figures),
        acceptance=None if isinstance(acceptance, Missing) else acceptance,
    )


T = TypeVar("T")


def _keep(missing: dict[str, str], name: str, value: T | Missing) -> T | None:
    """The value, or None with the reason noted under the field's name."""
    if isinstance(value, Missing):
        missing[name] = value.reason
        return None
    return value


def _growth(
    readings: Sequence[EngineReading],
    pick: Callable[[EngineCounters], float | None],
) -> float | None:
    """Growth of a counter over the whole cell."""
    seen = readable(readings)
    first = next((r for r in seen if r.phase is Phase.BEFORE), None)
    last = next((r for r in seen if r.phase is Phase.AFTER), None)
    if first is None or last is None:
        return None
    return counter_growth(pick(first.counters), pick(last.counters))


def _hit_rate(
    readings: Sequence[EngineReading], missing: dict[str, str]
) -> float | None:
    queries = _growth(readings, lambda c: c.prefix_queries)
    hits = _growth(readings, lambda c: c.prefix_hits)
    if not queries or hits is None:
        missing["prefix_hit_rate"] = "the server counted no prefix-cache queries"
        return None
    return hits / queries


def _text(sample: RequestSample) -> str:
    return "".join(chunk.text for chunk in sample.chunks)


def _total_tokens(samples: Sequence[RequestSample]) -> int | None:
    """None where some request has no count: a sum of the others would pass for all."""
    counts = [s.output_tokens for s in samples]
    known = [count for count in counts if count is not None]
    return sum(known) if len(known) == len(counts) else None


def _mean_tokens(samples: Sequence[RequestSample]) -> float | None:
    counts = [s.output_tokens for s in samples if s.output_tokens is not None]
    return sum(counts) / len(counts) if counts else None
