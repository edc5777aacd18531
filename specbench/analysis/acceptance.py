"""What became of the drafts, from the growth of the engine's counters between two
readings; an average over the engine's life is never taken for a window's."""

from collections.abc import Sequence
from dataclasses import astuple
from itertools import pairwise

from specbench.analysis.missing import Missing
from specbench.schema.findings import Acceptance
from specbench.schema.snapshot import EngineCounters, EngineReading, Phase

NOT_EXPOSED = "the server reports no speculation counters"
NOT_READ = "the metrics page was not read at both edges"
NO_DRAFTS = "no drafts were made"
WENT_BACK = "a counter went backwards: the engine restarted within the cell"


def acceptance_between(
    readings: Sequence[EngineReading], edges: tuple[Phase, Phase], source: str
) -> Acceptance | Missing:
    """Acceptance from one phase's reading to another's."""
    seen = readable(readings)
    if not seen:
        return Missing(NOT_EXPOSED if readings else NOT_READ)
    first = next((r for r in seen if r.phase is edges[0]), None)
    last = next((r for r in seen if r.phase is edges[1]), None)
    if first is None or last is None:
        return Missing(f"{NOT_READ} ({source})")
    if last.counters.drafts is None:
        return Missing(NOT_EXPOSED)
    drafts = [
        r.counters.drafts or 0.0
        for r in seen
        if first.instant_ns <= r.instant_ns <= last.instant_ns
    ]
    if any(after < before for before, after in pairwise(drafts)):
        return Missing(WENT_BACK)
    return _from_growth(first.counters, last.counters, source)


def readable(readings: Sequence[EngineReading]) -> tuple[EngineReading, ...]:
    """Readings with some series that is known, counter or gauge. A page without any is
    one that could not be read, not one of zeros; a page on which only the counters
    are absent is one before the first count."""
    return tuple(
        r
        for r in readings
        if any(v is not None for v in (*astuple(r.counters), *astuple(r.gauges)))
    )


def counter_growth(before: float | None, after: float | None) -> float | None:
    """Growth of one counter. A series that appears late began at zero; None when it
    is absent or went backwards."""
    if after is None:
        return None
    growth = after - (before or 0.0)
    return growth if growth >= 0 else None


def _from_growth(
    before: EngineCounters, after: EngineCounters, source: str
) -> Acceptance | Missing:
    if after.draft_tokens is None or after.accepted_tokens is None:
        return Missing("the server exposes only some of the speculation counters")
    drafts = counter_growth(before.drafts, after.drafts)
    proposed = counter_growth(before.draft_tokens, after.draft_tokens)
    accepted = counter_growth(before.accepted_tokens, after.accepted_tokens)
    if drafts is None or proposed is None or accepted is None:
        return Missing(WENT_BACK)
    by_position = _position_growth(
        before.accepted_by_position, after.accepted_by_position
    )
    return Acceptance(
        drafts=drafts,
        draft_tokens=proposed,
        accepted_tokens=accepted,
        rate=accepted / proposed if proposed > 0 else None,
        length=1 + accepted / drafts if drafts > 0 else None,
        by_position=_shares(by_position, drafts),
        conditional_by_position=_conditional(by_position, drafts),
        source=source,
    )


def _position_growth(
    before: tuple[float, ...] | None, after: tuple[float, ...] | None
) -> tuple[float, ...] | None:
    if after is None:
        return None
    base = (before or ()) + (0.0,) * len(after)
    growth = tuple(a - b for a, b in zip(after, base, strict=False))
    return growth if all(g >= 0 for g in growth) else None


def _shares(
    counts: tuple[float, ...] | None, drafts: float
) -> tuple[float, ...] | None:
    if counts is None or drafts <= 0:
        return None
    return tuple(count / drafts for count in counts)


def _conditional(
    counts: tuple[float, ...] | None, drafts: float
) -> tuple[float | None, ...] | None:
    """Accepted at i given accepted at i-1; position 0 is given the draft itself."""
    if counts is None or drafts <= 0:
        return None
    given = (drafts, *counts[:-1])
    return tuple(
        count / base if base > 0 else None
        for count, base in zip(counts, given, strict=True)
    )
