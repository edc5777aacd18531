"""What is asked of a curve, and the few loads that show it as a whole: they guard
against a crossing that nobody looked for."""

from collections.abc import Sequence
from dataclasses import dataclass

from specbench.analysis.crossings import FAR_APART
from specbench.search.loads import coarse_loads, octaves
from specbench.search.view import CurveView

SINGLE_APART = 2.2
"""Octaves between coarse loads where a single crossing is known: it cannot hide
between two loads on the same side."""
ENOUGH_INNER = 3
"""Coarse loads without the ends, from which on these are left for later."""
MOST_TRIES = 2
"""Rounds in which a load without any speedup is tried."""
NEAR_END = 0.5
"""Octaves between a crossing and an outermost load that is to bracket it."""


@dataclass(frozen=True, slots=True)
class Aim:
    """What is asked of a curve."""

    listed: tuple[float, ...]
    """Loads of the sweep file that it can be measured at."""
    is_open_loop: bool
    is_single: bool
    """It crosses 1 once at most."""
    precision: float

    @property
    def coarse(self) -> tuple[float, ...]:
        """Loads that show the whole curve."""
        return coarse_loads(self.listed, SINGLE_APART if self.is_single else FAR_APART)

    @property
    def first(self) -> tuple[float, ...]:
        """Loads of the first launch: a single crossing between the inner ones needs no
        ends."""
        inner = self.coarse[1:-1]
        return inner if self.is_single and len(inner) >= ENOUGH_INNER else self.coarse


def unseen(
    aim: Aim, view: CurveView | None, given_up: Sequence[float], enough: int
) -> list[float]:
    """Coarse loads that must be measured before anything else can be said; `given_up`:
    those that gave no speedup and are tried no more; `enough`: launches from which on
    the noise of a curve is known."""
    known = (*(view.loads if view else ()), *given_up)
    missing = [load for load in aim.first if load not in known]
    if missing or view is None:
        return missing
    ends = [load for load in _ends(aim, view) if load not in known][:1]
    outside = [load for load in beyond(aim, view, enough) if load not in known]
    return list(dict.fromkeys((*ends, *outside)))


def _ends(aim: Aim, view: CurveView) -> list[float]:
    """Both ends of a curve without a crossing so far, the one first towards which it
    comes nearer to 1."""
    if view.spots:
        return []
    low, high = aim.coarse[0], aim.coarse[-1]
    values = view.noisy.values
    return [low, high] if abs(values[0]) < abs(values[-1]) else [high, low]


def is_known(view: CurveView, enough: int) -> bool:
    """Whether enough launches tell how much a curve varies."""
    return view.noisy.has_variance and view.launches >= enough


def beyond(aim: Aim, view: CurveView, enough: int) -> list[float]:
    """The next listed load outside those measured, on each side where the outermost one
    is not told from 1, or lies so near to a crossing that it will hardly be."""
    outer = (0, len(view.loads) - 1)
    near_end = {
        place
        for spot in view.spots
        for place in outer
        if octaves(*sorted((spot.load, view.loads[place]))) < NEAR_END
    }
    unsure = {*near_end, *(view.open_places if is_known(view, enough) else ())}
    found = []
    for place, outside in zip(outer, (_below, _above), strict=True):
        if place in unsure:
            found += outside(aim.listed, view.loads[place])[:1]
    return found


def _below(listed: Sequence[float], load: float) -> list[float]:
    return [each for each in reversed(listed) if each < load]


def _above(listed: Sequence[float], load: float) -> list[float]:
    return [each for each in listed if each > load]
