"""Findings as a reader goes through them: a block for each target, data set, context,
temperature and arm, a row for each load with the arm beside its baseline. Tables,
Markdown and plots all show these, so that they cannot differ."""

from collections import defaultdict
from dataclasses import dataclass

from specbench.report import words
from specbench.report.arm_figures import NOT_MEASURED, ArmFigures, join_launches
from specbench.report.facts import RunFacts
from specbench.report.naming import full_title
from specbench.schema.cell import Condition
from specbench.schema.comparison import (
    CLOSED_LOOP,
    OPEN_LOOP,
    Side,
    SpeedupMetric,
    SpeedupPoint,
    StepNeed,
)
from specbench.schema.estimate import Estimate, absent
from specbench.schema.findings import CellStats, RunFindings
from specbench.schema.sweep import BASELINE


@dataclass(frozen=True, slots=True)
class LoadRow:
    """One load: both arms and how they compare."""

    condition: Condition
    baseline: ArmFigures
    arm: ArmFigures | None
    """None in a block of the baseline alone."""
    points: dict[SpeedupMetric, SpeedupPoint]
    """How they compare; a metric that was not compared is not in it."""

    @property
    def load(self) -> float:
        """What was set: the concurrency, or the rate of an open loop."""
        return self.condition.asked

    @property
    def said_load(self) -> str:
        """The same, written."""
        return words.asked(self.load)

    def speedup(self, metric: SpeedupMetric) -> Estimate:
        """The speedup by one metric."""
        point = self.points.get(metric)
        return point.speedup if point else absent(NOT_MEASURED)

    def side(self, metric: SpeedupMetric) -> Side:
        """On which side of 1 that is."""
        point = self.points.get(metric)
        return point.side if point else Side.UNKNOWN

    def need(self, metric: SpeedupMetric) -> StepNeed | None:
        """The tokens per step that it would take."""
        point = self.points.get(metric)
        return point.need if point else None


@dataclass(frozen=True, slots=True)
class Block:
    """Everything about one arm under conditions that differ in load only."""

    condition: Condition
    """Of the first row; its load means nothing here."""
    arm: str | None
    """None where only the baseline was measured."""
    rows: tuple[LoadRow, ...]

    @property
    def is_open(self) -> bool:
        """Whether its requests arrive whatever the server does."""
        return self.condition.is_open

    @property
    def metrics(self) -> tuple[SpeedupMetric, ...]:
        """What its arm is compared by."""
        if not self.is_open:
            return CLOSED_LOOP
        return tuple(m for m in OPEN_LOOP if any(m in row.points for row in self.rows))

    def title(self, facts: RunFacts) -> str:
        """Arm, target, engine, data set, context, temperature."""
        return full_title(self.arm or "baseline alone", self.condition, facts)


Place = tuple[Condition, str]
"""A condition and an arm."""
Points = dict[tuple[Condition, str, SpeedupMetric], SpeedupPoint]


def make_blocks(findings: RunFindings) -> tuple[Block, ...]:
    """Blocks in the order in which the run met them; rows by rising load."""
    cells: dict[Place, list[CellStats]] = defaultdict(list)
    for cell in findings.cells:
        cells[cell.key.condition, cell.key.arm].append(cell)
    points = {
        (point.condition, curve.arm, curve.metric): point
        for curve in findings.curves
        if len({p.condition.context for p in curve.points}) == 1  # over loads
        for point in curve.points
    }
    families: dict[Condition, list[Condition]] = {}
    for condition in dict.fromkeys(condition for condition, _ in cells):
        families.setdefault(_without_load(condition), []).append(condition)
    return tuple(
        Block(
            condition=members[0],
            arm=arm,
            rows=tuple(
                _row(condition, arm, cells, points)
                for condition in sorted(members, key=lambda c: c.load)
                if arm is None
                or (condition, arm) in cells
                or (condition, BASELINE) in cells
            ),
        )
        for members in families.values()
        for arm in _arms(members, cells)
    )


def _arms(
    members: list[Condition], cells: dict[Place, list[CellStats]]
) -> list[str | None]:
    """The speculative arms, or the baseline alone."""
    named = [arm for condition, arm in cells if condition in members]
    arms: list[str | None] = [a for a in dict.fromkeys(named) if a != BASELINE]
    return arms or [None]


def _row(
    condition: Condition,
    arm: str | None,
    cells: dict[Place, list[CellStats]],
    points: Points,
) -> LoadRow:
    ours = cells.get((condition, arm or ""), [])
    base = cells.get((condition, BASELINE), [])
    return LoadRow(
        condition=condition,
        baseline=join_launches(_by_launch(base)),
        arm=join_launches(_by_launch(ours)) if arm else None,
        points={
            metric: point
            for metric in SpeedupMetric
            if (point := points.get((condition, arm or "", metric)))
        },
    )


def _by_launch(cells: list[CellStats]) -> tuple[CellStats, ...]:
    return tuple(sorted(cells, key=lambda c: c.key.replicate))


def _without_load(condition: Condition) -> Condition:
    return Condition(
        condition.target,
        condition.dataset,
        condition.context,
        condition.temperature,
        concurrency=0,
    )
