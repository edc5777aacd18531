"""From the log figures of two arms to a speedup curve with intervals and its named
answer. The rules and their error rates are in docs/method.md."""

import itertools
import math
from collections.abc import Sequence

from specbench.analysis.break_even import name_outcome
from specbench.analysis.crossings import SidedCurve
from specbench.analysis.frame import CurveFrame, LoadFrame, Table
from specbench.analysis.prior import Prior, with_prior
from specbench.analysis.sides import margin_of, side_of
from specbench.schema.comparison import (
    BreakEven,
    Side,
    SpeedupCurve,
    SpeedupPoint,
)
from specbench.schema.estimate import CONFIDENCE, Estimate, Interval, absent
from specbench.stats.mean_squares import mean_squares
from specbench.stats.noisy_curve import NoisyCurve, Reading
from specbench.stats.replicated_means import replicated_means

TAIL = (1 - CONFIDENCE) / 2


def decide(
    frame: CurveFrame,
    baseline: Table,
    arm: Table,
    prior: Prior | None = None,
    answers: int = 1,
) -> tuple[SpeedupCurve, BreakEven]:
    """Speedups with intervals at each load, and where they cross 1.

    `answers`: how many break-evens the run gives, for the joint interval.
    """
    used = [
        j
        for j in range(len(frame.loads))
        if _column(baseline, j) and _column(arm, j) and frame.loads[j].missing is None
    ]
    curve, words = _noisy_curve(frame, used, (baseline, arm), prior)
    sides = [side_of(curve, place) for place in range(len(used))]
    points = tuple(
        _point(frame.loads[j], curve, used.index(j), (baseline, arm), j, sides)
        if j in used
        else _absent_point(frame.loads[j])
        for j in range(len(frame.loads))
    )
    speedups = SpeedupCurve(
        target=frame.target,
        dataset=frame.dataset,
        context=frame.context,
        temperature=frame.temperature,
        arm=frame.arm,
        metric=frame.metric,
        points=points,
    )
    sided = SidedCurve(
        axis=frame.axis,
        noisy=curve,
        points=tuple(points[j] for j in used),
        places=tuple(frame.loads[j].x for j in used),
        margins=tuple(margin_of(curve, place) for place in range(len(used))),
        words=words,
        answers=answers,
    )
    return speedups, name_outcome(sided, speedups)


def _noisy_curve(
    frame: CurveFrame,
    used: Sequence[int],
    tables: tuple[Table, Table],
    prior: Prior | None,
) -> tuple[NoisyCurve, str]:
    """The curve over the loads that have a speedup, and in words what its uncertainty
    rests on."""
    rows = [tuple(tuple(row[j] for j in used) for row in table) for table in tables]
    squares = [mean_squares(table) for table in rows]
    words = _count_words(rows)
    if prior is not None:
        joined = [
            with_prior(own, known)
            for own, known in zip(squares, (prior.baseline, prior.arm), strict=True)
        ]
        squares = [one for one, _ in joined]
        if any(was for _, was in joined):
            words += f", with the launch noise of {prior.source}"
    lower, upper = (
        replicated_means(table, one) for table, one in zip(rows, squares, strict=True)
    )
    return NoisyCurve(_geometry(frame, used), upper, lower), words


def _geometry(frame: CurveFrame, used: Sequence[int]) -> tuple[float, ...]:
    """log2 of the axis, on which log speedup is taken as linear. Where the axis does
    not rise with the load (a running batch at its cap), log2 of the concurrency."""
    xs = [frame.loads[j].x for j in used]
    known = [x for x in xs if x is not None]
    rises = all(a < b for a, b in itertools.pairwise(known))
    if len(known) == len(xs) and rises:
        return tuple(math.log2(x) for x in known)
    return tuple(math.log2(frame.loads[j].condition.concurrency) for j in used)


def _point(
    load: LoadFrame,
    curve: NoisyCurve,
    place: int,
    tables: tuple[Table, Table],
    column: int,
    sides: Sequence[Side],
) -> SpeedupPoint:
    value = curve.values[place]
    ratios = [
        math.exp(above - below)
        for base_row, arm_row in zip(*tables, strict=False)
        if (above := arm_row[column]) is not None
        and (below := base_row[column]) is not None
    ]
    interval = None
    if curve.has_variance:
        interval = _interval(value, curve.at(place))
    middle = math.exp(value)
    return SpeedupPoint(
        condition=load.condition,
        speedup=Estimate(
            value=middle,
            low=min(ratios, default=middle),
            high=max(ratios, default=middle),
            n=min(_column(tables[0], column), _column(tables[1], column)),
            interval=interval,
            no_interval=None if interval else why_no_interval(tables),
        ),
        running_batch=load.running_batch,
        arm_running_batch=load.arm_running_batch,
        side=sides[place],
        need=load.need,
        only_arm_queues=load.only_arm_queues,
    )


def _interval(value: float, reading: Reading) -> Interval:
    half = reading.half_width(TAIL)
    return Interval(math.exp(value - half), math.exp(value + half))


def _absent_point(load: LoadFrame) -> SpeedupPoint:
    return SpeedupPoint(
        condition=load.condition,
        speedup=absent(load.missing or "no cell was measured"),
        running_batch=load.running_batch,
        arm_running_batch=load.arm_running_batch,
        side=Side.UNKNOWN,
        need=load.need,
        only_arm_queues=load.only_arm_queues,
    )


def why_no_interval(tables: tuple[Table, Table]) -> str:
    """In words for people."""
    few = [
        name
        for name, table in zip(("baseline", "arm"), tables, strict=True)
        if _launches(table) < 2
    ]
    if not few:
        return "the launches of an arm share no load, so that they cannot be compared"
    which = "each arm" if len(few) == 2 else f"the {few[0]}"
    return (
        f"one launch of {which}, and how much launches differ on this machine is not"
        " known (`--aa` measures it)"
    )


def _column(table: Table, column: int) -> int:
    """Launches that have a figure there."""
    return sum(row[column] is not None for row in table)


def _launches(table: Table) -> int:
    """Launches that have any figure."""
    return sum(any(value is not None for value in row) for row in table)


def _count_words(rows: Sequence[Table]) -> str:
    counts = [_launches(table) for table in rows]
    if len(set(counts)) == 1:
        each = "launch" if counts[0] == 1 else "launches"
        return f"{counts[0]} {each} of each arm"
    return f"{counts[0]} launches of the baseline and {counts[1]} of the arm"
