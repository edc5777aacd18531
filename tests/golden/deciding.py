"""The named answer of a synthetic curve by the simplest rules there are: sides as its
points say them, crossings on straight lines, an interval where those of the points hold
1."""

import math
from collections.abc import Sequence
from itertools import pairwise

from specbench.schema.comparison import (
    Axis,
    BreakEven,
    BreakEvenOutcome,
    Crossing,
    Side,
    SpeedupCurve,
    SpeedupPoint,
)
from specbench.schema.estimate import Interval

OUTCOMES = {
    (Side.PAYS,): BreakEvenOutcome.PAYS_EVERYWHERE,
    (Side.LOSES,): BreakEvenOutcome.NEVER_PAYS,
    (Side.PAYS, Side.LOSES): BreakEvenOutcome.PAYS_UP_TO,
    (Side.LOSES, Side.PAYS): BreakEvenOutcome.PAYS_FROM,
}


def answer(curve: SpeedupCurve, answers: int = 1) -> BreakEven:
    """The named outcome of a curve, from the sides of its points."""
    points = tuple(p for p in curve.points if p.speedup.value is not None)
    told = [p.side for p in points if p.side is not Side.OPEN]
    turns = [side for i, side in enumerate(told) if i == 0 or told[i - 1] is not side]
    inside = _between(points)
    is_open = any(p.side is Side.OPEN for p in points if p not in inside)
    outcome = OUTCOMES.get(tuple(turns), BreakEvenOutcome.SEVERAL)
    if is_open or not turns:
        outcome = BreakEvenOutcome.UNDECIDED
    found = tuple(
        crossing(points, place, answers)
        for place, (a, b) in enumerate(pairwise(points))
        if (_log(a) > 0) is not (_log(b) > 0)
    )
    slower = [p.condition.concurrency for p in points if _log(p) < 0]
    n = max((p.speedup.n for p in points), default=0)
    return BreakEven(
        curve=curve,
        outcome=outcome,
        axis=Axis.BATCH,
        crossings=found if turns[1:] or len(found) == 1 else (),
        capacity_from=None,
        first_slower_concurrency=slower[0] if slower else None,
        note=f"from {n} launches of each arm" if points else "no load has a speedup",
        next_step="measure more launches of each arm" if is_open else "",
    )


def crossing(points: Sequence[SpeedupPoint], place: int, answers: int = 1) -> Crossing:
    """Between a point and the next, with the interval of both."""
    below, above = points[place], points[place + 1]
    joint = 1.5 if answers > 1 else None
    weight = _log(below) / (_log(below) - _log(above))
    xs = [p.running_batch or 0.0 for p in points]
    loads = [float(p.condition.concurrency) for p in points]
    at = _between_logs(xs[place], xs[place + 1], weight)
    return Crossing(
        at=at or None,
        interval=_region(points, xs, 1.0) if at else None,
        joint_interval=_region(points, xs, joint) if at and joint else None,
        no_interval=below.speedup.no_interval,
        concurrency=_between_logs(loads[place], loads[place + 1], weight),
        concurrency_interval=_region(points, loads, 1.0),
        arm_batch=at or None,
        below=below,
        above=above,
        is_downward=_log(below) > 0,
    )


def around(value: float, half: float | None) -> Interval | None:
    """So many logs to both sides."""
    if half is None:
        return None
    return Interval(value * math.exp(-half), value * math.exp(half))


def _region(
    points: Sequence[SpeedupPoint], xs: Sequence[float], factor: float
) -> Interval | None:
    """From the first to the last place where the band, so many times as wide, holds
    1."""
    if any(p.speedup.interval is None for p in points):
        return None
    inside = []
    count = 200
    for i, (a, b) in enumerate(pairwise(points)):
        for step in range(count + 1):
            w = step / count
            middle = (1 - w) * _log(a) + w * _log(b)
            half = factor * ((1 - w) * _half(a) + w * _half(b))
            if abs(middle) <= half:
                inside.append((i, w))
    if not inside:
        return None
    ends = [_between_logs(xs[i], xs[i + 1], w) for i, w in (inside[0], inside[-1])]
    low = None if inside[0] == (0, 0.0) else ends[0]
    high = None if inside[-1] == (len(points) - 2, 1.0) else ends[1]
    return Interval(low, high)


def _between(points: Sequence[SpeedupPoint]) -> tuple[SpeedupPoint, ...]:
    """The open points between two of different sides."""
    told = [i for i, p in enumerate(points) if p.side is not Side.OPEN]
    for a, b in pairwise(told):
        if points[a].side is not points[b].side:
            return tuple(points[a + 1 : b])
    return ()


def _between_logs(low: float, high: float, weight: float) -> float:
    if low <= 0 or high <= 0:
        return 0.0
    return math.exp((1 - weight) * math.log(low) + weight * math.log(high))


def _log(point: SpeedupPoint) -> float:
    return math.log(point.speedup.value or 1.0)


def _half(point: SpeedupPoint) -> float:
    interval = point.speedup.interval
    assert interval
    assert interval.high
    return math.log(interval.high) - _log(point)
