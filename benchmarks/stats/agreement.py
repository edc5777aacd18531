"""Whether the fast way may stand for the whole one: the same sweep made both ways, cell
by cell and in what is concluded of it."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from curves import Curve
from draws import Noise, Plan, Pool, draw, from_pool, simulated

from specbench.analysis.figures import figure_of
from specbench.analysis.run import conclude
from specbench.schema.comparison import CLOSED_LOOP, BreakEven, SpeedupMetric
from specbench.schema.findings import CellStats

FIGURES_AGREE = 1e-3
"""Largest difference of a log figure. Most differ by a rounding; but a request that is
sent as a step ends may, by a nanosecond, join the next step or the one after it."""
PLACES_AGREE = 0.01
"""Of a crossing or an end of its interval, as a share of the batch. The engine's gauge
is read at fixed times, so that a slower engine is read at other steps."""


@dataclass(frozen=True)
class Agreement:
    """Largest differences, over all sweeps that were made both ways."""

    sweeps: int
    cells: int
    figure: float
    """Of a log figure of any metric."""
    batch: float
    """Of a running batch, as a share."""
    place: float
    """Of a crossing or an end of its interval, as a share of the batch."""
    unlike: int
    """Answers with another outcome, other sides, or an interval on one way only."""

    @property
    def holds(self) -> bool:
        """Whether the two ways are the same but for what cannot be."""
        return (
            self.unlike == 0
            and self.figure <= FIGURES_AGREE
            and self.place <= PLACES_AGREE
        )


def compare_ways(
    curve: Curve, noise: Noise, number: int, plan: Plan, pool: Pool
) -> Agreement:
    """One sweep, both ways."""
    drawn = draw(curve, noise, number, plan)
    fast, whole = from_pool(drawn, pool), simulated(drawn)
    figures = [
        abs(_log(a, metric) - _log(b, metric))
        for a, b in zip(fast, whole, strict=True)
        for metric in CLOSED_LOOP
    ]
    batches = [
        abs(a.running_batch / b.running_batch - 1)
        for a, b in zip(fast, whole, strict=True)
        if a.running_batch and b.running_batch
    ]
    answers = zip(
        conclude(fast, ()).break_evens, conclude(whole, ()).break_evens, strict=True
    )
    places = [_place_difference(a, b) for a, b in answers]
    return Agreement(
        sweeps=1,
        cells=len(drawn),
        figure=max(figures),
        batch=max(batches, default=0.0),
        place=max((p for p in places if p is not None), default=0.0),
        unlike=sum(p is None for p in places),
    )


def join(found: Sequence[Agreement]) -> Agreement:
    """The worst of all."""
    return Agreement(
        sweeps=sum(a.sweeps for a in found),
        cells=sum(a.cells for a in found),
        figure=max((a.figure for a in found), default=0.0),
        batch=max((a.batch for a in found), default=0.0),
        place=max((a.place for a in found), default=0.0),
        unlike=sum(a.unlike for a in found),
    )


def _log(cell: CellStats, metric: SpeedupMetric) -> float:
    return math.log(figure_of(cell, metric) or math.nan)


def _place_difference(a: BreakEven, b: BreakEven) -> float | None:
    """None where the answers are not of the same kind."""
    sides = [[point.side for point in answer.curve.points] for answer in (a, b)]
    first, second = _places(a), _places(b)
    if a.outcome is not b.outcome or sides[0] != sides[1] or len(first) != len(second):
        return None
    if any((x is None) != (y is None) for x, y in zip(first, second, strict=True)):
        return None
    pairs = zip(first, second, strict=True)
    return max((abs(x / y - 1) for x, y in pairs if x and y), default=0.0)


def _places(answer: BreakEven) -> list[float | None]:
    found: list[float | None] = []
    for crossing in answer.crossings:
        interval = crossing.interval
        found.append(crossing.at)
        found += [interval.low, interval.high] if interval else [None, None]
    return found
