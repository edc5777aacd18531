"""One break-even of each outcome, axis and kind of interval, written down by hand: how
an answer looks does not hang on how it is found."""

from dataclasses import replace

from specbench.schema.cell import Condition
from specbench.schema.comparison import (
    Axis,
    BreakEven,
    BreakEvenOutcome,
    Crossing,
    Side,
    SpeedupCurve,
    SpeedupMetric,
    SpeedupPoint,
)
from specbench.schema.estimate import Estimate, Interval, absent
from tests.golden.comparing import ONE_LAUNCH
from tests.golden.deciding import around

SIDES = {"+": Side.PAYS, "-": Side.LOSES, "?": Side.OPEN}


def point(
    load: int, speedup: float | None, side: str = "+", half: float | None = 0.03
) -> SpeedupPoint:
    """One load; without `half` it has one launch and no interval."""
    condition = Condition("llama", "chat", 0, 0.0, load)
    if speedup is None:
        return SpeedupPoint(condition, absent("the arm's cells are void"), None, None)
    figure = Estimate(
        value=speedup,
        low=speedup * 0.98,
        high=speedup * 1.02,
        n=3 if half else 1,
        interval=around(speedup, half),
        no_interval=None if half else ONE_LAUNCH,
    )
    return SpeedupPoint(condition, figure, 0.98 * load, 0.95 * load, SIDES[side])


def curve(*points: SpeedupPoint) -> SpeedupCurve:
    """Of throughput."""
    return SpeedupCurve(
        "llama", "chat", 0, 0.0, "eagle3", SpeedupMetric.THROUGHPUT, points
    )


def crossed(
    below: SpeedupPoint,
    above: SpeedupPoint,
    at: float | None,
    interval: Interval | None,
    **changes: object,
) -> Crossing:
    """A crossing whose concurrency is a little above its batch."""
    falls = (below.speedup.value or 0) > (above.speedup.value or 0)
    made = Crossing(
        at=at,
        interval=interval,
        joint_interval=None,
        no_interval=None if interval else ONE_LAUNCH,
        concurrency=(at or 60.0) * 1.05,
        concurrency_interval=interval,
        arm_batch=at and at * 0.97,
        below=below,
        above=above,
        is_downward=falls,
    )
    return replace(made, **changes)  # type: ignore[arg-type]  # fields by name


def answer(
    outcome: BreakEvenOutcome,
    points: tuple[SpeedupPoint, ...],
    *crossings: Crossing,
    **changes: object,
) -> BreakEven:
    """On the running batch."""
    slower = [p.condition.concurrency for p in points if (p.speedup.value or 1.0) < 1]
    made = BreakEven(
        curve=curve(*points),
        outcome=outcome,
        axis=Axis.BATCH,
        crossings=crossings,
        capacity_from=None,
        first_slower_concurrency=slower[0] if slower else None,
        note="from 3 launches of each arm",
        next_step="",
    )
    return replace(made, **changes)  # type: ignore[arg-type]  # fields by name


FALLING = (point(32, 1.25), point(64, 1.01, "?"), point(128, 0.9, "-"))
SOME = (point(1, 1.3), point(4, 0.9, "-"), point(16, 1.1), point(64, 0.8, "-"))
CLOSED = Interval(55.2, 68.4)


def at_context(tokens: int, speedup: float, side: str) -> SpeedupPoint:
    """A load of a curve over contexts at concurrency 32."""
    made = point(32, speedup, side)
    return replace(made, condition=replace(made.condition, context=tokens))


def example_answers() -> dict[str, BreakEven]:
    """What it is about -> the break-even."""
    o = BreakEvenOutcome
    contexts = (at_context(4000, 0.9, "-"), at_context(32000, 1.4, "+"))
    joint = Interval(50.1, None)
    pays = crossed(*FALLING[1:], 61.3, CLOSED, joint_interval=joint)
    open_above = crossed(*FALLING[1:], 61.3, Interval(55.2, None))
    bare = tuple(point(load, s, half=None) for load, s in ((1, 1.4), (2, 1.2)))
    over_one = (*bare, point(4, 0.9, "-", None))
    unknown = tuple(replace(p, running_batch=None) for p in FALLING)
    open_loads = (point(1, 1.2), point(8, 1.01, "?"), point(64, 1.02, "?"))
    several = (
        crossed(*SOME[:2], 2.96, Interval(2.51, 3.52)),
        crossed(*SOME[1:3], 9.1, Interval(7.7, 10.6)),
        crossed(*SOME[2:], 33.1, Interval(26.4, 41.7)),
    )
    return {
        "pays up to": answer(o.PAYS_UP_TO, FALLING, pays),
        "open interval": answer(o.PAYS_UP_TO, FALLING, open_above),
        "one launch": answer(
            o.PAYS_UP_TO,
            over_one,
            crossed(over_one[1], over_one[2], 2.9, None),
            note=f"from 1 launch of each arm, by the raw signs: {ONE_LAUNCH}",
            next_step="measure more launches of each arm",
        ),
        "one launch, everywhere": answer(o.PAYS_EVERYWHERE, bare),
        "unknown batch": answer(
            o.PAYS_UP_TO,
            unknown,
            crossed(unknown[1], unknown[2], None, None, concurrency_interval=CLOSED),
        ),
        "concurrency": answer(
            o.PAYS_UP_TO,
            unknown,
            crossed(unknown[1], unknown[2], 61.3, CLOSED, arm_batch=None),
            axis=Axis.CONCURRENCY,
        ),
        "context": answer(
            o.PAYS_FROM,
            contexts,
            crossed(*contexts, 8213.4, Interval(7104.2, 9398.9), arm_batch=None),
            axis=Axis.CONTEXT,
        ),
        "everywhere": answer(o.PAYS_EVERYWHERE, (*FALLING[:1], point(256, 1.1))),
        "never": answer(o.NEVER_PAYS, (point(1, 0.9, "-"), point(8, 0.7, "-"))),
        "several": answer(o.SEVERAL, SOME, *several),
        "capacity": answer(o.LOSES_BY_CAPACITY, FALLING, pays, capacity_from=128),
        "undecided": answer(
            o.UNDECIDED,
            open_loads,
            crossed(*open_loads[1:], 10.0, Interval(3.1, 11.2)),
            next_step="about 9 launches of each arm would decide concurrency 8, 64",
        ),
        "undecided, open to both sides": answer(
            o.UNDECIDED,
            open_loads[1:],
            crossed(*open_loads[1:], 10.0, Interval(None, None)),
        ),
        "nothing": answer(o.UNDECIDED, (point(1, None),), note="no load has a speedup"),
    }
