"""The named answer of a curve whose loads have their sides: it pays up to, from,
everywhere, never, several crossings, by capacity, or undecided. Crossings come with
intervals where anything is known of the noise; what is between two loads of which
nothing is told apart stays between them."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from specbench.analysis.advice import next_step
from specbench.analysis.crossings import (
    SidedCurve,
    Turn,
    find_crossing,
    possible_crossing,
)
from specbench.analysis.sides import least_told
from specbench.schema.comparison import (
    Axis,
    BreakEven,
    BreakEvenOutcome,
    Crossing,
    Side,
    SpeedupCurve,
    SpeedupPoint,
)
from specbench.stats.quantiles import median


@dataclass(frozen=True, slots=True)
class Verdict:
    """An outcome before it is put into words."""

    outcome: BreakEvenOutcome
    turns: tuple[Turn, ...]
    capacity_from: int | None = None


def name_outcome(evidence: SidedCurve, curve: SpeedupCurve) -> BreakEven:
    """The answer of one curve."""
    points = evidence.points
    verdict = judge([p.side for p in points], points)
    crossings: tuple[Crossing, ...]
    if verdict.outcome is BreakEvenOutcome.UNDECIDED:
        maybe = possible_crossing(evidence)
        crossings = (maybe,) if maybe else ()
    else:
        crossings = tuple(_find_crossings(evidence, verdict.turns))
    slower = next((p for p in points if (p.speedup.value or 1) < 1), None)
    return BreakEven(
        curve=curve,
        outcome=verdict.outcome,
        axis=evidence.axis,
        crossings=crossings,
        capacity_from=verdict.capacity_from,
        first_slower_concurrency=slower.condition.concurrency if slower else None,
        note=_note(evidence, verdict),
        next_step=next_step(evidence, verdict.outcome, crossings),
    )


def _find_crossings(evidence: SidedCurve, turns: Sequence[Turn]) -> Iterator[Crossing]:
    """Each crossing, looked for as far as its neighbours' nearest decided loads."""
    last = len(evidence.points) - 1
    for i, turn in enumerate(turns):
        before = turns[i - 1].right if i > 0 else 0
        after = turns[i + 1].left if i + 1 < len(turns) else last
        yield find_crossing(evidence, turn, (before, after))


def judge(sides: Sequence[Side], points: Sequence[SpeedupPoint]) -> Verdict:
    """The outcome from the sides alone.

    All on one side: everywhere or never. One change of side, and nothing undecided but
    between the last load before it and the first after it: it crosses there. More
    changes: several. Anything else is undecided.
    """
    told = [i for i, side in enumerate(sides) if side is not Side.OPEN]
    turns = tuple(
        Turn(a, b, sides[a] is Side.PAYS)
        for a, b in pairwise(told)
        if sides[a] is not sides[b]
    )
    if len(turns) > 1:
        return Verdict(BreakEvenOutcome.SEVERAL, turns)
    inside = range(turns[0].left + 1, turns[0].right) if turns else range(0)
    is_open = any(side is Side.OPEN and i not in inside for i, side in enumerate(sides))
    if is_open or not told:
        return Verdict(BreakEvenOutcome.UNDECIDED, ())
    if turns:
        return _one_turn(turns[0], points[turns[0].right])
    if sides[0] is Side.PAYS:
        return Verdict(BreakEvenOutcome.PAYS_EVERYWHERE, ())
    if points[0].only_arm_queues:
        concurrency = points[0].condition.concurrency
        return Verdict(BreakEvenOutcome.LOSES_BY_CAPACITY, (), concurrency)
    return Verdict(BreakEvenOutcome.NEVER_PAYS, ())


def _one_turn(turn: Turn, after: SpeedupPoint) -> Verdict:
    if not turn.is_downward:
        return Verdict(BreakEvenOutcome.PAYS_FROM, (turn,))
    if after.only_arm_queues:
        concurrency = after.condition.concurrency
        return Verdict(BreakEvenOutcome.LOSES_BY_CAPACITY, (turn,), concurrency)
    return Verdict(BreakEvenOutcome.PAYS_UP_TO, (turn,))


def _note(evidence: SidedCurve, verdict: Verdict) -> str:
    """What the answer rests on, and what limits it."""
    points = evidence.points
    if not points:
        return "no load has a speedup: see the findings"
    words = [f"from {evidence.words}"]
    if not evidence.noisy.has_variance:
        words[0] += (
            ", by the raw signs and without an interval:"
            f" {points[0].speedup.no_interval or 'nothing is known of the noise'}"
        )
    elif any(p.side is Side.OPEN for p in points):
        words.append(
            f"speedups nearer to 1 than about {_least_told(evidence)} are not told from"
            " it"
        )
    if verdict.turns:
        words.append(
            f"interpolated: log speedup linear in log2 of the {_scale(evidence)}"
        )
    for turn in verdict.turns:
        if turn.right - turn.left > 1:
            words.append("at least one crossing between the two decided neighbours")
            break
    return "; ".join(words)


def _scale(evidence: SidedCurve) -> str:
    return (evidence.axis if evidence.axis_rises else Axis.CONCURRENCY).value


def _least_told(evidence: SidedCurve) -> str:
    """The difference from 1 from which on a load has a side, in the middle of the
    loads."""
    noisy = evidence.noisy
    percent = 100 * math.expm1(
        median([least_told(noisy, place) for place in range(len(noisy.x))])
    )
    return f"{percent:.0f}%" if percent >= 10 else f"{percent:.2g}%"
