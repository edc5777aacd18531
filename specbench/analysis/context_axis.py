"""The same arm at several contexts: from which context on it pays at a given load, and
from which one its speedup grows with the load instead of falling. Two things (Sadhukhan
et al. 2024, "MagicDec", arXiv 2408.11049: past a critical context the KV cache makes
decoding memory-bound again, more so the larger the batch)."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, zip_longest

from specbench.analysis.frame import CurveFrame, Table
from specbench.schema.comparison import Axis, SpeedupCurve, SpeedupPoint
from specbench.schema.point import CriticalContext, CriticalOutcome, LoadTrend

AS_GIVEN = 0
"""Of a curve over contexts: it has none of its own."""


@dataclass(frozen=True, slots=True)
class FramedTables:
    """What a decision takes: a curve's loads, and the log figures of both arms."""

    frame: CurveFrame
    baseline: Table
    arm: Table


def over_contexts(curves: Sequence[FramedTables]) -> tuple[FramedTables, ...]:
    """Curves over the context from curves over the load that agree in all else: one
    for each concurrency that two or more contexts have, by rising concurrency. Row n
    of all tables must be of the same launch, or of launches that have nothing to do
    with each other."""
    by_context = sorted(curves, key=lambda curve: curve.frame.context)
    concurrencies = {
        load.condition.concurrency for curve in curves for load in curve.frame.loads
    }
    made = (_at(by_context, concurrency) for concurrency in sorted(concurrencies))
    return tuple(curve for curve in made if len(curve.frame.loads) > 1)


def _at(curves: Sequence[FramedTables], concurrency: int) -> FramedTables:
    """The curve over contexts at one concurrency."""
    there = [
        (curve, column)
        for curve in curves
        for column, load in enumerate(curve.frame.loads)
        if load.condition.concurrency == concurrency
    ]
    frame = replace(
        curves[0].frame,
        context=AS_GIVEN,
        axis=Axis.CONTEXT,
        loads=tuple(
            replace(curve.frame.loads[column], x=float(curve.frame.context))
            for curve, column in there
        ),
    )
    return FramedTables(
        frame=frame,
        baseline=_columns([(curve.baseline, column) for curve, column in there]),
        arm=_columns([(curve.arm, column) for curve, column in there]),
    )


def _columns(parts: Sequence[tuple[Table, int]]) -> Table:
    """A table of one column from each of several; None below a shorter one."""
    columns = [[row[column] for row in table] for table, column in parts]
    return tuple(zip_longest(*columns, fillvalue=None))


def critical_context(curves: Sequence[SpeedupCurve]) -> CriticalContext:
    """Between the largest context at which speedup does not grow with the load and the
    smallest at which it does. `curves` agree in all but the context; the trend is the
    sign of a slope, without a test."""
    by_context = sorted(curves, key=lambda curve: curve.context)
    trends = tuple(
        LoadTrend(curve.context, slope)
        for curve in by_context
        if (slope := load_slope(curve)) is not None
    )
    outcome = _outcome([trend.grows for trend in trends])
    is_between = outcome is CriticalOutcome.BETWEEN
    return CriticalContext(
        outcome=outcome,
        below=max(t.context for t in trends if not t.grows) if is_between else None,
        above=min(t.context for t in trends if t.grows) if is_between else None,
        trends=trends,
    )


def _outcome(grows: Sequence[bool]) -> CriticalOutcome:
    changes = sum(a is not b for a, b in pairwise(grows))
    if len(grows) < 2:
        return CriticalOutcome.UNKNOWN
    if changes > 1:
        return CriticalOutcome.SEVERAL
    if changes == 1:
        return CriticalOutcome.BETWEEN if grows[-1] else CriticalOutcome.REVERSED
    if grows[0]:
        return CriticalOutcome.GROWS_EVERYWHERE
    return CriticalOutcome.FALLS_EVERYWHERE


def load_slope(curve: SpeedupCurve) -> float | None:
    """Slope of log speedup over log2 of the load by least squares: of the running
    batch where it is known everywhere, else of the concurrency. None with fewer than
    two loads."""
    points = [point for point in curve.points if point.speedup.value]
    batches = [point.running_batch for point in points]
    known = [batch for batch in batches if batch]
    loads = known if len(known) == len(points) else list(map(_concurrency, points))
    xs = [math.log2(load) for load in loads]
    ys = [math.log(point.speedup.value or 1) for point in points]
    if len(set(xs)) < 2:
        return None
    middle, level = math.fsum(xs) / len(xs), math.fsum(ys) / len(ys)
    across = math.fsum((x - middle) ** 2 for x in xs)
    along = math.fsum((x - middle) * (y - level) for x, y in zip(xs, ys, strict=True))
    return along / across


def _concurrency(point: SpeedupPoint) -> float:
    return float(point.condition.concurrency)
