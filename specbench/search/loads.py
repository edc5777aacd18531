"""Places on the axis of the loads: the few that show a whole curve, and new ones
between two that were measured."""

import math
from collections.abc import Sequence

STEPS = 8
"""New loads stand on eighths of an octave, so that several launches, and several arms,
meet at the same ones."""
NO_NEARER = 1 / 16
"""Octaves from a measured load, within which another one tells nothing new."""
DIGITS = 3
"""Of a new request rate."""


def coarse_loads(listed: Sequence[float], widest: float) -> tuple[float, ...]:
    """Both ends, and as few between them as leave no gap wider than `widest` octaves,
    as far as the listed ones allow. `listed` rises."""
    kept = list(listed[:1])
    for here, beyond in zip(listed[1:], [*listed[2:], math.inf], strict=False):
        if octaves(kept[-1], beyond) > widest:
            kept.append(here)
    return tuple(kept)


def octaves(low: float, high: float) -> float:
    """Doublings from one load to another."""
    return math.log2(high / low)


def load_between(place: float, low: float, high: float, is_open: bool) -> float | None:
    """A load near `place` that lies clearly between its two neighbours: a whole number
    of requests in flight, or a rate of three digits. None where there is none."""
    on_step = 2 ** (round(STEPS * math.log2(place)) / STEPS)
    for wanted in (on_step, place):
        load = float(f"{wanted:.{DIGITS}g}") if is_open else float(round(wanted))
        if (
            low < load < high
            and min(octaves(low, load), octaves(load, high)) >= NO_NEARER
        ):
            return load
    return None


def middle(low: float, high: float) -> float:
    """Half way, in octaves."""
    return math.sqrt(low * high)
