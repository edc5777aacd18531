"""Where an arm stops (or starts) paying, as a named outcome. Decided from the signs
of the measured mean speedups alone: there is no interval here, and the note says so.
The two measured neighbours always stand beside the interpolated value."""

import math
from collections.abc import Sequence

from specbench.schema.findings import (
    BreakEven,
    BreakEvenOutcome,
    SpeedupCurve,
    SpeedupPoint,
)
from specbench.stats.crossing import (
    SignChange,
    interpolate_log2,
    root_weight,
    sign_changes,
)

OVERLAP_NOTE = "at {loads} the launches do not agree which side of 1 the speedup is on"


def find_break_even(curve: SpeedupCurve) -> BreakEven:
    """The outcome of one curve. Loads without a speedup are left out."""
    points = [p for p in curve.points if p.speedup.value is not None]
    logs = [math.log(_value(p)) for p in points]
    slower = next((p for p in points if _value(p) < 1), None)
    changes = sign_changes(logs)
    outcome = _outcome(logs, changes)
    below = above = None
    batch = concurrency = None
    if outcome in (BreakEvenOutcome.PAYS_UP_TO, BreakEvenOutcome.PAYS_FROM):
        left = changes[0].left
        below, above = points[left], points[left + 1]
        weight = root_weight(logs[left], logs[left + 1])
        concurrency = interpolate_log2(
            below.condition.concurrency, above.condition.concurrency, weight
        )
        if below.running_batch and above.running_batch:
            batch = interpolate_log2(below.running_batch, above.running_batch, weight)
    return BreakEven(
        curve=curve,
        outcome=outcome,
        batch=batch,
        concurrency=concurrency,
        below=below,
        above=above,
        first_slower_concurrency=slower.condition.concurrency if slower else None,
        note=_note(points),
    )


def _value(point: SpeedupPoint) -> float:
    assert point.speedup.value is not None
    return point.speedup.value


def _outcome(logs: Sequence[float], changes: Sequence[SignChange]) -> BreakEvenOutcome:
    if not logs:
        return BreakEvenOutcome.UNDECIDED
    if len(changes) > 1:
        return BreakEvenOutcome.SEVERAL
    if changes:
        if changes[0].is_downward:
            return BreakEvenOutcome.PAYS_UP_TO
        return BreakEvenOutcome.PAYS_FROM
    if logs[0] >= 0:
        return BreakEvenOutcome.PAYS_EVERYWHERE
    return BreakEvenOutcome.NEVER_PAYS


def _note(points: Sequence[SpeedupPoint]) -> str:
    """How firm the answer is, in words."""
    if not points:
        return "no load has a speedup: see the findings"
    launches = sorted({p.speedup.n for p in points})
    count = "/".join(str(n) for n in launches)
    words = [f"from raw means over {count} launches of each arm, without an interval"]
    unsure = [
        str(p.condition.concurrency)
        for p in points
        if p.speedup.low is not None
        and p.speedup.high is not None
        and p.speedup.low < 1 <= p.speedup.high
    ]
    if unsure:
        words.append(OVERLAP_NOTE.format(loads=", ".join(unsure)))
    return "; ".join(words)
