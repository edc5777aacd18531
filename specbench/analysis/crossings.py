"""Where between two measured loads a curve crosses 1, with its interval: on the
axis, in concurrency, and on the arm's running batch."""

from collections.abc import Callable
from dataclasses import dataclass

from specbench.schema.comparison import Axis, Crossing, SpeedupPoint
from specbench.schema.estimate import CONFIDENCE, Interval
from specbench.stats.crossing import (
    falling_root,
    interpolate_log2,
    root_weight,
    sign_changes,
)
from specbench.stats.noisy_curve import NoisyCurve
from specbench.stats.zero_region import Place, ZeroRegion, zero_region

TAIL = (1 - CONFIDENCE) / 2
CLEAR = 1.5
"""A neighbour this many times beyond its test was not decided by luck. Where one is
nearer, chance has chosen which sweeps are decided at all, and the interval is credited
with the degrees of freedom between launches only."""


@dataclass(frozen=True, slots=True)
class SidedCurve:
    """The loads of a curve that have a speedup, and what is known of its noise."""

    axis: Axis
    noisy: NoisyCurve
    points: tuple[SpeedupPoint, ...]
    places: tuple[float | None, ...]
    """Each load's place on the axis; None = unknown."""
    margins: tuple[float, ...]
    """How far beyond its test each load lies: 1 = just decided."""
    words: str
    """What the figures rest on."""
    answers: int
    """Break-evens that the run gives."""


def find_crossing(
    curve: SidedCurve, left: int, right: int, is_downward: bool
) -> Crossing:
    """The crossing between two loads of different sides; those between them, of which
    nothing is told, are taken to fall (or rise) with it."""
    values = curve.noisy.values[left : right + 1]
    step, weight = falling_root(values if is_downward else [-value for value in values])
    is_clear = min(curve.margins[left], curve.margins[right]) >= CLEAR
    most_df = float("inf") if is_clear else curve.noisy.replicate_df
    return _crossing(
        curve, Place(left + step, weight), is_downward, (left, right, most_df)
    )


def possible_crossing(curve: SidedCurve) -> Crossing | None:
    """Where an undecided curve would cross, if its means change sides just once."""
    values = curve.noisy.values
    changes = sign_changes(values)
    if len(changes) != 1:
        return None
    left = changes[0].left
    place = Place(left, root_weight(values[left], values[left + 1]))
    return _crossing(
        curve,
        place,
        changes[0].is_downward,
        (0, len(values) - 1, float("inf")),
    )


def _crossing(
    curve: SidedCurve,
    place: Place,
    is_downward: bool,
    search: tuple[int, int, float],
) -> Crossing:
    region = joint = None
    no_interval = None
    first, last, most_df = search
    if curve.noisy.has_variance:
        region = zero_region(curve.noisy, TAIL, most_df, first, last)
        if curve.answers > 1:
            # all loads: at its smaller tail the neighbours may not be told from 1
            joint = zero_region(curve.noisy, TAIL / curve.answers, most_df)
    else:
        no_interval = curve.points[0].speedup.no_interval
    at = _Reader(curve, lambda i: curve.places[i])
    concurrency = _Reader(curve, lambda i: float(curve.points[i].condition.concurrency))
    arm = _Reader(curve, lambda i: curve.points[i].arm_running_batch)
    return Crossing(
        at=at.read(place),
        interval=at.interval(region),
        joint_interval=at.interval(joint),
        no_interval=no_interval,
        concurrency=concurrency.read(place) or 0.0,
        concurrency_interval=concurrency.interval(region),
        arm_batch=arm.read(place),
        below=curve.points[place.left],
        above=curve.points[place.left + 1],
        is_downward=is_downward,
    )


@dataclass(frozen=True, slots=True)
class _Reader:
    """Reads a quantity of the loads at places between them, linear in its log2."""

    curve: SidedCurve
    of_load: Callable[[int], float | None]

    def read(self, place: Place) -> float | None:
        """None where a neighbour has none."""
        left = self.of_load(place.left)
        if place.weight == 0:
            return left
        right = self.of_load(place.left + 1)
        if not left or not right:
            return None
        return interpolate_log2(left, right, place.weight)

    def interval(self, region: ZeroRegion | None) -> Interval | None:
        if region is None:
            return None
        return Interval(
            low=self.read(region.low) if region.low else None,
            high=self.read(region.high) if region.high else None,
        )
