"""Where a noisy curve may be zero: the set of places at which zero is not ruled out,
after Fieller (1954, "Some Problems in Interval Estimation"), taken as one interval from
its first to its last point."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from specbench.stats.noisy_curve import NoisyCurve

SAMPLES = 16
"""Of each stretch between neighbours; between samples the edge is found by halving."""
_HALVINGS = 40


class Place(NamedTuple):
    """A point between two neighbouring places of a curve."""

    left: int
    """Index of the neighbour before it."""
    weight: float
    """Share of the way to the next one, 0..1."""


@dataclass(frozen=True, slots=True)
class ZeroRegion:
    """From the first to the last place at which zero is not ruled out."""

    low: Place | None
    """None = already at the first place of the curve that was looked at."""
    high: Place | None
    """None = still at the last."""


def zero_region(
    curve: NoisyCurve,
    tail: float,
    most_df: float = math.inf,
    first: int = 0,
    last: int | None = None,
) -> ZeroRegion | None:
    """The region between places `first` and `last`; None where zero is ruled out
    everywhere. `tail` is the chance of an error on each side; `most_df` limits the
    degrees of freedom that the variances are credited with."""
    last = len(curve.x) - 1 if last is None else last

    def may_be_zero(place: Place) -> bool:
        return curve.at(*place).chance_beyond(most_df) >= tail

    samples = _samples(curve, first, last)
    inside = [i for i, place in enumerate(samples) if may_be_zero(place)]
    if not inside:
        return None
    low, high = inside[0], inside[-1]
    return ZeroRegion(
        low=_edge(samples[low - 1], samples[low], may_be_zero) if low else None,
        high=_edge(samples[high + 1], samples[high], may_be_zero)
        if high < len(samples) - 1
        else None,
    )


def _samples(curve: NoisyCurve, first: int, last: int) -> list[Place]:
    """Evenly spaced places, and the curve's own zeros, which a narrow region lies
    around. The last place is written as the end of the stretch before it."""
    places = []
    values = curve.values
    for left in range(first, last):
        weights = {i / SAMPLES for i in range(SAMPLES)}
        a, b = values[left], values[left + 1]
        if (a >= 0) != (b >= 0):
            weights.add(a / (a - b))
        places += [Place(left, weight) for weight in sorted(weights)]
    places.append(Place(last - 1, 1.0) if last > first else Place(first, 0.0))
    return places


def _edge(outside: Place, inside: Place, test: Callable[[Place], bool]) -> Place:
    """The last place on the way from `inside` to `outside` that passes the test."""
    a, b = outside.left + outside.weight, inside.left + inside.weight
    left = min(outside.left, inside.left)
    for _ in range(_HALVINGS):
        middle = (a + b) / 2
        if test(Place(left, middle - left)):
            b = middle
        else:
            a = middle
    return Place(left, b - left)
