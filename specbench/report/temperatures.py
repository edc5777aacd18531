"""Acceptance by temperature: what an arm's drafts come to at each temperature, at the
loads that were measured at two or more of them."""

from dataclasses import dataclass

from specbench.report import words
from specbench.report.arm_figures import ArmFigures
from specbench.report.blocks import Block, LoadRow, make_blocks
from specbench.report.context_words import load_head
from specbench.report.facts import RunFacts
from specbench.report.naming import temperatures_title
from specbench.schema.cell import Condition
from specbench.schema.findings import RunFindings

HEAD = (
    "load",
    "temperature",
    "acceptance rate",
    "acceptance length",
    "tokens per step",
)
NOTE = (
    "Drafts and accepted tokens at each temperature, pooled over launches; a higher"
    " temperature makes the target model's choice harder to foresee."
)


@dataclass(frozen=True, slots=True)
class AtTemperature:
    """One arm at one load and temperature."""

    condition: Condition
    figures: ArmFigures

    def fields(self) -> tuple[str, ...]:
        """As they stand in a table, in the order of HEAD."""
        c = self.condition
        return (
            load_head(c),
            f"{c.temperature:g}",
            words.estimate(self.figures.acceptance_rate, words.share),
            words.estimate(self.figures.acceptance_length, words.share),
            words.estimate(self.figures.tokens_per_step, words.share),
        )


@dataclass(frozen=True, slots=True)
class TemperatureTable:
    """One arm under conditions that differ in temperature and load."""

    arm: str
    rows: tuple[AtTemperature, ...]
    """By load, then by temperature."""

    @property
    def condition(self) -> Condition:
        """Of the first row; its load and temperature mean nothing here."""
        return self.rows[0].condition

    def title(self, facts: RunFacts) -> str:
        """Arm, target, engine, data set, context."""
        return temperatures_title(self.arm, self.condition, facts)


def temperature_tables(findings: RunFindings) -> tuple[TemperatureTable, ...]:
    """In the order of the blocks; none for a run with one temperature."""
    groups: dict[tuple[str, str, int, str], list[Block]] = {}
    for block in make_blocks(findings):
        if block.arm is not None:
            c = block.condition
            place = (c.target, c.dataset, c.context, block.arm)
            groups.setdefault(place, []).append(block)
    tables = []
    for (*_, arm), blocks in groups.items():
        rows = _rows(blocks)
        if rows:
            tables.append(TemperatureTable(arm, rows))
    return tuple(tables)


def _rows(blocks: list[Block]) -> tuple[AtTemperature, ...]:
    by_load: dict[float, list[AtTemperature]] = {}
    for block in blocks:
        for row in block.rows:
            found = _at(row)
            if found is not None:
                by_load.setdefault(found.condition.load, []).append(found)
    return tuple(
        row
        for load in sorted(by_load)
        if len(by_load[load]) > 1
        for row in sorted(by_load[load], key=lambda r: r.condition.temperature)
    )


def _at(row: LoadRow) -> AtTemperature | None:
    """None where the arm was not measured."""
    if row.arm is None or not row.arm.cells:
        return None
    return AtTemperature(row.arm.cells[0].key.condition, row.arm)
