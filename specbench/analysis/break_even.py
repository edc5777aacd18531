"""Where an arm stops (or starts) paying, as a named outcome. There is no interval here:
a load counts for a side of 1 when all its launches are on it, and the crossing is
interpolated between raw means. The measured neighbours always stand beside it."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from specbench.schema.findings import (
    BreakEven,
    BreakEvenOutcome,
    SpeedupCurve,
    SpeedupPoint,
)
from specbench.stats.crossing import interpolate_log2, root_weight, sign_changes


@dataclass(frozen=True, slots=True)
class Measured:
    """A point that has a speedup."""

    point: SpeedupPoint
    log: float
    """Logarithm of the mean speedup."""
    is_agreed: bool
    """All launches are on one side of 1; a single launch agrees with itself."""


def find_break_even(curve: SpeedupCurve) -> BreakEven:
    """The outcome of one curve. Loads without a speedup are left out; loads at which
    the launches disagree take no side: noise at one load is not a crossing."""
    measured = [m for m in map(_measured, curve.points) if m is not None]
    agreed = [m for m in measured if m.is_agreed]
    outcome = _outcome(measured, agreed)
    below = above = None
    batch = concurrency = None
    if outcome in (BreakEvenOutcome.PAYS_UP_TO, BreakEvenOutcome.PAYS_FROM):
        left, right = _bracket(measured, agreed)
        below, above = left.point, right.point
        weight = root_weight(left.log, right.log)
        concurrency = interpolate_log2(
            below.condition.concurrency, above.condition.concurrency, weight
        )
        if below.running_batch and above.running_batch:
            batch = interpolate_log2(below.running_batch, above.running_batch, weight)
    slower = next((m.point for m in measured if m.log < 0), None)
    return BreakEven(
        curve=curve,
        outcome=outcome,
        batch=batch,
        concurrency=concurrency,
        below=below,
        above=above,
        first_slower_concurrency=slower.condition.concurrency if slower else None,
        note=_note(measured),
    )


def _measured(point: SpeedupPoint) -> Measured | None:
    speedup = point.speedup
    if speedup.value is None:
        return None
    low = speedup.value if speedup.low is None else speedup.low
    high = speedup.value if speedup.high is None else speedup.high
    return Measured(point, math.log(speedup.value), (low >= 1) == (high >= 1))


def _outcome(
    measured: Sequence[Measured], agreed: Sequence[Measured]
) -> BreakEvenOutcome:
    changes = sign_changes([m.log for m in agreed])
    if len(changes) > 1:
        return BreakEvenOutcome.SEVERAL
    if changes:
        if changes[0].is_downward:
            return BreakEvenOutcome.PAYS_UP_TO
        return BreakEvenOutcome.PAYS_FROM
    if not agreed or len(agreed) < len(measured):
        return BreakEvenOutcome.UNDECIDED
    if agreed[0].log >= 0:
        return BreakEvenOutcome.PAYS_EVERYWHERE
    return BreakEvenOutcome.NEVER_PAYS


def _bracket(
    measured: Sequence[Measured], agreed: Sequence[Measured]
) -> tuple[Measured, Measured]:
    """The two neighbouring means between which the sign changes, inside the stretch
    between the last load agreed on the one side and the first on the other."""
    change = sign_changes([m.log for m in agreed])[0]
    first = measured.index(agreed[change.left])
    last = measured.index(agreed[change.left + 1])
    stretch = measured[first : last + 1]
    left = sign_changes([m.log for m in stretch])[0].left
    return stretch[left], stretch[left + 1]


def _note(measured: Sequence[Measured]) -> str:
    """How firm the answer is, in words."""
    if not measured:
        return "no load has a speedup: see the findings"
    launches = sorted({m.point.speedup.n for m in measured})
    count = "/".join(str(n) for n in launches)
    each = "launch" if count == "1" else "launches"
    words = [f"from raw means over {count} {each} of each arm, without an interval"]
    unsure = [str(m.point.condition.concurrency) for m in measured if not m.is_agreed]
    if unsure:
        words.append(
            f"at concurrency {', '.join(unsure)} the launches are on both sides of 1:"
            " more launches would tell"
        )
    return "; ".join(words)
