"""What became of the drafts, from the growth of the engine's counters between two
readings; an average over the engine's life is never taken for a window's.

Engines count in two ways, and both come to one definition. vLLM (0.32.0) counts drafts,
draft tokens and accepted tokens:

    length = 1 + accepted / drafts

SGLang (0.5.23) counts verify passes and the tokens that decode steps gave, before a
stop cuts them. Each pass gives its accepted tokens and one of the target model's own,
so

    accepted = decoded - passes
    length = 1 + accepted / passes = decoded / passes

Passes are added when a request ends, decoded tokens at each step: the two belong to the
same requests only between idle edges. Where a step starts before the last one's result
is read (overlap scheduling, the default on a GPU), a request that has ended is in one
more: its tokens are counted and its pass is not. With R requests that ended

    length = decoded / (passes + R)

That was read in the source and not seen on a GPU. Two drafters have no figure by this
route: an adaptive one, whose passes without a draft are counted too, and UNO, each pass
of which gives two tokens of its own."""

from collections.abc import Sequence
from dataclasses import astuple, dataclass
from itertools import pairwise

from specbench.analysis.missing import Missing
from specbench.schema.acceptance import Acceptance
from specbench.schema.drafting import UNO, Drafter
from specbench.schema.snapshot import EngineCounters, EngineReading, Phase

NOT_EXPOSED = "the server reports no speculation counters"
NOT_READ = "the metrics page was not read at both edges"
NO_DRAFTS = "no drafts were made"
WENT_BACK = "a counter went backwards: the engine restarted within the cell"
ONLY_SOME = "the server exposes only some of the speculation counters"
UNEVEN = "the server counted fewer decoded tokens than verify passes"
OVERLAP_UNKNOWN = (
    "the server does not say whether its scheduling overlaps, so that decoded tokens"
    " may be of more passes than it counts"
)
PAUSES = (
    "the server counts the steps in which an adaptive drafter paused as verify passes"
)
TWO_OF_ITS_OWN = "each verify pass of UNO gives two tokens that are not drafted"


@dataclass(frozen=True, slots=True)
class DraftCounts:
    """Drafts added up; see Acceptance."""

    drafts: float
    draft_tokens: float | None
    accepted_tokens: float
    by_position: tuple[float, ...] | None = None
    """Accepted at each position."""


def describe_drafts(counts: DraftCounts, source: str) -> Acceptance:
    """The figures that follow from the counts."""
    drafts, proposed = counts.drafts, counts.draft_tokens
    accepted = counts.accepted_tokens
    return Acceptance(
        drafts=drafts,
        draft_tokens=proposed,
        accepted_tokens=accepted,
        rate=accepted / proposed if proposed else None,
        length=1 + accepted / drafts if drafts > 0 else None,
        by_position=_shares(counts.by_position, drafts),
        conditional_by_position=_conditional(counts.by_position, drafts),
        source=source,
    )


def acceptance_between(
    readings: Sequence[EngineReading],
    edges: tuple[Phase, Phase],
    source: str,
    drafter: Drafter | None = None,
) -> Acceptance | Missing:
    """Acceptance from one phase's reading to another's. `drafter` matters only where
    the engine counts verify passes."""
    seen = readable(readings)
    if not seen:
        return Missing(NOT_EXPOSED if readings else NOT_READ)
    first = next((r for r in seen if r.phase is edges[0]), None)
    last = next((r for r in seen if r.phase is edges[1]), None)
    if first is None or last is None:
        return Missing(f"{NOT_READ} ({source})")
    if drafts_counted(last.counters) is None:
        return Missing(NOT_EXPOSED)
    drafts = [
        drafts_counted(r.counters) or 0.0
        for r in seen
        if first.instant_ns <= r.instant_ns <= last.instant_ns
    ]
    if any(after < before for before, after in pairwise(drafts)):
        return Missing(WENT_BACK)
    counts = _growth(first.counters, last.counters, drafter)
    return counts if isinstance(counts, Missing) else describe_drafts(counts, source)


def drafts_counted(counters: EngineCounters) -> float | None:
    """Drafts so far, by whichever counter the engine has of them; None = none."""
    return counters.verify_calls if counters.drafts is None else counters.drafts


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


def _growth(
    before: EngineCounters, after: EngineCounters, drafter: Drafter | None
) -> DraftCounts | Missing:
    if after.drafts is None:
        return _growth_of_passes(before, after, drafter)
    if after.draft_tokens is None or after.accepted_tokens is None:
        return Missing(ONLY_SOME)
    drafts = counter_growth(before.drafts, after.drafts)
    proposed = counter_growth(before.draft_tokens, after.draft_tokens)
    accepted = counter_growth(before.accepted_tokens, after.accepted_tokens)
    if drafts is None or proposed is None or accepted is None:
        return Missing(WENT_BACK)
    by_position = _position_growth(
        before.accepted_by_position, after.accepted_by_position
    )
    return DraftCounts(drafts, proposed, accepted, by_position)


def _growth_of_passes(
    before: EngineCounters, after: EngineCounters, drafter: Drafter | None
) -> DraftCounts | Missing:
    """By verify passes and decoded tokens."""
    if after.decode_tokens is None:
        return Missing(ONLY_SOME)
    passes = counter_growth(before.verify_calls, after.verify_calls)
    decoded = counter_growth(before.decode_tokens, after.decode_tokens)
    if passes is None or decoded is None:
        return Missing(WENT_BACK)
    if passes == 0:
        return DraftCounts(0.0, None, 0.0)
    beyond = _ended_beyond(before, after, drafter)
    if isinstance(beyond, Missing):
        return beyond
    all_passes = passes + beyond
    if decoded < all_passes:
        return Missing(UNEVEN)
    return DraftCounts(passes, None, decoded * passes / all_passes - passes)


def _ended_beyond(
    before: EngineCounters, after: EngineCounters, drafter: Drafter | None
) -> float | Missing:
    """Passes of requests that had ended: not counted, though their tokens are."""
    if drafter is None:
        return Missing(OVERLAP_UNKNOWN)
    if drafter.method == UNO:
        return Missing(TWO_OF_ITS_OWN)
    if drafter.is_adaptive:
        return Missing(PAUSES)
    if drafter.is_overlapped is None:
        return Missing(OVERLAP_UNKNOWN)
    if not drafter.is_overlapped:
        return 0.0
    ended = counter_growth(before.requests_ended, after.requests_ended)
    return Missing(ONLY_SOME) if ended is None else ended


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
