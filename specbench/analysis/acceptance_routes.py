"""Which source a cell's acceptance is taken from, and whether two sources agree.

Where the engine's counters move with each step (vLLM), their growth over the window is
the window's. Where they move when a request ends (SGLang), the window cannot be cut out
of them: then the requests that the latencies are over say it one by one; failing that,
the counters over the whole cell do, between its idle edges, and the source says so.
Gauges (a last interval's) and averages since the start are never used.

Over a whole cell both sources are of the same requests, warm-up included, and must come
to the same acceptance length."""

from collections.abc import Sequence
from dataclasses import dataclass

from specbench.analysis.acceptance import NOT_EXPOSED, acceptance_between
from specbench.analysis.engine_growth import growth_over_cell
from specbench.analysis.missing import Missing
from specbench.analysis.request_drafts import DraftsByRequest, acceptance_of_requests
from specbench.schema.acceptance import IDLE_EDGES, Acceptance
from specbench.schema.drafting import Drafter
from specbench.schema.sample import Outcome, RequestSample
from specbench.schema.snapshot import EngineReading, Phase

WINDOW_EDGES = (Phase.OPEN, Phase.CLOSE)
CELL_EDGES = (Phase.BEFORE, Phase.AFTER)

IN_WINDOW = "counters over the window"
WHOLE_CELL = "counters over the whole cell"
ALL_REQUESTS = "all requests of the cell"


@dataclass(frozen=True, slots=True)
class DraftSources:
    """Where a cell's acceptance may come from."""

    readings: Sequence[EngineReading]
    requests: DraftsByRequest
    counts_at_request_end: bool
    """The engine's counters of drafts move only when a request ends."""
    drafter: Drafter | None = None


def cell_acceptance(
    sources: DraftSources, chosen: Sequence[RequestSample], named: str
) -> Acceptance | Missing:
    """`chosen`: the requests that the latencies are over; `named`: what they are."""
    if not sources.counts_at_request_end:
        return acceptance_between(sources.readings, WINDOW_EDGES, IN_WINDOW)
    by_requests = acceptance_of_requests(chosen, sources.requests, named)
    if isinstance(by_requests, Acceptance):
        return by_requests
    by_counters = acceptance_between(
        sources.readings, CELL_EDGES, IDLE_EDGES, sources.drafter
    )
    if isinstance(by_counters, Acceptance):
        return by_counters
    if not sources.requests and by_counters.reason == NOT_EXPOSED:
        return by_counters
    return Missing(f"{by_requests.reason}; {by_counters.reason}")


def routes_differ_by(
    sources: DraftSources,
    samples: Sequence[RequestSample],
    by_counters: Acceptance,
    by_requests: Acceptance,
) -> float | Missing:
    """Acceptance length by requests / by counters - 1, over all requests of a cell."""
    failed = sum(s.outcome is Outcome.FAILED for s in samples)
    if failed:
        return Missing(
            f"{failed} of {len(samples)} requests failed: their drafts are in the"
            " counters alone"
        )
    ended = growth_over_cell(sources.readings, lambda c: c.requests_ended)
    if ended is not None and ended != len(samples):
        return Missing(
            f"the server counted {ended:.0f} requests that ended in the cell, the"
            f" client {len(samples)}"
        )
    if by_counters.length is None or by_requests.length is None:
        return Missing("not both the counters and the requests have drafts")
    return by_requests.length / by_counters.length - 1
