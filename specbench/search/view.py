"""One curve as the decision sees it: speedups at the measured loads, how sure each is,
and where it crosses 1."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from specbench.analysis.crossings import FAR_APART
from specbench.analysis.decide import decide, noisy_curve
from specbench.analysis.prior import find_prior
from specbench.analysis.sides import margin_of
from specbench.analysis.speedup import Comparison, find_comparisons
from specbench.analysis.speedup_points import count_rows
from specbench.schema.comparison import BreakEven, Crossing, NoiseRecord, Side
from specbench.schema.search import CurveName
from specbench.search.state import SearchState
from specbench.stats.crossing import interpolate_log2, root_weight, sign_changes
from specbench.stats.noisy_curve import NoisyCurve, Reading

MOST_CHANGES = 2
"""Changes of side that are looked at while nothing is known of the noise."""


@dataclass(frozen=True, slots=True)
class Spot:
    """Where a curve may cross 1: between two measured loads that are neighbours."""

    left: int
    """Index of the load below."""
    weight: float
    """Share of the way to the next one."""
    load: float
    crossing: Crossing | None
    """None = told from the raw signs."""


@dataclass(frozen=True, slots=True)
class CurveView:
    """A curve with at least one speedup."""

    answer: BreakEven
    noisy: NoisyCurve
    loads: tuple[float, ...]
    """Those with a speedup, rising."""
    sides: tuple[Side, ...]
    launches: int
    """Of the arm or of its baseline, whichever made fewer."""

    @property
    def spots(self) -> tuple[Spot, ...]:
        """By the decision's crossings, where there are any; else the clearest changes
        of the raw signs."""
        if self.noisy.has_variance and self.answer.crossings:
            return tuple(self._of_crossing(each) for each in self.answer.crossings)
        return self._raw_spots()

    def _of_crossing(self, crossing: Crossing) -> Spot:
        left = self.loads.index(crossing.below.condition.load)
        low, high = self.loads[left : left + 2]
        weight = math.log(crossing.concurrency / low) / math.log(high / low)
        return Spot(left, weight, crossing.concurrency, crossing)

    def _raw_spots(self) -> tuple[Spot, ...]:
        values = self.noisy.values

        def clearness(left: int) -> float:
            return min(abs(values[left]), abs(values[left + 1]))

        lefts = [change.left for change in sign_changes(values)]
        clearest = sorted(lefts, key=clearness, reverse=True)[:MOST_CHANGES]
        return tuple(self._raw_spot(left) for left in sorted(clearest))

    def _raw_spot(self, left: int) -> Spot:
        values = self.noisy.values
        weight = root_weight(values[left], values[left + 1])
        low, high = self.loads[left : left + 2]
        return Spot(left, weight, interpolate_log2(low, high, weight), None)

    def reading(self, spot: Spot) -> Reading:
        """The curve there, with its error and what interpolation may hide."""
        return self.noisy.at(spot.left, min(max(spot.weight, 0.0), 1.0))

    def steepness(self, spot: Spot) -> float:
        """Change of the log speedup over an octave, there."""
        x, values = self.noisy.x, self.noisy.values
        left = spot.left
        return abs((values[left + 1] - values[left]) / (x[left + 1] - x[left]))

    def bracket(self, spot: Spot) -> tuple[int, int]:
        """Indices of the nearest loads on both sides that are told from 1; an end of
        the curve where there is none."""
        told = [i for i, side in enumerate(self.sides) if side is not Side.OPEN]
        left = max((i for i in told if i <= spot.left), default=0)
        last = len(self.loads) - 1
        right = min((i for i in told if i > spot.left), default=last)
        return left, right

    def wide_gaps(self, spot: Spot) -> tuple[int, ...]:
        """Inside the bracket: loads after which the next one is too far for the curve
        between them to be known."""
        left, right = self.bracket(spot)
        x = self.noisy.x
        return tuple(i for i in range(left, right) if x[i + 1] - x[i] > FAR_APART)

    def count(self, place: int) -> int:
        """Launches behind a load, of the arm or of its baseline, whichever has
        fewer."""
        sides = (self.noisy.upper, self.noisy.lower)
        return min(len(side.members[place]) for side in sides)

    def margin(self, place: int) -> float:
        """How far beyond its test a load lies."""
        return margin_of(self.noisy, place)

    @property
    def open_places(self) -> tuple[int, ...]:
        """Loads that are not told from 1."""
        return tuple(i for i, side in enumerate(self.sides) if side is Side.OPEN)


def view_curves(state: SearchState) -> Mapping[CurveName, CurveView]:
    """Every curve that has a speedup at some load."""
    found = {}
    for comparison in find_comparisons(state.cells, (state.metric,)):
        view = _view(comparison, state.prior)
        if view.loads:
            frame = comparison.frame
            name = CurveName(frame.dataset, frame.context, frame.temperature, frame.arm)
            found[name] = view
    return found


def _view(comparison: Comparison, records: Sequence[NoiseRecord]) -> CurveView:
    frame, baseline, arm = comparison.frame, comparison.baseline, comparison.arm
    prior = find_prior(records, frame.target, frame.metric)
    curve, answer = decide(frame, baseline, arm, prior)
    points = [p for p in curve.points if p.side is not Side.UNKNOWN]
    return CurveView(
        answer=answer,
        noisy=noisy_curve(frame, baseline, arm, prior),
        loads=tuple(p.condition.load for p in points),
        sides=tuple(p.side for p in points),
        launches=min(count_rows((baseline, arm))),
    )
