"""The figures of a cell that are about its drafts: acceptance, by category too, tokens
per step, and whether the engine's counters and its requests tell the same."""

from collections.abc import Sequence
from dataclasses import replace

from specbench.analysis.acceptance import NO_DRAFTS, drafts_counted
from specbench.analysis.acceptance_routes import (
    ALL_REQUESTS,
    DraftSources,
    cell_acceptance,
    routes_differ_by,
)
from specbench.analysis.categories import acceptance_by_category
from specbench.analysis.missing import Missing, keep
from specbench.analysis.request_drafts import acceptance_of_requests
from specbench.analysis.steps import count_steps
from specbench.schema.acceptance import Acceptance
from specbench.schema.findings import CellStats, LatencyBasis, WholeRun
from specbench.schema.sample import RequestSample

NO_DRAFT_TOKENS = "the server does not count the draft tokens"
NO_POSITIONS = "the server does not say at which position tokens were accepted"
NO_SPECULATION = "the server does not report speculation"

REQUESTS_IN_WINDOW = "requests in the window"
MEASURED_REQUESTS = "all measured requests"


def add_drafts(
    stats: CellStats,
    samples: Sequence[RequestSample],
    chosen: Sequence[RequestSample],
    sources: DraftSources,
) -> CellStats:
    """`samples`: all of the cell; `chosen`: those that its latencies are over."""
    missing = dict(stats.missing)
    is_full = stats.latency_basis is LatencyBasis.FULL_LOAD
    named = REQUESTS_IN_WINDOW if is_full else MEASURED_REQUESTS
    acceptance = keep(missing, "acceptance", cell_acceptance(sources, chosen, named))
    if acceptance is not None:
        missing.update(_missing_parts(acceptance))
    counted = (
        count_steps(chosen, sources.requests)
        if acceptance is not None or _speculates(sources)
        else Missing(NO_SPECULATION)
    )
    steps = keep(missing, "tokens_per_step", counted)
    return replace(
        stats,
        acceptance=acceptance,
        tokens_per_step=steps.tokens_per_step if steps else None,
        acceptance_by_category=keep(
            missing,
            "acceptance_by_category",
            acceptance_by_category(chosen, sources.requests, named),
        ),
        whole_run=_compared(stats.whole_run, samples, sources, missing),
        missing=missing,
    )


def _missing_parts(acceptance: Acceptance) -> dict[str, str]:
    """Why parts of an acceptance that is known are not."""
    if acceptance.drafts == 0:
        return dict.fromkeys(("acceptance_rate", "acceptance_length"), NO_DRAFTS)
    parts = {}
    if acceptance.rate is None:
        parts["acceptance_rate"] = NO_DRAFT_TOKENS
    if acceptance.by_position is None:
        parts["acceptance_by_position"] = NO_POSITIONS
    return parts


def _speculates(sources: DraftSources) -> bool:
    """Whether anything shows that the server speculates."""
    return bool(sources.requests) or any(
        drafts_counted(r.counters) is not None for r in sources.readings
    )


def _compared(
    whole: WholeRun,
    samples: Sequence[RequestSample],
    sources: DraftSources,
    missing: dict[str, str],
) -> WholeRun:
    """With the requests' own word beside the counters', where there are both."""
    by_requests = acceptance_of_requests(samples, sources.requests, ALL_REQUESTS)
    if isinstance(by_requests, Missing):
        return whole
    difference = None
    if whole.acceptance is not None and (whole.acceptance.drafts or by_requests.drafts):
        difference = keep(
            missing,
            "acceptance_difference",
            routes_differ_by(sources, samples, whole.acceptance, by_requests),
        )
    return replace(
        whole, acceptance_by_requests=by_requests, acceptance_difference=difference
    )
