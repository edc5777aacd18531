"""Findings as a reader goes through them: a block for each target, data set, context,
temperature and arm, a row for each load with the arm beside its baseline. Tables,
Markdown and plots all show these, so that they cannot differ."""

from collections import defaultdict
from dataclasses import dataclass

from specbench.report.facts import RunFacts
from specbench.report.naming import full_title
from specbench.report.sides import NOT_MEASURED, Side, join_launches
from specbench.schema.cell import Condition
from specbench.schema.comparison import SpeedupMetric, SpeedupPoint
from specbench.schema.estimate import Estimate, absent
from specbench.schema.findings import CellStats, RunFindings
from specbench.schema.sweep import BASELINE


@dataclass(frozen=True, slots=True)
class LoadRow:
    """One load: both arms and how they compare."""

    concurrency: int
    baseline: Side
    arm: Side | None
    """None in a block of the baseline alone."""
    throughput_speedup: Estimate
    tpot_speedup: Estimate


@dataclass(frozen=True, slots=True)
class Block:
    """Everything about one arm under conditions that differ in load only."""

    condition: Condition
    """Of the first row; its concurrency means nothing here."""
    arm: str | None
    """None where only the baseline was measured."""
    rows: tuple[LoadRow, ...]

    def title(self, facts: RunFacts) -> str:
        """Arm, target, engine, data set, context, temperature."""
        return full_title(self.arm or "baseline alone", self.condition, facts)


Place = tuple[Condition, str]
"""A condition and an arm."""


def make_blocks(findings: RunFindings) -> tuple[Block, ...]:
    """Blocks in the order in which the run met them; rows by rising load."""
    cells: dict[Place, list[CellStats]] = defaultdict(list)
    for cell in findings.cells:
        cells[cell.key.condition, cell.key.arm].append(cell)
    points = {
        (point.condition, curve.arm, curve.metric): point
        for curve in findings.curves
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
                for condition in sorted(members, key=lambda c: c.concurrency)
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
    points: dict[tuple[Condition, str, SpeedupMetric], SpeedupPoint],
) -> LoadRow:
    ours = _by_launch(cells.get((condition, arm or ""), []))
    base = _by_launch(cells.get((condition, BASELINE), []))
    shared = _valid_launches(ours) & _valid_launches(base)

    def speedup(metric: SpeedupMetric) -> Estimate:
        point = points.get((condition, arm or "", metric))
        return point.speedup if point else absent(NOT_MEASURED)

    return LoadRow(
        concurrency=condition.concurrency,
        baseline=join_launches(base, shared),
        arm=join_launches(ours, shared) if arm else None,
        throughput_speedup=speedup(SpeedupMetric.THROUGHPUT),
        tpot_speedup=speedup(SpeedupMetric.TPOT),
    )


def _by_launch(cells: list[CellStats]) -> tuple[CellStats, ...]:
    return tuple(sorted(cells, key=lambda c: c.key.replicate))


def _valid_launches(cells: tuple[CellStats, ...]) -> frozenset[int]:
    return frozenset(c.key.replicate for c in cells if not c.is_void)


def _without_load(condition: Condition) -> Condition:
    return Condition(
        condition.target,
        condition.dataset,
        condition.context,
        condition.temperature,
        concurrency=0,
    )
