"""Break-evens as a reader goes through them: the metrics of one arm under one condition
together, each with the measured loads that its answer rests on."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from specbench.report import words
from specbench.report.answer_words import told_loads
from specbench.report.places import measured_points
from specbench.schema.comparison import BreakEven, SpeedupPoint


@dataclass(frozen=True, slots=True)
class AnswerGroup:
    """The answers that share a title."""

    title: str
    answers: tuple[BreakEven, ...]

    def loads(self) -> tuple[str, ...]:
        """Which loads pay, lose and are open; said once where all say the same."""
        return self._said_once(told_loads)

    def notes(self) -> tuple[str, ...]:
        """How the answers were reached."""
        return self._said_once(lambda answer: answer.note)

    def next_steps(self) -> tuple[str, ...]:
        """What to measure next."""
        return self._said_once(lambda answer: answer.next_step)

    def _said_once(self, say: Callable[[BreakEven], str]) -> tuple[str, ...]:
        """A sentence for each metric; metrics of the same sentence share it."""
        metrics: dict[str, list[str]] = {}
        for answer in self.answers:
            if sentence := say(answer):
                name = words.metric(answer.curve.metric)
                metrics.setdefault(sentence, []).append(name)
        if [len(names) for names in metrics.values()] == [len(self.answers)]:
            return tuple(metrics)
        return tuple(
            f"{words.listed(m)}: {sentence}" for sentence, m in metrics.items()
        )


def group_answers(
    break_evens: Sequence[BreakEven], titles: Sequence[str]
) -> tuple[AnswerGroup, ...]:
    """Groups in the order of their first answer; `titles`: one for each break-even."""
    groups: dict[str, list[BreakEven]] = {}
    for answer, title in zip(break_evens, titles, strict=True):
        groups.setdefault(title, []).append(answer)
    return tuple(AnswerGroup(title, tuple(group)) for title, group in groups.items())


def neighbours(answer: BreakEven) -> tuple[SpeedupPoint, ...]:
    """Measured loads beside each crossing; the ends of the curve where there is
    none."""
    beside = [p for c in answer.crossings for p in (c.below, c.above)]
    points = measured_points(answer)
    if not beside:
        return points[:1] + points[1:][-1:]
    # a crossing on a measured load has it on both sides of the next bracket
    return tuple(dict.fromkeys(beside))


def is_slower(point: SpeedupPoint) -> bool:
    """Whether the arm is slower than its baseline at a measured load."""
    return point.speedup.value is not None and point.speedup.value < 1
