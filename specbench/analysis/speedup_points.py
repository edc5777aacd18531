"""The speedup at each load, with interval, spread and side, or why there is none."""

import math
from collections.abc import Sequence

from specbench.analysis.frame import CurveFrame, LoadFrame, Table
from specbench.analysis.sides import side_of
from specbench.schema.comparison import Side, SpeedupPoint
from specbench.schema.estimate import CONFIDENCE, Estimate, Interval, absent
from specbench.stats.noisy_curve import NoisyCurve, Reading

TAIL = (1 - CONFIDENCE) / 2


def measured_point(
    frame: CurveFrame,
    load: LoadFrame,
    curve: NoisyCurve,
    place: int,
    tables: tuple[Table, Table],
) -> SpeedupPoint:
    """The point at one place of the curve; `tables` hold baseline and arm at its
    places."""
    value = math.exp(curve.values[place])
    ratios = [
        math.exp(above - below)
        for base_row, arm_row in zip(*tables, strict=False)
        if (above := arm_row[place]) is not None
        and (below := base_row[place]) is not None
    ]
    interval = None
    if curve.has_variance:
        interval = _interval(curve.at(place))
    return SpeedupPoint(
        condition=load.condition,
        speedup=Estimate(
            value=value,
            # launches without a partner are in the value but in no ratio
            low=min((*ratios, value)),
            high=max((*ratios, value)),
            n=min(_figures(tables[0], place), _figures(tables[1], place)),
            interval=interval,
            no_interval=None if interval else why_no_interval(frame, tables),
        ),
        running_batch=load.running_batch,
        arm_running_batch=load.arm_running_batch,
        side=side_of(curve, place),
        need=load.need,
        only_arm_queues=load.only_arm_queues,
    )


def absent_point(load: LoadFrame) -> SpeedupPoint:
    """A load without a speedup."""
    return SpeedupPoint(
        condition=load.condition,
        speedup=absent(load.missing or "no cell was measured"),
        running_batch=load.running_batch,
        arm_running_batch=load.arm_running_batch,
        side=Side.UNKNOWN,
        need=load.need,
        only_arm_queues=load.only_arm_queues,
    )


def why_no_interval(frame: CurveFrame, tables: tuple[Table, Table]) -> str:
    """In words for people."""
    if frame.why_no_interval:
        return frame.why_no_interval
    few = [
        name
        for name, count in zip(("baseline", "arm"), count_rows(tables), strict=True)
        if count < 2
    ]
    if not few:
        return "the launches of an arm share no load, so that they cannot be compared"
    which = "each arm" if len(few) == 2 else f"the {few[0]}"
    return (
        f"one launch of {which}, and how much launches differ on this machine is not"
        " known (`--aa` measures it)"
    )


def count_rows(tables: Sequence[Table]) -> list[int]:
    """Rows of each table that have any figure."""
    return [
        sum(any(value is not None for value in row) for row in table)
        for table in tables
    ]


def _interval(reading: Reading) -> Interval:
    half = reading.half_width(TAIL)
    return Interval(math.exp(reading.value - half), math.exp(reading.value + half))


def _figures(table: Table, place: int) -> int:
    return sum(row[place] is not None for row in table)
