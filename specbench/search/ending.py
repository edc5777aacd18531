"""What the search left out, and why: every load of the sweep file that was measured in
fewer launches than a grid would have made."""

from collections.abc import Iterator

from specbench.schema.comparison import Side
from specbench.schema.search import CurveName, LeftOut
from specbench.schema.sweep import BASELINE
from specbench.search.overview import MOST_TRIES
from specbench.search.state import SearchState
from specbench.search.view import CurveView


def left_out(
    state: SearchState, curve: CurveName, view: CurveView | None
) -> Iterator[LeftOut]:
    """Of one curve, by rising load."""
    for load in state.listed(curve):
        launches = _launches(state, curve, load)
        if launches < state.spec.measure.replicates:
            yield LeftOut(curve, load, launches, _why(state, curve, view, load))


def _launches(state: SearchState, curve: CurveName, load: float) -> int:
    """In which it was measured, void cells left out."""
    condition = state.condition(curve, load)
    return len(
        {
            cell.key.replicate
            for cell in state.cells
            if cell.key.condition == condition
            and cell.key.arm == curve.arm
            and not cell.is_void
        }
    )


def _why(
    state: SearchState, curve: CurveName, view: CurveView | None, load: float
) -> str:
    for arm in (BASELINE, curve.arm):
        if arm in state.lost:
            return f"{arm} did not serve"
    if view is not None and load in view.loads:
        return _why_few(view, load)
    tries = state.tries(curve, load)
    if tries:
        chosen = "once" if tries == 1 else f"{tries} times"
        ended = "and is tried no more" if tries >= MOST_TRIES else "so far"
        return f"chosen {chosen}, gave no speedup {ended}"
    if state.is_single:
        return "one crossing is assumed, and this load cannot change where it lies"
    return "the search ended before it"


def _why_few(view: CurveView, load: float) -> str:
    """Of a load that has a speedup."""
    side = view.sides[view.loads.index(load)]
    if side is Side.OPEN:
        return "not told from 1; more launches of it were not worth their time"
    return f"the arm {side.value} there: more launches could not change that"
