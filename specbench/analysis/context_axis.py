"""The same arm at several contexts: from which context on it pays at a given load, and
from which one its speedup grows with the load instead of falling. Two things (Sadhukhan
et al. 2024, "MagicDec", arXiv 2408.11049: past a critical context the KV cache makes
decoding memory-bound again, more so the larger the batch)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, zip_longest

from specbench.analysis.decide import noisy_curve
from specbench.analysis.frame import CurveFrame, Table
from specbench.analysis.prior import Prior
from specbench.analysis.sides import least_sure
from specbench.schema.comparison import Axis
from specbench.schema.context import (
    CriticalContext,
    CriticalOutcome,
    Direction,
    LoadTrend,
)
from specbench.stats.noisy_curve import ROUNDING

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
    for each load (concurrency, or request rate) that two or more contexts have, by
    rising load. Row n of all tables must be of the same launch, or of launches that
    have nothing to do with each other."""
    by_context = sorted(curves, key=lambda curve: curve.frame.context)
    loads = {load.condition.load for curve in curves for load in curve.frame.loads}
    made = (_at(by_context, load) for load in sorted(loads))
    return tuple(curve for curve in made if len(curve.frame.loads) > 1)


def _at(curves: Sequence[FramedTables], at: float) -> FramedTables:
    """The curve over contexts at one load."""
    there = [
        (curve, column)
        for curve in curves
        for column, load in enumerate(curve.frame.loads)
        if load.condition.load == at
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


def critical_context(
    curves: Sequence[FramedTables], prior: Prior | None = None
) -> CriticalContext:
    """Between the largest context at which speedup falls with the load and the
    smallest at which it grows. `curves` agree in all but the context."""
    by_context = sorted(curves, key=lambda curve: curve.frame.context)
    trends = tuple(
        trend for curve in by_context if (trend := load_trend(curve, prior)) is not None
    )
    if any(trend.error is not None for trend in trends):
        # a mere sign tells nothing where its neighbours are held to a test
        trends = tuple(
            t if t.error is not None else replace(t, direction=Direction.OPEN)
            for t in trends
        )
    outcome = _outcome([trend.direction for trend in trends])
    is_between = outcome is CriticalOutcome.BETWEEN
    falls, grows = (
        [t.context for t in trends if t.direction is direction]
        for direction in (Direction.FALLS, Direction.GROWS)
    )
    return CriticalContext(
        outcome=outcome,
        below=max(falls) if is_between else None,
        above=min(grows) if is_between else None,
        trends=trends,
    )


def load_trend(curve: FramedTables, prior: Prior | None = None) -> LoadTrend | None:
    """Slope of log speedup over log2 of the load by least squares: of the running
    batch where it is known everywhere, else of what was asked for. It is told from
    none by the test that tells a speedup from 1. None with fewer than two loads."""
    noisy = noisy_curve(curve.frame, curve.baseline, curve.arm, prior)
    slope = noisy.slope()
    if slope is None:
        return None
    limit = least_sure(noisy, slope) if noisy.has_variance else 0.0
    # without noise a slope of nothing but rounding is none
    value = slope.value if abs(slope.value) > ROUNDING else 0.0
    direction = Direction.GROWS if value > 0 else Direction.FALLS
    if noisy.has_variance and abs(value) <= limit:
        direction = Direction.OPEN
    return LoadTrend(
        context=curve.frame.context,
        slope=value,
        error=slope.error if noisy.has_variance else None,
        direction=direction,
    )


def _outcome(directions: Sequence[Direction]) -> CriticalOutcome:
    """What is open between falling and growing stays between them; at an end, or with
    nothing told, it leaves the outcome open."""
    told = [one for one in directions if one is not Direction.OPEN]
    changes = sum(a is not b for a, b in pairwise(told))
    if len(directions) < 2:
        return CriticalOutcome.UNKNOWN
    if changes > 1:
        return CriticalOutcome.SEVERAL
    is_open_at_an_end = Direction.OPEN in (directions[0], directions[-1])
    if not told or is_open_at_an_end or (changes == 0 and len(told) < len(directions)):
        return CriticalOutcome.UNDECIDED
    is_growing = told[-1] is Direction.GROWS
    if changes == 1:
        return CriticalOutcome.BETWEEN if is_growing else CriticalOutcome.REVERSED
    if is_growing:
        return CriticalOutcome.GROWS_EVERYWHERE
    return CriticalOutcome.FALLS_EVERYWHERE
