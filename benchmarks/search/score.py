"""What became of many sweeps that were made in one way: answers, intervals, seconds."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from machine import Run
from tally import SINGLE
from truth import Truth

from specbench.analysis.decide import decide
from specbench.analysis.speedup import find_comparisons
from specbench.schema.comparison import BreakEven, BreakEvenOutcome, SpeedupMetric
from specbench.search.stopping import half_width

ROUNDING = 1e-9


def answers_of(run: Run) -> list[BreakEven]:
    """One for each curve, as the product answers."""
    return [
        decide(each.frame, each.baseline, each.arm)[1]
        for each in find_comparisons(run.cells, (SpeedupMetric.THROUGHPUT,))
    ]


def widest_half(answer: BreakEven) -> float:
    """Half width of its crossing's interval; of several crossings the widest.
    Infinite where there is no interval to both sides."""
    return max((half_width(c.interval) for c in answer.crossings), default=math.inf)


@dataclass
class Score:
    """Sweeps of one curve at one noise, made in one way."""

    answers: int = 0
    outcomes: Counter[BreakEvenOutcome] = field(default_factory=Counter)
    covered: int = 0
    """Of the decided answers with one crossing, those whose interval holds the true
    one."""
    given: int = 0
    halves: list[float] = field(default_factory=list)
    """Of every answer."""
    cells: list[float] = field(default_factory=list)
    """Seconds of cells, as a share of the grid's in the same sweep."""
    totals: list[float] = field(default_factory=list)
    """The same with launches."""
    launches: list[int] = field(default_factory=list)
    """Of each arm."""
    reached: int = 0
    """Answers with an interval as narrow as was asked for."""

    def add(self, run: Run, grid: Run, truth: Truth, precision: float) -> None:
        """One sweep, beside the same sweep as a grid."""
        self.cells.append(run.seconds / grid.seconds)
        self.totals.append(run.total_s / grid.total_s)
        self.launches.append(run.launches // 2)
        for answer in answers_of(run):
            self._add_answer(answer, truth, precision)

    def _add_answer(self, answer: BreakEven, truth: Truth, precision: float) -> None:
        self.answers += 1
        self.outcomes[answer.outcome] += 1
        half = widest_half(answer)
        self.halves.append(half)
        is_decided = answer.outcome is not BreakEvenOutcome.UNDECIDED
        self.reached += is_decided and half <= precision * (1 + ROUNDING)
        if answer.outcome not in SINGLE or truth.crossing is None:
            return
        interval = answer.crossings[0].interval if answer.crossings else None
        if interval is not None:
            low, high = interval.low or 0.0, interval.high or math.inf
            self.given += 1
            self.covered += low <= truth.crossing.batch <= high

    def join(self, other: "Score") -> None:
        """More sweeps of the same kind."""
        self.answers += other.answers
        self.outcomes += other.outcomes
        self.covered += other.covered
        self.given += other.given
        self.halves += other.halves
        self.cells += other.cells
        self.totals += other.totals
        self.launches += other.launches
        self.reached += other.reached

    def share(self, outcomes: Sequence[BreakEvenOutcome]) -> float:
        """Of all answers."""
        return sum(self.outcomes[each] for each in outcomes) / self.answers

    @property
    def named_single(self) -> float:
        """Share of the answers that name one crossing."""
        return self.share(tuple(SINGLE))

    @property
    def coverage(self) -> float | None:
        """None without any interval."""
        return self.covered / self.given if self.given else None


def quantile(values: Sequence[float], share: float) -> float:
    """The value below which so many lie."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, math.floor(share * len(ordered)))]
