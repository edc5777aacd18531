"""What the search is held against: the grid, and bisection as one would do it by
hand."""

from itertools import pairwise

from draws import ARM, LAUNCHES

from specbench.schema.cell import Condition
from specbench.schema.search import SearchEnd, SearchRound
from specbench.schema.sweep import BASELINE
from specbench.search.adaptive import SearchState
from specbench.search.overview import Aim
from specbench.search.stopping import finished
from specbench.search.view import CurveView, view_curves

OVER = SearchEnd((), ())
MOST_LAUNCHES = 12
"""Of each arm; bisection has no cap of its own."""
NEAR = 1.1
"""Neighbours within this factor are measured again instead of halved."""


def grid(state: SearchState) -> SearchRound | SearchEnd:
    """Every listed load in three launches."""
    if len(state.rounds) == LAUNCHES:
        return OVER
    return _round(
        state,
        [
            state.condition(curve, load)
            for curve in state.curves
            for load in state.listed(curve)
        ],
    )


def bisection(state: SearchState) -> SearchRound | SearchEnd:
    """Both ends and the middle; then always the middle between the two neighbours whose
    raw signs differ, one load a launch, and the nearer neighbour again where they are
    near. It stops as the search does, at the same interval of the same decision. For
    sweeps of one curve."""
    (curve,) = state.curves
    view = view_curves(state).get(curve)
    listed = state.listed(curve)
    if view is None:
        loads = [listed[0], listed[len(listed) // 2], listed[-1]]
        return _round(state, [state.condition(curve, load) for load in loads])
    aim = Aim(listed, False, True, state.spec.search.precision)
    if finished(aim, view, LAUNCHES) or len(state.rounds) >= MOST_LAUNCHES:
        return OVER
    return _round(state, [state.condition(curve, _half_way(view))])


def _half_way(view: CurveView) -> float:
    points = list(zip(view.loads, view.noisy.values, strict=True))
    for (low, before), (high, after) in pairwise(points):
        if (before >= 0) != (after >= 0):
            middle = float(round((low * high) ** 0.5))
            if low < middle < high and high / low > NEAR:
                return middle
            return low if abs(before) < abs(after) else high
    return min(points, key=lambda point: abs(point[1]))[0]


def _round(state: SearchState, conditions: list[Condition]) -> SearchRound:
    cells = tuple(sorted(conditions))
    return SearchRound(len(state.rounds) + 1, {BASELINE: cells, ARM: cells}, "")
