"""Whether a curve needs no more launches, and why, in words with the figures behind
them."""

import math
from collections.abc import Callable

from specbench.analysis.crossings import CLEAR
from specbench.analysis.sides import MOST_DF, SIGN_TAIL
from specbench.schema.comparison import BreakEvenOutcome, Crossing
from specbench.schema.estimate import Interval
from specbench.schema.search import StopReason
from specbench.search.choice import is_as_fine_as_loads_are, necessary
from specbench.search.overview import Aim
from specbench.search.view import CurveView
from specbench.stats.students_t import t_quantile

SPARE_ERRORS = 1.0
"""Standard errors beyond its test at which a load is decided in five of six
repetitions."""

Stop = tuple[StopReason, str]


def half_width(interval: Interval | None) -> float:
    """Of an interval, as a share: it reaches from its middle (of the logarithms)
    divided by one more than that to its middle times the same. Infinite where there is
    none, or where an end is open."""
    if interval is None or not interval.low or interval.high is None:
        return math.inf
    return math.sqrt(interval.high / interval.low) - 1


def finished(aim: Aim, view: CurveView, enough: int) -> Stop | None:
    """Why no further launch is needed. `enough`: launches before which an interval is
    not believed, since too little is known of the noise."""
    if not view.noisy.has_variance:
        return None
    answer = view.answer
    if answer.outcome is BreakEvenOutcome.UNDECIDED:
        return None
    if not answer.crossings:
        return _without_crossing(view, enough)
    if view.launches < enough:
        return None
    return _with_crossings(aim, view)


def _without_crossing(view: CurveView, enough: int) -> Stop | None:
    """With fewer launches than usual only beyond any doubt."""
    surest = min(range(len(view.loads)), key=view.margin)
    if view.launches < enough and view.margin(surest) < CLEAR:
        return None
    speedup = math.exp(view.noisy.values[surest])
    return (
        StopReason.DECIDED,
        f"{view.answer.outcome.value}: the load nearest to 1, {view.loads[surest]:g},"
        f" has a speedup of {speedup:.4g} and is told from it",
    )


def _with_crossings(aim: Aim, view: CurveView) -> Stop | None:
    wide = [
        spot
        for spot in view.spots
        if spot.crossing is None or _half(spot.crossing) > aim.precision
    ]
    halves = [_half(crossing) for crossing in view.answer.crossings]
    if not wide:
        return (
            StopReason.PRECISE,
            f"{_of_them(len(halves))} known to within {max(halves):.1%} to either side;"
            f" {aim.precision:.1%} was asked for",
        )
    if all(is_as_fine_as_loads_are(aim, view, spot) for spot in wide):
        return (
            StopReason.DECIDED,
            f"{_of_them(len(halves))} known as far as there are loads: none lies"
            " between the two neighbours",
        )
    return None


def _of_them(count: int) -> str:
    return "the crossing is" if count == 1 else f"all {count} crossings are"


def _half(crossing: Crossing) -> float:
    return half_width(crossing.interval or crossing.concurrency_interval)


def hopeless(
    view: CurveView, affordable_s: float, pair_s: Callable[[float], float]
) -> Stop | None:
    """Where the open loads that an answer needs would take more than may be spent, if
    the noise stays as it is. `pair_s`: seconds of a load's cells in both arms."""
    needed = {place: _launches_to_decide(view, place) for place in necessary(view)}
    if not needed:
        return None
    seconds = math.fsum(
        (launches - view.count(place)) * pair_s(view.loads[place])
        for place, launches in needed.items()
    )
    if seconds <= affordable_s:
        return None
    loads = ", ".join(f"{view.loads[place]:g}" for place in needed)
    return (
        StopReason.HOPELESS,
        f"at load {loads} the arm is too near to its baseline: to tell them apart"
        " would take more launches than the grid's cost allows",
    )


def _launches_to_decide(view: CurveView, place: int) -> int:
    """Of a load, at which its side is told in most repetitions, were its speedup one
    standard error further from 1 than it looks: a load that was measured once may look
    near by chance. The error falls with the root of the launches."""
    reading, count = view.noisy.at(place), view.count(place)
    if reading.error == 0:
        return count + 1
    limit = (t_quantile(SIGN_TAIL, MOST_DF) + SPARE_ERRORS) * reading.error
    needed = count * (limit / (abs(reading.value) + reading.error)) ** 2
    return max(count + 1, math.ceil(needed))


def fell_short(view: CurveView | None, reason: StopReason) -> str:
    """Of a curve whose search ends before its aim: why, and what it came to."""
    spent = {
        StopReason.BUDGET: "the budget has no room for another launch",
        StopReason.GRID_COST: "another launch could cost more than the whole grid",
    }[reason]
    if view is None:
        return f"{spent}; no load has a speedup"
    half = max(
        (_half(crossing) for crossing in view.answer.crossings), default=math.inf
    )
    if math.isinf(half):
        return f"{spent}; so far: {view.answer.outcome.value}"
    return (
        f"{spent}; so far: {view.answer.outcome.value}, known to within {half:.1%} to"
        " either side"
    )
