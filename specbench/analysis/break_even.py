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
    is_far_apart,
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
    capacity_from: float | None = None


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
    slower = next(
        (p for p in points if p.speedup.value is not None and p.speedup.value < 1), None
    )
    return BreakEven(
        curve=curve,
        outcome=verdict.outcome,
        axis=evidence.axis,
        crossings=crossings,
        capacity_from=verdict.capacity_from,
        first_slower_concurrency=slower.condition.asked if slower else None,
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

    All on one side: everywhere or never. One change of side, with the first and the
    last load decided: it crosses between the loads that are decided without a break
    from the left and those from the right. More changes: several. Anything else is
    undecided.
    """
    told = [i for i, side in enumerate(sides) if side is not Side.OPEN]
    changes = [(a, b) for a, b in pairwise(told) if sides[a] is not sides[b]]
    if len(changes) > 1:
        turns = tuple(Turn(a, b, sides[a] is Side.PAYS) for a, b in changes)
        return Verdict(BreakEvenOutcome.SEVERAL, turns)
    if not told or Side.OPEN in (sides[0], sides[-1]):
        return Verdict(BreakEvenOutcome.UNDECIDED, ())
    if changes:
        left = next(i for i, side in enumerate(sides) if side is not sides[0]) - 1
        right = len(sides) - next(
            i for i, side in enumerate(reversed(sides)) if side is not sides[-1]
        )
        turn = Turn(left, right, sides[0] is Side.PAYS)
        return _one_turn(turn, points[right])
    if Side.OPEN in sides:
        return Verdict(BreakEvenOutcome.UNDECIDED, ())
    return _one_side(sides[0], points[0])


def _one_side(side: Side, first: SpeedupPoint) -> Verdict:
    if side is Side.PAYS:
        return Verdict(BreakEvenOutcome.PAYS_EVERYWHERE, ())
    if first.only_arm_queues:
        return Verdict(BreakEvenOutcome.LOSES_BY_CAPACITY, (), first.condition.asked)
    return Verdict(BreakEvenOutcome.NEVER_PAYS, ())


def _one_turn(turn: Turn, after: SpeedupPoint) -> Verdict:
    if not turn.is_downward:
        return Verdict(BreakEvenOutcome.PAYS_FROM, (turn,))
    if after.only_arm_queues:
        load = after.condition.asked
        return Verdict(BreakEvenOutcome.LOSES_BY_CAPACITY, (turn,), load)
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
        if any(p.side is Side.OPEN for p in points):
            words.append("a speedup of exactly 1 takes no side")
    elif any(p.side is Side.OPEN for p in points):
        words.append(
            f"speedups between about {_least_told(evidence)} are not told from 1"
        )
    if evidence.noisy.has_variance and not any(
        evidence.noisy.at(place).error for place in range(len(points))
    ):
        words.append(
            f"the {evidence.replicates} agree to the last digit, which real ones never"
            " do: is one a copy of the other?"
        )
    if verdict.turns:
        words.append(
            f"interpolated: log speedup linear in log2 of the {_scale(evidence)}"
        )
        if evidence.noisy.has_variance and any(
            is_far_apart(evidence, turn.left, turn.right) for turn in verdict.turns
        ):
            words.append(
                "loads more than an octave apart do not show the curve between them:"
                " the interval is the whole bracket"
            )
    for turn in verdict.turns:
        if turn.right - turn.left > 1:
            words.append("at least one crossing between the two decided neighbours")
            break
    return "; ".join(words)


def _scale(evidence: SidedCurve) -> str:
    return (evidence.axis if evidence.axis_rises else Axis.CONCURRENCY).value


def _least_told(evidence: SidedCurve) -> str:
    """The speedups between which a load has no side, in the middle of the loads."""
    noisy = evidence.noisy
    distance = median([least_told(noisy, place) for place in range(len(noisy.x))])
    digits = 2 if distance > 0.02 else 4
    below, above = math.exp(-distance), math.exp(distance)
    return f"{below:.{digits}f} and {above:.{digits}f}"
