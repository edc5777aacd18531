"""The figures over a whole cell, ramp and drain included, that stand beside those of
the window: what `vllm bench serve` reports, so that people can reconcile the two."""

from collections.abc import Sequence

from specbench.analysis.acceptance import acceptance_between
from specbench.analysis.acceptance_routes import CELL_EDGES, WHOLE_CELL
from specbench.analysis.latencies import (
    distribution,
    gap_distribution,
    itl_distribution,
)
from specbench.analysis.missing import Missing
from specbench.analysis.requests import derive_figures
from specbench.schema.drafting import Drafter
from specbench.schema.findings import WholeRun
from specbench.schema.sample import Outcome, RequestSample
from specbench.schema.snapshot import EngineReading
from specbench.units import seconds_between


def whole_run(
    samples: Sequence[RequestSample],
    measured: Sequence[RequestSample],
    readings: Sequence[EngineReading],
    drafter: Drafter | None = None,
) -> WholeRun:
    """Latencies over the measured requests; tokens and time over all that were sent,
    warm-up included, since they shared the server."""
    figures = [derive_figures(s) for s in measured]
    ended_well = [s for s in samples if s.outcome is not Outcome.FAILED]
    duration = None
    if ended_well:
        duration = seconds_between(
            min(s.sent_ns for s in samples), max(s.end_ns for s in samples)
        )
    tokens = total_tokens(ended_well)
    acceptance = acceptance_between(readings, CELL_EDGES, WHOLE_CELL, drafter)
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


def total_tokens(samples: Sequence[RequestSample]) -> int | None:
    """None where some request has no count: a sum of the others would pass for all."""
    counts = [s.output_tokens for s in samples]
    known = [count for count in counts if count is not None]
    return sum(known) if len(known) == len(counts) else None


def mean_tokens(samples: Sequence[RequestSample]) -> float | None:
    """Over the requests that have a count."""
    counts = [s.output_tokens for s in samples if s.output_tokens is not None]
    return sum(counts) / len(counts) if counts else None
