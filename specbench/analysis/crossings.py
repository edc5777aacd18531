"""Where between two measured loads a curve crosses 1, with its interval: on the
axis, in concurrency (or rate), and on the arm's running batch."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from specbench.analysis.frame import LAUNCH
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
ENOUGH_LOADS = 3
FAR_APART = 1.1
"""Octaves between neighbours from which on an interval is their whole bracket, as it
is with fewer than ENOUGH_LOADS: measured bends say too little of so long a stretch. At
a factor of 2.5 an interval that trusts them covers 66 to 99 % of usual curves'
crossings, at a factor of 4 as little as 4 %."""
CLEAR = 1.5
"""A neighbour this many times beyond its test was not decided by luck. Where one is
nearer, chance has chosen which sweeps are decided at all, and the interval is credited
with the degrees of freedom between launches only."""


class _Search(NamedTuple):
    """Where a crossing is looked for, as indices of loads."""

    bracket: tuple[int, int]
    """Its decided neighbours; the whole curve where nothing is decided."""
    reach: tuple[int, int]
    """As far as the nearest other crossing; for the joint interval, for which the
    neighbours may not be decided."""
    most_df: float
    is_decided: bool


class Turn(NamedTuple):
    """Two loads with different sides and none between them that has one; indices of
    the points."""

    left: int
    right: int
    is_downward: bool


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
    replicate: str = LAUNCH
    """What is repeated: launches of this machine, or replicates of others."""
    axis_rises: bool = True
    """Whether the axis rises with the load, so that intervals can be read on it."""

    @property
    def replicates(self) -> str:
        """Several of them."""
        return "launches" if self.replicate == LAUNCH else f"{self.replicate}s"


def find_crossing(
    curve: SidedCurve, turn: Turn, reach: tuple[int, int] | None = None
) -> Crossing:
    """The crossing between two loads of different sides; those between them, of which
    nothing is told, are taken to fall (or rise) with it. `reach`: the loads between
    which it lies for sure, where there are other crossings beyond them."""
    left, right, is_downward = turn
    values = curve.noisy.values[left : right + 1]
    if is_downward:
        step, weight = falling_root(values)
    else:
        # backwards it falls; a value of exactly 0 stays on its side, which it would
        # not if the signs were turned
        from_right, beyond = falling_root(values[::-1])
        step, weight = len(values) - 2 - from_right, 1 - beyond
    is_clear = min(curve.margins[left], curve.margins[right]) >= CLEAR
    most_df = float("inf") if is_clear else curve.noisy.replicate_df
    reach = reach or (0, len(curve.points) - 1)
    place = Place(left + step, weight)
    search = _Search((left, right), reach, most_df, is_decided=True)
    return _crossing(curve, place, is_downward, search)


def possible_crossing(curve: SidedCurve) -> Crossing | None:
    """Where an undecided curve would cross, if its means change sides just once."""
    values = curve.noisy.values
    changes = sign_changes(values)
    if len(changes) != 1:
        return None
    left = changes[0].left
    place = Place(left, root_weight(values[left], values[left + 1]))
    everywhere = (0, len(values) - 1)
    search = _Search(everywhere, everywhere, float("inf"), is_decided=False)
    return _crossing(curve, place, changes[0].is_downward, search)


def _crossing(
    curve: SidedCurve,
    place: Place,
    is_downward: bool,
    search: _Search,
) -> Crossing:
    region = joint = None
    no_interval = None
    if curve.noisy.has_variance:
        region, joint = _regions(curve, place, search)
        if not curve.axis_rises:
            no_interval = (
                f"the {curve.axis.value} does not rise with the load, or is not known"
                " everywhere: see the interval on the concurrency"
            )
    else:
        no_interval = curve.points[0].speedup.no_interval
    at = _Reader(curve, lambda i: curve.places[i])
    concurrency = _Reader(curve, lambda i: curve.points[i].condition.load)
    where = concurrency.read(place)
    assert where is not None  # every load is above 0
    batch = _Reader(curve, lambda i: curve.points[i].running_batch)
    arm = _Reader(curve, lambda i: curve.points[i].arm_running_batch)
    return Crossing(
        at=at.read(place),
        interval=at.interval(region) if curve.axis_rises else None,
        joint_interval=at.interval(joint) if curve.axis_rises else None,
        no_interval=no_interval,
        concurrency=where,
        concurrency_interval=concurrency.interval(region),
        arm_batch=arm.read(place),
        below=curve.points[place.left],
        above=curve.points[place.left + 1],
        is_downward=is_downward,
        running_batch=batch.read(place),
    )


def _regions(
    curve: SidedCurve, place: Place, search: _Search
) -> tuple[ZeroRegion, ZeroRegion | None]:
    """The plain and the joint region, the joint one never narrower."""
    plain = zero_region(curve.noisy, TAIL, search.most_df, *search.bracket)
    # without noise and bend there is nothing around the crossing
    plain = plain or ZeroRegion(place, place)
    if search.is_decided:
        plain = _closed(plain, *search.bracket)
        if is_far_apart(curve, *search.bracket):
            left, right = search.bracket
            plain = ZeroRegion(Place(left, 0.0), Place(right - 1, 1.0))
    if curve.answers == 1:
        return plain, None
    wide = zero_region(
        curve.noisy, TAIL / curve.answers, search.most_df, *search.reach
    ) or ZeroRegion(place, place)
    first, last = search.reach
    inner = first > 0, last < len(curve.points) - 1
    wide = ZeroRegion(
        Place(first, 0.0) if wide.low is None and inner[0] else wide.low,
        Place(last - 1, 1.0) if wide.high is None and inner[1] else wide.high,
    )
    return plain, _hull(plain, wide)


def _closed(region: ZeroRegion, left: int, right: int) -> ZeroRegion:
    """The decided neighbours end it."""
    return ZeroRegion(
        region.low or Place(left, 0.0), region.high or Place(right - 1, 1.0)
    )


def _hull(one: ZeroRegion, other: ZeroRegion) -> ZeroRegion:
    lows, highs = (one.low, other.low), (one.high, other.high)
    return ZeroRegion(
        None if None in lows else min(p for p in lows if p),
        None if None in highs else max(p for p in highs if p),
    )


def is_far_apart(curve: SidedCurve, left: int, right: int) -> bool:
    """Whether the bends that were measured say too little of the curve between two
    loads."""
    x = curve.noisy.x
    widest = max(x[i + 1] - x[i] for i in range(left, right))
    return len(x) < ENOUGH_LOADS or widest > FAR_APART


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
