"""Which loads of a curve that has been seen as a whole the next launch should measure:
those near its crossing, where a cell tells most for its time, and those that are not
told from 1 where that leaves the answer open."""

import math

from specbench.analysis.crossings import CLEAR, FAR_APART
from specbench.schema.comparison import BreakEvenOutcome
from specbench.search.loads import load_between, middle, octaves
from specbench.search.overview import Aim, is_known
from specbench.search.view import CurveView, Spot

BIAS_SHARE = 0.25
"""Of the wanted half width: where what interpolation may hide takes more of it, a load
in between tells more than another launch of its neighbours."""
LIGHT = 0.15
"""A neighbour of the crossing that weighs less tells next to nothing of it."""
MOST_OPEN = 3
"""Loads without a side that one launch measures again, for each curve."""


def next_loads(aim: Aim, view: CurveView, per_launch: int, enough: int) -> list[float]:
    """Of a curve that has been seen as a whole, what matters most first. `per_launch`:
    how many neighbours of a crossing a launch should measure; `enough`: launches from
    which on its noise is known."""
    known = is_known(view, enough)
    chosen: list[float] = []
    for spot in view.spots:
        chosen += near(aim, view, spot, per_launch)
    if known or not view.spots:
        chosen += [view.loads[place] for place in nagging(view, known)]
    return list(dict.fromkeys(chosen))


def near(aim: Aim, view: CurveView, spot: Spot, per_launch: int) -> list[float]:
    """A new load at the crossing where its neighbours are too far apart, else the
    neighbours whose further launches take most off its variance."""
    flanks = heaviest_flanks(view, spot)
    new = new_loads(aim, view, spot)
    if new:
        # a measured load beside it ties this launch to the ones before
        return [*new, view.loads[flanks[0]]]
    return [view.loads[place] for place in flanks[:per_launch]]


def heaviest_flanks(view: CurveView, spot: Spot) -> list[int]:
    """The loads around a crossing, the one that makes most of its variance first."""
    weights = {spot.left: 1 - spot.weight, spot.left + 1: spot.weight}
    heavy = [p for p, weight in weights.items() if weight >= LIGHT]
    return sorted(heavy, key=lambda p: weights[p] ** 2 / view.count(p), reverse=True)


def new_loads(aim: Aim, view: CurveView, spot: Spot) -> list[float]:
    """Loads that were never measured: at the crossing, and in gaps of its bracket
    that are too wide for the curve inside them to be known."""
    loads = view.loads
    gaps = set(view.wide_gaps(spot))
    found = []
    if spot.left in gaps or bias_share(aim, view, spot) > BIAS_SHARE:
        low, high = loads[spot.left : spot.left + 2]
        new = load_between(spot.load, low, high, aim.is_open_loop)
        if new is not None:
            found.append(new)
            found += [
                wide
                for a, b in ((low, new), (new, high))
                if (wide := _inside(aim, a, b)) is not None
            ]
    for left in gaps - {spot.left}:
        wide = _inside(aim, *loads[left : left + 2])
        found += [] if wide is None else [wide]
    return found


def _inside(aim: Aim, low: float, high: float) -> float | None:
    """A load about half way in a gap that is too wide, a listed one where there is
    one; None where it is not too wide."""
    if octaves(low, high) <= FAR_APART:
        return None
    half = middle(low, high)
    listed = [load for load in aim.listed if low < load < high]
    if listed:
        return min(listed, key=lambda load: abs(math.log(load / half)))
    return load_between(half, low, high, aim.is_open_loop)


def bias_share(aim: Aim, view: CurveView, spot: Spot) -> float:
    """What interpolation may hide at a crossing, of the half width that is asked
    for."""
    height = view.steepness(spot) * math.log2(1 + aim.precision)
    bias = view.reading(spot).bias
    if height == 0:
        return math.inf if bias else 0.0
    return bias / height


def is_as_fine_as_loads_are(aim: Aim, view: CurveView, spot: Spot) -> bool:
    """Whether what is left to know of a crossing lies between two loads that are
    decided beyond doubt and between which there is no other."""
    low, high = view.loads[spot.left : spot.left + 2]
    return (
        min(view.margin(spot.left), view.margin(spot.left + 1)) >= CLEAR
        and not view.wide_gaps(spot)
        and bias_share(aim, view, spot) > 1
        and load_between(spot.load, low, high, aim.is_open_loop) is None
    )


def nagging(view: CurveView, known: bool) -> list[int]:
    """Loads whose side is open and matters, the nearest to being told first: inside
    the interval of a crossing, an end of a curve, or any where nothing crosses. While
    nothing is known of the noise: the nearest to 1, of a curve that seems not to cross
    it."""
    values = view.noisy.values
    if not known:
        return [min(range(len(values)), key=lambda place: abs(values[place]))]
    matters = set(necessary(view))
    for spot in view.spots:
        matters |= _inside_interval(view, spot)
        matters -= {spot.left, spot.left + 1}
    return sorted(matters, key=view.margin, reverse=True)[:MOST_OPEN]


def necessary(view: CurveView) -> list[int]:
    """Open loads without whose side there is no answer."""
    if view.answer.outcome is not BreakEvenOutcome.UNDECIDED:
        return []
    if view.spots and view.answer.crossings:
        ends = (0, len(view.loads) - 1)
        return [place for place in view.open_places if place in ends]
    return list(view.open_places)


def _inside_interval(view: CurveView, spot: Spot) -> set[int]:
    interval = spot.crossing.concurrency_interval if spot.crossing else None
    if interval is None:
        return set()
    low = interval.low if interval.low is not None else 0.0
    high = interval.high if interval.high is not None else math.inf
    return {p for p in view.open_places if low < view.loads[p] < high}
