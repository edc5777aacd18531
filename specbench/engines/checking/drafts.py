"""Acceptance on the metrics pages, and what it must agree with: a count of accepted
tokens is a sum over positions, and no more is accepted than was proposed."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from specbench.engines.checking.captures import ArmCapture
from specbench.engines.checking.metrics import PageReading, falls
from specbench.engines.checking.verdicts import CheckedItem, Verdict, number
from specbench.schema.snapshot import EngineCounters

ITEM = "acceptance counters"


def check_draft_counters(
    arm: ArmCapture, readings: Sequence[PageReading], *, by_request: bool
) -> Iterator[CheckedItem]:
    """`by_request`: whether the streams tell what became of their drafts."""
    if not readings:
        return
    verdict, said = _judge(arm, [r.counters for r in readings], by_request=by_request)
    names = ", ".join(reading.name for reading in readings)
    yield CheckedItem(arm.name, ITEM, verdict, said, arm.place(names))
    for reading in readings:
        for broken in contradictions(reading.counters):
            yield CheckedItem(
                arm.name, ITEM, Verdict.WRONG, broken, arm.place(reading.name)
            )


def _judge(
    arm: ArmCapture, counters: Sequence[EngineCounters], *, by_request: bool
) -> tuple[Verdict, str]:
    said = [
        f"{name} {' → '.join(number(v) for v in values)}"
        for name, values in _by_name(counters)
        if any(value is not None for value in values)
    ]
    for name, values in _by_name(counters):
        known = [value for value in values if value is not None]
        if falls(known):
            return Verdict.WRONG, f"{'; '.join(said)}; {name} falls"
        if not arm.speculates and known and known[-1] > known[0]:
            return Verdict.WRONG, f"{'; '.join(said)}; but nothing drafts here"
    if not arm.speculates:
        return Verdict.OK, "; ".join(said) or "none, as nothing drafts here"
    if said:
        return Verdict.OK, "; ".join(said)
    if by_request:
        return Verdict.UNSAID, "acceptance then comes from the requests alone"
    return Verdict.MISSING, "nothing, and the streams do not tell either"


def _by_name(
    counters: Sequence[EngineCounters],
) -> Iterator[tuple[str, list[float | None]]]:
    yield "drafts", [one.drafts for one in counters]
    yield "draft tokens", [one.draft_tokens for one in counters]
    yield "accepted", [one.accepted_tokens for one in counters]
    yield "verify calls", [one.verify_calls for one in counters]


def contradictions(counters: EngineCounters) -> Iterator[str]:
    """What cannot be true of one page."""
    accepted, proposed = counters.accepted_tokens, counters.draft_tokens
    positions = counters.accepted_by_position
    if accepted is not None and proposed is not None and accepted > proposed:
        yield f"{number(accepted)} accepted of {number(proposed)} proposed"
    if positions is None:
        return
    listed = ", ".join(number(value) for value in positions)
    if accepted is not None and sum(positions) != accepted:
        yield f"by position [{listed}] is not {number(accepted)} accepted"
    if any(b > a for a, b in pairwise(positions)):
        yield f"by position [{listed}]: more accepted at a later position"
    if counters.drafts is not None and positions and positions[0] > counters.drafts:
        yield f"by position [{listed}]: more than {number(counters.drafts)} drafts"
