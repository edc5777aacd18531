"""One cell summarised: the window, the figures in it, the figures over the whole run
beside them, and what can spoil them."""

from collections import Counter
from dataclasses import dataclass, field, replace

from specbench.analysis.acceptance import drafts_counted
from specbench.analysis.acceptance_routes import DraftSources
from specbench.analysis.cell_drafts import add_drafts
from specbench.analysis.decode_time import mean_tpot_by_token
from specbench.analysis.engine_growth import growth_over_cell, prefix_hit_rate
from specbench.analysis.gpu_summary import summarise_gpus
from specbench.analysis.latencies import (
    distribution,
    gap_distribution,
    itl_distribution,
)
from specbench.analysis.loops import looping_share
from specbench.analysis.missing import keep
from specbench.analysis.open_loop import add_open_load, find_open_window, from_due
from specbench.analysis.prefill_share import add_prefill_share
from specbench.analysis.prompt_length import prompt_length
from specbench.analysis.reasons import explain_missing
from specbench.analysis.request_drafts import DraftsByRequest, with_pauses
from specbench.analysis.requests import derive_figures
from specbench.analysis.rules.rule import CellContext
from specbench.analysis.validity import judge_cell
from specbench.analysis.whole_run import mean_tokens, total_tokens, whole_run
from specbench.analysis.window import NoWindow, Window, find_window
from specbench.analysis.window_figures import add_window
from specbench.schema.cell import CellKey
from specbench.schema.drafting import Drafter
from specbench.schema.findings import CellStats, LatencyBasis
from specbench.schema.record import ClientHealth, GpuReading
from specbench.schema.sample import Outcome, RequestSample, Role
from specbench.schema.snapshot import EngineReading
from specbench.schema.sweep import Slo

FEW_PROBES = 5


@dataclass(frozen=True, slots=True)
class CellObservations:
    """What was seen of one cell."""

    key: CellKey
    samples: tuple[RequestSample, ...]
    readings: tuple[EngineReading, ...]
    client: ClientHealth
    expects_speculation: bool = False
    is_caching_wanted: bool = False
    gpu: tuple[GpuReading, ...] = ()
    planned: int | None = None
    """Requests that were to be sent, warm-up included; None = as many as were."""
    slo: Slo | None = None
    """What a good request of an open loop is."""
    drafts: DraftsByRequest = field(default_factory=dict)
    """What the engine says of single requests, as its adapter reads it."""
    counts_at_request_end: bool = False
    """The engine's counters of drafts move only when a request ends."""
    drafter: Drafter | None = None
    """How the server drafts, as it says itself."""
    not_flushed: str | None = None
    """Why the engine still held what came before the cell; None = it did not."""
    learns_from_traffic: bool = False
    """The arm's drafter proposes what earlier requests have said."""


def summarise_cell(seen: CellObservations) -> CellStats:
    """Every figure of one cell; pure, so that a stored run gives them again."""
    if seen.key.condition.is_open:
        return _summarise_open(seen)
    window = find_window(seen.samples, seen.key.condition.concurrency)
    return _judged(seen, _summarise(seen, window))


def _summarise_open(seen: CellObservations) -> CellStats:
    """Latencies of an open loop count from the instant when a request was due."""
    window = find_open_window(seen.samples)
    stats = _summarise(replace(seen, samples=from_due(seen.samples)), window)
    return _judged(seen, add_open_load(stats, seen.samples, window, seen.slo))


def _summarise(seen: CellObservations, window: Window | NoWindow) -> CellStats:
    stats = _figures(seen, window)
    stats = add_window(stats, seen.samples, seen.readings, window)
    stats = add_prefill_share(stats, seen.samples, window, drafts=_drafts(seen))
    return explain_missing(stats)


def _judged(seen: CellObservations, stats: CellStats) -> CellStats:
    planned = len(seen.samples) if seen.planned is None else seen.planned
    context = CellContext(
        expects_speculation=seen.expects_speculation,
        is_caching_wanted=seen.is_caching_wanted,
        unsent=planned - len(seen.samples),
        not_flushed=seen.not_flushed,
        learns_from_traffic=seen.learns_from_traffic,
        drafter=seen.drafter,
    )
    return replace(stats, findings=judge_cell(stats, context))


def _figures(seen: CellObservations, window: Window | NoWindow) -> CellStats:
    """The figures that do without a window; those of the window are still None."""
    missing: dict[str, str] = {}
    measured = [s for s in seen.samples if s.role is Role.MEASURED]
    ended_well = [s for s in measured if s.outcome is not Outcome.FAILED]
    failed = [s for s in measured if s.outcome is Outcome.FAILED]
    if seen.key.condition.is_open:
        # those that end after the window too: to leave them out would be to leave out
        # the slowest
        basis, chosen = LatencyBasis.FROM_DUE, ended_well
    else:
        basis, chosen = _latency_requests(ended_well, window)
    figures = [derive_figures(s) for s in chosen]
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
        output_tokens=total_tokens(ended_well),
        tokens_exact=True,
        ttft=distribution(f.ttft for f in figures),
        tpot=distribution(f.tpot for f in figures),
        tpot_is_usual=any(f.tpot_is_usual for f in figures),
        tpot_usual=distribution(f.tpot_usual for f in figures),
        mean_tpot_by_token=mean_tpot_by_token(chosen, figures),
        itl=itl_distribution(figures),
        chunk_gap=gap_distribution(figures),
        e2e_latency=distribution(f.e2e for f in figures),
        acceptance=None,
        tokens_per_step=None,
        preemptions=growth_over_cell(seen.readings, lambda c: c.preemptions),
        prefix_hit_rate=keep(
            missing, "prefix_hit_rate", prefix_hit_rate(seen.readings)
        ),
        looping_share=looping_share(_text(s) for s in ended_well),
        mean_output_tokens=mean_tokens(ended_well),
        finish_reasons=dict(Counter(s.finish_reason or "unknown" for s in ended_well)),
        client_lag_p99=seen.client.lag_p99_s,
        client_lag_watched=_watched(seen.client),
        client_cpu_share=seen.client.cpu_share,
        window_share=None,
        drift=None,
        window_completed=None,
        window_error=None,
        prefill_share=None,
        gpu=summarise_gpus(seen.gpu),
        missing=missing,
        latency_basis=basis,
        whole_run=whole_run(seen.samples, ended_well, seen.readings, seen.drafter),
        prompt_length=prompt_length(ended_well, seen.key.condition.context),
    )
    sources = DraftSources(
        seen.readings,
        with_pauses(seen.drafts, seen.drafter),
        seen.counts_at_request_end,
        seen.drafter,
    )
    return add_drafts(stats, seen.samples, chosen, sources)


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


def _drafts(seen: CellObservations) -> bool:
    """Whether drafts were to be made, or were."""
    return (
        seen.expects_speculation
        or any(s.speculation for s in seen.samples)
        or any(drafts_counted(r.counters) for r in seen.readings)
    )


def _watched(client: ClientHealth) -> float | None:
    """None also where so few probes were due that one more or less decides."""
    if client.lag_expected is None or client.lag_expected < FEW_PROBES:
        return None
    return min(1.0, client.lag_samples / client.lag_expected)


def _text(sample: RequestSample) -> str:
    return "".join(chunk.text for chunk in sample.chunks)
