"""What to measure next, where that would tell more: said in numbers, so that it can be
weighed against its cost."""

import math
from collections.abc import Sequence

from specbench.analysis.crossings import FAR_APART, SidedCurve
from specbench.analysis.frame import LAUNCH
from specbench.analysis.sides import MOST_DF, SIGN_TAIL
from specbench.schema.comparison import (
    Axis,
    BreakEvenOutcome,
    Crossing,
    Side,
    SpeedupPoint,
)
from specbench.stats.students_t import t_quantile

MOST_LAUNCHES = 24
"""More launches of each arm than this are not a piece of advice."""
SPARE = 1.0
"""Standard errors beyond its test at which a load is decided in five of six
repetitions."""


def next_step(
    curve: SidedCurve, outcome: BreakEvenOutcome, crossings: Sequence[Crossing]
) -> str:
    """In words; empty where nothing obvious would help."""
    if not curve.points:
        return ""
    if not curve.noisy.has_variance and curve.replicate != LAUNCH:
        return ""
    if not curve.noisy.has_variance:
        return (
            "measure more launches of each arm (`measure.replicates`), or this"
            " machine's launch noise once (`--aa`)"
        )
    if outcome is BreakEvenOutcome.UNDECIDED:
        return _decide_open_loads(curve)
    if outcome is BreakEvenOutcome.PAYS_EVERYWHERE and curve.axis is not Axis.CONTEXT:
        last = _load(curve.points[-1], curve.axis)
        return f"to find where it stops, go beyond {_name(curve.axis)} {last:.10g}"
    return _narrow(curve, crossings)


def _decide_open_loads(curve: SidedCurve) -> str:
    """Launches that would decide the open loads, and the loads that none would."""
    needed: dict[str, int] = {}
    hopeless: list[str] = []
    for place, point in enumerate(curve.points):
        if point.side is not Side.OPEN:
            continue
        load = f"{_load(point, curve.axis):.10g}"
        launches = _launches_to_decide(curve, place)
        if launches is None:
            hopeless.append(load)
        else:
            needed[load] = launches
    words = []
    plural = curve.replicates
    where = _name(curve.axis)
    if needed:
        loads = ", ".join(needed)
        words.append(
            f"about {max(needed.values())} {plural} of each arm would decide {where}"
            f" {loads}, if the speedups stay as they are"
        )
    if hopeless:
        loads = ", ".join(hopeless)
        words.append(
            f"at {where} {loads} the arm is within the noise of its baseline: more"
            f" {plural} will hardly decide that"
        )
    return "; ".join(words)


def _launches_to_decide(curve: SidedCurve, place: int) -> int | None:
    """Launches of each arm at which the load is decided in most repetitions, if its
    speedup and the noise stay as they are; None = more than anyone would make. The
    error falls with the root of the launches, and the test gets easier with their
    degrees of freedom."""
    reading = curve.noisy.at(place)
    now = max(2, curve.points[place].speedup.n)
    if reading.error == 0:
        return None
    for launches in range(now + 1, MOST_LAUNCHES + 1):
        df = curve.noisy.replicate_df * (launches - 1) / (now - 1)
        distance = abs(reading.value) * math.sqrt(launches / now)
        limit = t_quantile(SIGN_TAIL, min(df, MOST_DF))
        if distance >= (limit + SPARE) * reading.error:
            return launches
    return None


def _narrow(curve: SidedCurve, crossings: Sequence[Crossing]) -> str:
    """A load inside the widest bracket."""
    axis = curve.axis
    brackets = [(_load(c.below, axis), _load(c.above, axis)) for c in crossings]
    # a context of 0 is "as the data set has them": there is no factor from it
    known = [(low, high) for low, high in brackets if low > 0]
    low, high = max(known, key=lambda ends: ends[1] / ends[0], default=(1, 1))
    if len(known) < len(brackets) or math.log2(high / low) <= FAR_APART:
        return ""
    middle = math.sqrt(low * high)
    # two digits, never an exponent
    between = f"{float(f'{middle:.2g}'):.10g}" if axis is Axis.RATE else f"{middle:.0f}"
    return (
        f"the crossing lies between {_name(axis)} {low:.10g} and {high:.10g},"
        f" which is far: measure {between} too"
    )


def _load(point: SpeedupPoint, axis: Axis) -> float:
    """What is set to another value from one point of the curve to the next."""
    return point.condition.context if axis is Axis.CONTEXT else point.condition.asked


def _name(axis: Axis) -> str:
    """What that is called."""
    names = {Axis.CONTEXT: "context", Axis.RATE: "request rate"}
    return names.get(axis, "concurrency")
