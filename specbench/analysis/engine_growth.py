"""How the engine's counters grew over a whole cell, between its idle ends."""

from collections.abc import Callable, Sequence

from specbench.analysis.acceptance import counter_growth, readable
from specbench.analysis.missing import Missing
from specbench.schema.snapshot import EngineCounters, EngineReading, Phase


def growth_over_cell(
    readings: Sequence[EngineReading],
    pick: Callable[[EngineCounters], float | None],
) -> float | None:
    """Growth of a counter over the whole cell; None where it was not read at both
    ends."""
    seen = readable(readings)
    first = next((r for r in seen if r.phase is Phase.BEFORE), None)
    last = next((r for r in seen if r.phase is Phase.AFTER), None)
    if first is None or last is None:
        return None
    return counter_growth(pick(first.counters), pick(last.counters))


def prefix_hit_rate(readings: Sequence[EngineReading]) -> float | Missing:
    """Prompt tokens that came from the prefix cache / all that were looked up."""
    queries = growth_over_cell(readings, lambda c: c.prefix_queries)
    hits = growth_over_cell(readings, lambda c: c.prefix_hits)
    if not queries or hits is None:
        return Missing("the server counted no prefix-cache queries")
    if hits > queries:
        return Missing("more prefix-cache hits than queries: the counters disagree")
    return hits / queries
