"""What became of many sweeps of one curve at one noise, counted for each metric."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median

from naive import naive_interval
from truth import Truth

from specbench.analysis.speedup import Comparison
from specbench.schema.comparison import (
    BreakEven,
    BreakEvenOutcome,
    Side,
    SpeedupMetric,
)

NUMBERS = frozenset(
    {
        BreakEvenOutcome.PAYS_UP_TO,
        BreakEvenOutcome.PAYS_FROM,
        BreakEvenOutcome.LOSES_BY_CAPACITY,
        BreakEvenOutcome.SEVERAL,
    }
)
"""Outcomes that come with a break-even batch."""
SINGLE = NUMBERS - {BreakEvenOutcome.SEVERAL}


@dataclass
class Tally:
    """Sweeps of one curve at one noise, by one metric."""

    sweeps: int = 0
    outcomes: Counter[BreakEvenOutcome] = field(default_factory=Counter)
    wrong_side: int = 0
    """Sweeps in which some load was given the wrong side."""
    given: int = 0
    """Sweeps that gave the interval of one crossing, decided or not."""
    covered: int = 0
    decided_given: int = 0
    decided_covered: int = 0
    widths: list[float] = field(default_factory=list)
    """high / low of the intervals of decided sweeps; infinite where an end is open."""
    naive_given: int = 0
    naive_covered: int = 0

    def add(self, answer: BreakEven, truth: Truth) -> None:
        """One sweep."""
        self.sweeps += 1
        self.outcomes[answer.outcome] += 1
        sides = [point.side for point in answer.curve.points]
        self.wrong_side += any(
            side is (Side.LOSES if true >= 0 else Side.PAYS)
            for side, true in zip(sides, truth.speedups, strict=True)
        )
        if answer.outcome is not BreakEvenOutcome.SEVERAL and answer.crossings:
            self._add_interval(answer, truth)

    def _add_interval(self, answer: BreakEven, truth: Truth) -> None:
        interval = answer.crossings[0].interval
        if interval is None:
            return
        low = 0.0 if interval.low is None else interval.low
        high = math.inf if interval.high is None else interval.high
        covers = truth.crossing is not None and low <= truth.crossing.batch <= high
        self.given += 1
        self.covered += covers
        if answer.outcome in SINGLE:
            self.decided_given += 1
            self.decided_covered += covers
            self.widths.append(high / low if low else math.inf)

    def add_naive(self, interval: tuple[float, float] | None, truth: Truth) -> None:
        """The naive interval of the same sweep."""
        if interval is not None and truth.crossing is not None:
            self.naive_given += 1
            self.naive_covered += interval[0] <= truth.crossing.batch <= interval[1]

    def join(self, other: "Tally") -> None:
        """Other sweeps of the same curve, noise and metric."""
        self.sweeps += other.sweeps
        self.outcomes += other.outcomes
        self.wrong_side += other.wrong_side
        self.given += other.given
        self.covered += other.covered
        self.decided_given += other.decided_given
        self.decided_covered += other.decided_covered
        self.widths += other.widths
        self.naive_given += other.naive_given
        self.naive_covered += other.naive_covered

    def share(self, outcomes: Iterable[BreakEvenOutcome]) -> float:
        """Of all sweeps."""
        return sum(self.outcomes[outcome] for outcome in outcomes) / self.sweeps

    @property
    def coverage(self) -> float | None:
        """Of every interval that was given; None without any."""
        return self.covered / self.given if self.given else None

    @property
    def width(self) -> float | None:
        """Median over decided sweeps, as a share of the batch; None without any."""
        return median(self.widths) - 1 if self.widths else None


def count_sweep(
    tallies: Mapping[SpeedupMetric, Tally],
    answers: Sequence[tuple[Comparison, BreakEven]],
    truths: Mapping[SpeedupMetric, Truth],
) -> None:
    """Add one sweep, metric by metric."""
    for comparison, answer in answers:
        metric = answer.curve.metric
        tallies[metric].add(answer, truths[metric])
        tallies[metric].add_naive(naive_of(comparison), truths[metric])


def naive_of(comparison: Comparison) -> tuple[float, float] | None:
    """The naive interval of the same figures; None also where some are missing."""
    xs = [load.x for load in comparison.frame.loads]
    tables = (comparison.baseline, comparison.arm)
    if None in xs or any(None in row for table in tables for row in table):
        return None
    return naive_interval(xs, *tables)


def any_difference(answers: Sequence[tuple[Comparison, BreakEven]]) -> dict[str, bool]:
    """Whether a run of equal arms claims a difference: an outcome, or a load's side. By
    metric, and under `any` over all of them."""
    claims = {
        answer.curve.metric.value: answer.outcome is not BreakEvenOutcome.UNDECIDED
        or any(p.side in (Side.PAYS, Side.LOSES) for p in answer.curve.points)
        for _, answer in answers
    }
    return {**claims, "any": any(claims.values())}
