"""Small makers of samples, readings and cells: a test names only what it is about,
everything else is clean and plausible. Instants are given in milliseconds."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from specbench.analysis.cell import CellObservations
from specbench.schema.acceptance import Acceptance
from specbench.schema.cell import CellKey, Condition
from specbench.schema.comparison import SpeedupCurve, SpeedupMetric, SpeedupPoint
from specbench.schema.estimate import Estimate, absent
from specbench.schema.findings import (
    Backlog,
    CellStats,
    Distribution,
    Drift,
    Goodput,
    LatencyBasis,
    OpenLoad,
    PrefillShare,
    WholeRun,
)
from specbench.schema.record import ClientHealth
from specbench.schema.sample import Chunk, Outcome, RequestSample, Role
from specbench.schema.snapshot import (
    EngineCounters,
    EngineGauges,
    EngineReading,
    Phase,
)
from specbench.schema.sweep import BASELINE

NS_PER_MS = 1_000_000

CLEAN_CLIENT = ClientHealth(
    lag_p50_s=0.0001, lag_p99_s=0.0005, lag_max_s=0.001, lag_samples=500, cpu_share=0.1
)


def ns(milliseconds: float) -> int:
    """An instant of the monotonic clock."""
    return round(milliseconds * NS_PER_MS)


def chunk(at_ms: float, tokens_so_far: int | None = None, text: str = "word ") -> Chunk:
    """One stream event with text."""
    return Chunk(ns(at_ms), text, is_reasoning=False, tokens_so_far=tokens_so_far)


def role_chunk(at_ms: float, tokens_so_far: int | None = None) -> Chunk:
    """The opening event of a chat: a role and no text."""
    return Chunk(ns(at_ms), "", is_reasoning=False, tokens_so_far=tokens_so_far)


def chunks_of(
    arrivals_ms: Sequence[float], sizes: Sequence[int], *, counted: bool
) -> tuple[Chunk, ...]:
    """Chunks of so many tokens each; `counted` = each carries the running count."""
    made = []
    so_far = 0
    for at_ms, size in zip(arrivals_ms, sizes, strict=True):
        so_far += size
        made.append(chunk(at_ms, so_far if counted else None, "word " * size))
    return tuple(made)


def sample(chunks: Iterable[Chunk] = (), **changes: Any) -> RequestSample:
    """A measured request of slot 0, sent at 0, that ended with its last chunk. Keys
    that end in `_ms` stand for the `_ns` field of that name."""
    seen = tuple(chunks)
    counts = [c.tokens_so_far for c in seen if c.tokens_so_far is not None]
    made = RequestSample(
        index=0,
        prompt_id="q/1",
        category="",
        slot=0,
        role=Role.MEASURED,
        scheduled_ns=0,
        sent_ns=0,
        end_ns=seen[-1].arrival_ns if seen else 0,
        outcome=Outcome.OK if any(c.text for c in seen) else Outcome.EMPTY,
        error=None,
        http_status=200,
        chunks=seen,
        prompt_tokens=10,
        output_tokens=counts[-1] if counts else None,
        finish_reason="stop",
        speculation=None,
    )
    instants: dict[str, Any] = {
        key.removesuffix("_ms") + "_ns": ns(value)
        for key, value in changes.items()
        if key.endswith("_ms")
    }
    others = {key: v for key, v in changes.items() if not key.endswith("_ms")}
    return replace(made, **instants, **others)


def failed_sample(error: str = "boom", **changes: Any) -> RequestSample:
    """A request that failed after whatever chunks are given."""
    return sample(outcome=Outcome.FAILED, error=error, **changes)


def steady_sample(
    start_ms: float,
    tokens: int,
    spacing_ms: float,
    sizes: Sequence[int] | None = None,
    **changes: Any,
) -> RequestSample:
    """A request whose n-th token exists at start + n * spacing; a chunk leaves with
    its last token. Without `sizes` every token has a chunk of its own."""
    parts = list(sizes) if sizes is not None else [1] * tokens
    assert sum(parts) == tokens
    arrivals = []
    so_far = 0
    for size in parts:
        so_far += size
        arrivals.append(start_ms + so_far * spacing_ms)
    return sample(
        chunks_of(arrivals, parts, counted=True),
        scheduled_ms=start_ms,
        sent_ms=start_ms,
        **changes,
    )


def closed_loop(
    slots: Sequence[Sequence[float]], *, tokens: int = 1
) -> list[RequestSample]:
    """Requests back to back: for each slot the instants (ms) at which they end, the
    first sent at 0. All `tokens` of a request arrive with its end."""
    made: list[RequestSample] = []
    for slot, ends in enumerate(slots):
        start = 0.0
        for place, end in enumerate(ends):
            made.append(
                sample(
                    [chunk(end, tokens)],
                    index=len(made),
                    slot=slot,
                    role=Role.WARMUP if place == 0 else Role.MEASURED,
                    scheduled_ms=start,
                    sent_ms=start,
                    end_ms=end,
                )
            )
            start = end
    return made


def counters(**values: Any) -> EngineCounters:
    """Counters of which only the given ones are exposed."""
    nothing: dict[str, Any] = dict.fromkeys(EngineCounters.__slots__)
    return EngineCounters(**{**nothing, **values})


def gauges(
    running: float | None = None,
    waiting: float | None = None,
    kv_usage: float | None = None,
) -> EngineGauges:
    """Gauges of which only the given ones are exposed."""
    return EngineGauges(running, waiting, kv_usage)


def reading(
    phase: Phase,
    at_ms: float = 0.0,
    counted: EngineCounters | None = None,
    seen: EngineGauges | None = None,
) -> EngineReading:
    """One reading of the metrics page."""
    return EngineReading(phase, ns(at_ms), counted or counters(), seen or gauges())


def condition(concurrency: int = 1, **changes: Any) -> Condition:
    """One point of a sweep."""
    made = Condition("target", "questions", 0, 0.0, concurrency)
    return replace(made, **changes)


def observations(
    samples: Iterable[RequestSample],
    readings: Iterable[EngineReading] = (),
    concurrency: int = 1,
    **changes: Any,
) -> CellObservations:
    """What was seen of one baseline cell."""
    made = CellObservations(
        key=CellKey(condition(concurrency), BASELINE, 1),
        samples=tuple(samples),
        readings=tuple(readings),
        client=CLEAN_CLIENT,
    )
    return replace(made, **changes)


def latency(p50: float) -> Distribution:
    """A distribution around a median, in seconds."""
    return Distribution(
        n=64, mean=p50, p50=p50, p90=p50 * 1.2, p95=p50 * 1.3, p99=p50 * 1.6
    )


def acceptance(**changes: Any) -> Acceptance:
    """A drafter that does well."""
    made = Acceptance(
        drafts=100.0,
        draft_tokens=300.0,
        accepted_tokens=190.0,
        rate=190 / 300,
        length=2.9,
        by_position=(0.9, 0.6, 0.4),
        conditional_by_position=(0.9, 0.6 / 0.9, 0.4 / 0.6),
        source="counters over the window",
    )
    return replace(made, **changes)


def prefill_share(of_request: float = 0.1, of_decode: float = 0.05) -> PrefillShare:
    """Of a baseline with a TPOT of 10 ms."""
    return PrefillShare(
        of_request=of_request,
        of_decode=of_decode,
        plain_step_s=0.01 * (1 - of_decode),
        plain_gaps=5000,
    )


def cell_stats(
    arm: str = BASELINE, replicate: int = 1, concurrency: int = 1, **changes: Any
) -> CellStats:
    """A clean cell: 100 tokens/s, TPOT 10 ms, nothing to remark."""
    whole_run = WholeRun(
        duration_s=64.0,
        output_throughput=95.0,
        ttft=latency(0.1),
        tpot=latency(0.01),
        tpot_usual=latency(0.01),
        itl=latency(0.01),
        chunk_gap=latency(0.01),
        e2e_latency=latency(1.0),
        acceptance=None,
    )
    made = CellStats(
        key=CellKey(condition(concurrency), arm, replicate),
        completed=64,
        empty=0,
        failed=0,
        errors=(),
        window_s=50.0,
        in_flight=float(concurrency),
        running_batch=float(concurrency),
        waiting=0.0,
        kv_usage=0.1,
        output_throughput=100.0,
        request_throughput=1.0,
        output_tokens=6400,
        tokens_exact=True,
        ttft=latency(0.1),
        tpot=latency(0.01),
        tpot_is_usual=False,
        tpot_usual=latency(0.01),
        mean_tpot_by_token=0.01,
        itl=latency(0.01),
        chunk_gap=latency(0.01),
        e2e_latency=latency(1.0),
        acceptance=None,
        tokens_per_step=None,
        preemptions=0.0,
        prefix_hit_rate=0.0,
        looping_share=0.0,
        mean_output_tokens=100.0,
        finish_reasons={"stop": 64},
        client_lag_p99=0.0005,
        client_lag_watched=1.0,
        client_cpu_share=0.1,
        window_share=0.75,
        drift=Drift(1.0, 1.1),
        window_completed=50,
        window_error=0.01,
        prefill_share=prefill_share() if arm == BASELINE else None,
        gpu=None,
        missing={},
        latency_basis=LatencyBasis.FULL_LOAD,
        whole_run=whole_run,
    )
    return replace(made, **changes)


def speedup_point(
    concurrency: int,
    speedup: float | Estimate | None,
    running_batch: float | None = None,
    *,
    has_batch: bool = True,
) -> SpeedupPoint:
    """One load of a curve; without a given batch the engine ran all that was asked."""
    if speedup is None:
        speedup = absent("the arm's cell is void")
    elif not isinstance(speedup, Estimate):
        speedup = Estimate(speedup, speedup, speedup, n=1)
    batch = running_batch if running_batch is not None else float(concurrency)
    return SpeedupPoint(
        condition=condition(concurrency),
        speedup=speedup,
        running_batch=batch if has_batch else None,
        arm_running_batch=batch if has_batch else None,
    )


def curve(points: Iterable[SpeedupPoint]) -> SpeedupCurve:
    """A throughput curve of one arm."""
    return SpeedupCurve(
        target="target",
        dataset="questions",
        context=0,
        temperature=0.0,
        arm="ngram",
        metric=SpeedupMetric.THROUGHPUT,
        points=tuple(points),
    )


def open_sample(due_ms: float, end_ms: float, **changes: Any) -> RequestSample:
    """A measured request of an open loop, sent when due, whose 11 tokens arrive from
    the middle of its time to its end, evenly."""
    half = (end_ms - due_ms) / 2
    arrivals = [due_ms + half + half * n / 10 for n in range(11)]
    chunks = chunks_of(arrivals, [1] * 11, counted=True)
    given = {"scheduled_ms": due_ms, "sent_ms": due_ms, "end_ms": end_ms, **changes}
    return sample(chunks, **given)


def open_load(**changes: Any) -> OpenLoad:
    """A client on time and a server that keeps up."""
    made = OpenLoad(
        arrival_rate=1.0,
        send_delay=Distribution(80, 0.0001, 0.0001, 0.0002, 0.0003, 0.0005),
        send_delay_max_s=0.001,
        backlog=Backlog(64, 64, in_flight_first=1.0, in_flight_last=1.1, limit=4.3),
        goodput=Goodput(rate=0.9, good=58, due=64, unknown=0),
    )
    return replace(made, **changes)


def open_cell_stats(
    arm: str = BASELINE, replicate: int = 1, rate: float = 1.0, **changes: Any
) -> CellStats:
    """A clean cell of an open loop: median end-to-end latency 1 s."""
    given = {
        "key": CellKey(condition(0, request_rate=rate), arm, replicate),
        "latency_basis": LatencyBasis.FROM_DUE,
        "in_flight": 1.0,
        "running_batch": 0.9,
        "prefill_share": None,
        "open_load": open_load(arrival_rate=rate),
        **changes,
    }
    return cell_stats(arm, replicate, **given)
