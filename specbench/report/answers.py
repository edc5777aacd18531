"""Break-evens as a reader goes through them: the two metrics of one arm under one
condition together, each with the measured loads that its answer rests on."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from specbench.report import words
from specbench.report.facts import RunFacts
from specbench.report.naming import full_title
from specbench.schema.comparison import (
    BreakEven,
    BreakEvenOutcome,
    SpeedupCurve,
    SpeedupPoint,
)


@dataclass(frozen=True, slots=True)
class AnswerGroup:
    """The answers of one arm under one condition."""

    curve: SpeedupCurve
    """Of the first answer: names what all of them share."""
    answers: tuple[BreakEven, ...]

    def title(self, facts: RunFacts) -> str:
        """Arm, target, engine, data set, context, temperature."""
        return full_title(self.curve.arm, self.curve, facts)

    def notes(self) -> tuple[str, ...]:
        """How the answers were reached; said once where all say the same."""
        notes = dict.fromkeys(a.note for a in self.answers if a.note)
        if len(notes) == 1:
            return tuple(notes)
        return tuple(
            f"{words.metric(a.curve.metric)}: {a.note}" for a in self.answers if a.note
        )


def group_answers(break_evens: Sequence[BreakEven]) -> tuple[AnswerGroup, ...]:
    """Groups in the order of their first answer."""
    groups: dict[tuple[object, ...], list[BreakEven]] = {}
    for answer in break_evens:
        c = answer.curve
        place = (c.target, c.dataset, c.context, c.temperature, c.arm)
        groups.setdefault(place, []).append(answer)
    return tuple(AnswerGroup(g[0].curve, tuple(g)) for g in groups.values())


def measured_points(curve: SpeedupCurve) -> tuple[SpeedupPoint, ...]:
    """Loads that have a speedup."""
    return tuple(p for p in curve.points if p.speedup.value is not None)


def neighbours(answer: BreakEven) -> tuple[SpeedupPoint, ...]:
    """Measured loads beside the crossing; beside each crossing where there are
    several; the ends of the curve where there is none."""
    beside = tuple(p for p in (answer.below, answer.above) if p is not None)
    if beside:
        return beside
    points = measured_points(answer.curve)
    if answer.outcome is not BreakEvenOutcome.SEVERAL:
        return points[:1] + points[1:][-1:]
    turns = [(a, b) for a, b in pairwise(points) if is_slower(a) is not is_slower(b)]
    return tuple(dict.fromkeys(point for turn in turns for point in turn))


def is_slower(point: SpeedupPoint) -> bool:
    """Whether the arm is slower than its baseline at a measured load."""
    return point.speedup.value is not None and point.speedup.value < 1
