"""From the log figures of two arms to a speedup curve with intervals and its named
answer. The rules and their error rates are in docs/method.md."""

import itertools
import math
from collections.abc import Sequence

from specbench.analysis.break_even import name_outcome
from specbench.analysis.crossings import SidedCurve
from specbench.analysis.frame import CurveFrame, LoadFrame, Table
from specbench.analysis.prior import Prior, with_prior
from specbench.analysis.sides import margin_of
from specbench.analysis.speedup_points import (
    absent_point,
    measured_point,
)
from specbench.schema.comparison import Axis, BreakEven, SpeedupCurve
from specbench.stats.mean_squares import mean_squares
from specbench.stats.noisy_curve import NoisyCurve
from specbench.stats.replicated_means import replicated_means


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
    used = [j for j in range(len(frame.loads)) if _counts(frame, (baseline, arm), j)]
    tables = (_columns(baseline, used), _columns(arm, used))
    curve, words = _noisy_curve(frame, used, tables, prior)
    places = {j: place for place, j in enumerate(used)}
    points = tuple(
        measured_point(frame, load, curve, places[j], tables)
        if j in places
        else absent_point(load)
        for j, load in enumerate(frame.loads)
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
        places=tuple(_place(frame.loads[j]) for j in used),
        margins=tuple(margin_of(curve, place) for place in range(len(used))),
        words=words,
        answers=answers,
        replicate=frame.replicate,
        axis_rises=_axis_rises(frame, used),
    )
    return speedups, name_outcome(sided, speedups)


def noisy_curve(
    frame: CurveFrame, baseline: Table, arm: Table, prior: Prior | None = None
) -> NoisyCurve:
    """The curve over the loads that have a speedup, as a decision sees it."""
    used = [j for j in range(len(frame.loads)) if _counts(frame, (baseline, arm), j)]
    tables = (_columns(baseline, used), _columns(arm, used))
    return _noisy_curve(frame, used, tables, prior)[0]


def _counts(frame: CurveFrame, tables: tuple[Table, Table], j: int) -> bool:
    """Whether a load has a speedup and a place. Loads can be put in order by their
    concurrency, contexts only by themselves."""
    load = frame.loads[j]
    has_place = _place(load) is not None or frame.axis is not Axis.CONTEXT
    return (
        load.missing is None
        and has_place
        and all(any(row[j] is not None for row in table) for table in tables)
    )


def _columns(table: Table, used: Sequence[int]) -> Table:
    return tuple(tuple(row[j] for j in used) for row in table)


def _noisy_curve(
    frame: CurveFrame,
    used: Sequence[int],
    tables: tuple[Table, Table],
    prior: Prior | None,
) -> tuple[NoisyCurve, str]:
    """The curve over the loads that have a speedup, and in words what its uncertainty
    rests on."""
    squares = [mean_squares(table) for table in tables]
    words = _count_words(frame, tables)
    if prior is not None:
        joined = [
            with_prior(own, known)
            for own, known in zip(squares, (prior.baseline, prior.arm), strict=True)
        ]
        squares = [one for one, _ in joined]
        if any(was for _, was in joined):
            words += f", with the launch noise of {prior.source}"
    lower, upper = (
        replicated_means(table, one) for table, one in zip(tables, squares, strict=True)
    )
    geometry, steps = _geometry(frame, used), _arrivals(frame, used)
    return NoisyCurve(geometry, upper, lower, steps), words


def _arrivals(frame: CurveFrame, used: Sequence[int]) -> tuple[int, ...]:
    """Between two measured rates other numbers of requests would arrive, in a pattern
    that nobody has measured. Constant arrivals, which do not wander, are not told from
    Poisson ones here."""
    known = [frame.loads[j].arrivals for j in used]
    counts = tuple(count for count in known if count is not None)
    return counts if len(counts) == len(known) else ()


def _geometry(frame: CurveFrame, used: Sequence[int]) -> tuple[float, ...]:
    """log2 of the axis, on which log speedup is taken as linear. Where the axis does
    not rise with the load (a running batch at its cap), log2 of the concurrency."""
    if _axis_rises(frame, used):
        places = [x for j in used if (x := _place(frame.loads[j])) is not None]
    else:
        places = [frame.loads[j].condition.load for j in used]
    return tuple(map(math.log2, places))


def _axis_rises(frame: CurveFrame, used: Sequence[int]) -> bool:
    """Whether every load has a place on the axis, each beyond the last."""
    known = [x for j in used if (x := _place(frame.loads[j])) is not None]
    return len(known) == len(used) and all(a < b for a, b in itertools.pairwise(known))


def _place(load: LoadFrame) -> float | None:
    """On a log axis, where nothing lies at 0."""
    return load.x if load.x and load.x > 0 else None


def _count_words(frame: CurveFrame, tables: tuple[Table, Table]) -> str:
    """Rows behind the load that has the most, and where some load has fewer."""
    counts = [
        [
            sum(value is not None for value in column)
            for column in zip(*table, strict=True)
        ]
        for table in tables
    ]
    of_baseline, of_arm = (max(each, default=0) for each in counts)
    if of_baseline == of_arm:
        words = f"{frame.counted(of_arm)} of each arm"
    else:
        words = f"{frame.counted(of_baseline)} of the baseline and {of_arm} of the arm"
    fewest = min(itertools.chain(*counts), default=0)
    if fewest < min(of_baseline, of_arm):
        words += f", at some loads of {fewest} only"
    return words
