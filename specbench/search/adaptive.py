"""The adaptive search: what the next launches should measure, given all that is known.
Pure, and a function of the state alone: asked twice, it answers the same."""

from collections.abc import Mapping, Sequence

from specbench.schema.search import (
    CurveEnd,
    CurveName,
    SearchEnd,
    SearchRound,
    StopReason,
)
from specbench.schema.sweep import BASELINE
from specbench.search.choice import next_loads
from specbench.search.cost import Costs
from specbench.search.draft import RoundDraft
from specbench.search.ending import left_out
from specbench.search.overview import MOST_TRIES, Aim, unseen
from specbench.search.state import SearchState
from specbench.search.stopping import Stop, fell_short, finished, hopeless
from specbench.search.times import CellTimes
from specbench.search.view import CurveView, view_curves

__all__ = ["SearchState", "next_round"]

ENOUGH_LAUNCHES = 3
"""Launches of each arm, or as many as the grid would make, before which an interval is
not believed: it would stop the search where the spread is small by chance."""
MOST_ROUNDS = 24
"""Of launches, in any case, unless the grid would make more."""

Views = Mapping[CurveName, CurveView]


def next_round(state: SearchState) -> SearchRound | SearchEnd:
    """The next launch of each arm that still has an open curve, or the end."""
    views = view_curves(state)
    costs = Costs(state, CellTimes.of(state.cell_s))
    curves = [curve for curve in state.curves if state.listed(curve)]
    stops = {
        curve: stop
        for curve in curves
        if (stop := _stop(costs, curve, views.get(curve))) is not None
    }
    open_curves = [curve for curve in curves if curve not in stops]
    draft = RoundDraft(costs)
    for curve in open_curves:
        loads = _wanted(costs, curve, views.get(curve), len(open_curves))
        if not loads:
            stops[curve] = (StopReason.DECIDED, "no load could tell more of it")
        elif (reason := draft.add(curve, loads)) is not None:
            stops[curve] = (reason, fell_short(views.get(curve), reason))
    if not draft.curves:
        return _end(state, stops, views)
    return draft.round(len(state.rounds) + 1, _why(draft, views))


def _stop(costs: Costs, curve: CurveName, view: CurveView | None) -> Stop | None:
    """Why a curve needs nothing more, or can have nothing more."""
    state = costs.state
    lost = [arm for arm in (BASELINE, curve.arm) if arm in state.lost]
    if lost:
        return StopReason.LOST, f"{lost[0]} did not serve"
    aim, given_up = aim_of(state, curve), _given_up(state, curve, view)
    missing = unseen(aim, view, given_up, _enough(state))
    if view is None:
        if missing or not state.rounds:
            return _out_of_rounds(state, view)
        return StopReason.HOPELESS, "no load gave a speedup: see the findings"
    if not missing:
        stop = finished(aim, view, _enough(state))
        if stop is None and view.launches >= _enough(state):
            stop = hopeless(
                view, costs.left_of(curve), lambda load: costs.pair_s(curve, load)
            )
        if stop is not None:
            return stop[0], stop[1] + _without_figure(given_up)
    return _out_of_rounds(state, view)


def _without_figure(given_up: Sequence[float]) -> str:
    """The answer says nothing of loads whose cells are void."""
    if not given_up:
        return ""
    loads = ", ".join(f"{load:g}" for load in given_up)
    return f"; load {loads} gave no speedup: see the findings"


def _out_of_rounds(state: SearchState, view: CurveView | None) -> Stop | None:
    if len(state.rounds) < max(MOST_ROUNDS, state.spec.measure.replicates):
        return None
    return StopReason.GRID_COST, fell_short(view, StopReason.GRID_COST)


def aim_of(state: SearchState, curve: CurveName) -> Aim:
    """What the sweep file asks of a curve."""
    return Aim(
        listed=state.listed(curve),
        is_open_loop=state.spec.load.is_open,
        is_single=state.is_single,
        precision=state.spec.search.precision,
    )


def _given_up(
    state: SearchState, curve: CurveName, view: CurveView | None
) -> list[float]:
    known = view.loads if view else ()
    return [
        load
        for load in state.listed(curve)
        if load not in known and state.tries(curve, load) >= MOST_TRIES
    ]


def _enough(state: SearchState) -> int:
    return min(ENOUGH_LAUNCHES, state.spec.measure.replicates)


def _wanted(
    costs: Costs, curve: CurveName, view: CurveView | None, open_curves: int
) -> Sequence[float]:
    """Loads for the next launch: those that the whole curve lacks, and more of what is
    known of it already."""
    state = costs.state
    aim = aim_of(state, curve)
    missing = unseen(aim, view, _given_up(state, curve, view), _enough(state))
    if view is None:
        return missing
    launch_s = costs.startups_s(1 + len(state.arms)) / open_curves
    per_launch = neighbours_per_launch(launch_s, _cell_s(costs, curve, view))
    wanted = next_loads(aim, view, per_launch, _enough(state))
    return list(dict.fromkeys((*missing, *wanted)))


def neighbours_per_launch(launch_s: float, cell_s: float) -> int:
    """How many of the two neighbours of a crossing a launch should measure. With
    launches and cells that vary alike, n cells a launch leave a variance of 1 + 1 / n
    for launch_s + n cell_s seconds (Cochran 1977, "Sampling Techniques", 10.6): two
    tell more for their time where a launch costs more than two cells."""
    return 2 if launch_s > 2 * cell_s else 1


def _cell_s(costs: Costs, curve: CurveName, view: CurveView) -> float:
    """Of both arms, at the crossings of a curve; at its last load where there are
    none."""
    loads = [view.loads[spot.left] for spot in view.spots] or view.loads[-1:]
    return max(costs.pair_s(curve, load) for load in loads)


def _why(draft: RoundDraft, views: Views) -> str:
    """Of a round, for people."""
    first = sum(curve not in views for curve, _ in draft.curves)
    words = []
    if first:
        words.append(f"an overview of {_counted(first)}")
    places = [
        f"{float(f'{spot.load:.3g}'):.10g}"
        for curve, _ in draft.curves
        if curve in views
        for spot in views[curve].spots
    ]
    if places:
        words.append(f"near crossings at about {', '.join(dict.fromkeys(places))}")
    others = sum(c in views and not views[c].spots for c, _ in draft.curves)
    if others:
        words.append(f"loads nearest to 1 of {_counted(others)}")
    return "; ".join(words)


def _counted(curves: int) -> str:
    return "1 curve" if curves == 1 else f"{curves} curves"


def _end(
    state: SearchState, stops: Mapping[CurveName, Stop], views: Views
) -> SearchEnd:
    return SearchEnd(
        ends=tuple(
            CurveEnd(curve, *stops[curve]) for curve in state.curves if curve in stops
        ),
        left_out=tuple(
            each
            for curve in state.curves
            for each in left_out(state, curve, views.get(curve))
        ),
    )
