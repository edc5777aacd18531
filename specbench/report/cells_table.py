"""The table of one block: two lines a load, baseline above arm. It is one table where
that fits (100 columns do, as a rule), else two beneath each other; no figure is ever
cut off or broken."""

import textwrap
from collections.abc import Callable
from dataclasses import dataclass

from rich import box
from rich.console import Console, ConsoleOptions, RenderResult
from rich.measure import Measurement
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from specbench.report import words
from specbench.report.blocks import Block, LoadRow
from specbench.report.facts import RunFacts
from specbench.report.remarks import explain_dashes, explain_marks
from specbench.report.sides import Mark, Side
from specbench.schema.estimate import Estimate

CODE_WIDTH = 15
"""Flags wrap at their hyphens beyond this."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column: what it says in the baseline's line and in the arm's."""

    header: str
    baseline: Callable[[LoadRow], str]
    arm: Callable[[LoadRow, Side], str]
    is_text: bool = False


def _blank(_: LoadRow) -> str:
    return ""


def _of_both(
    header: str, figure: Callable[[Side], Estimate], form: words.Form
) -> Column:
    return Column(
        header,
        lambda row: words.estimate(figure(row.baseline), form),
        lambda _, arm: words.estimate(figure(arm), form),
    )


def _of_arm(header: str, figure: Callable[[Side], Estimate]) -> Column:
    return Column(
        header, _blank, lambda _, arm: words.estimate(figure(arm), words.share)
    )


def _speedup(header: str, figure: Callable[[LoadRow], Estimate]) -> Column:
    """The value in the baseline's line, its spread in the arm's: saves width, and
    the pair reads as one cell."""
    return Column(
        header,
        lambda row: words.estimate(figure(row), words.speedup),
        lambda row, _: words.spread(figure(row), words.speedup),
    )


def _tpot(side: Side) -> str:
    mark = "*" if Mark.USUAL_TPOT in side.marks else ""
    return words.estimate(side.tpot, words.milliseconds) + mark


def _flags(side: Side) -> str:
    """One code a line; codes are long words, so they break at hyphens."""
    return "\n".join(
        line for code in side.flags for line in textwrap.wrap(code, CODE_WIDTH)
    )


LOAD = Column("conc", lambda row: str(row.concurrency), lambda *_: "")
WHO = Column("", lambda _: "base", lambda *_: "arm", is_text=True)
FLAGS = Column(
    "flags",
    lambda row: _flags(row.baseline),
    lambda _, arm: _flags(arm),
    is_text=True,
)
SPEED = (
    _of_both("batch", lambda s: s.running_batch, words.batch),
    _of_both("tokens/s", lambda s: s.output_throughput, words.significant),
    _speedup("throughput\nspeedup", lambda row: row.throughput_speedup),
    Column("TPOT\nms", lambda row: _tpot(row.baseline), lambda _, arm: _tpot(arm)),
    _speedup("TPOT\nspeedup", lambda row: row.tpot_speedup),
)
DRAFTS = (
    _of_arm("acc.\nrate", lambda s: s.acceptance_rate),
    _of_arm("acc.\nlen.", lambda s: s.acceptance_length),
    _of_arm("tok./\nstep", lambda s: s.tokens_per_step),
)
HEALTH = (
    _of_both("loop", lambda s: s.looping_share, words.share),
    _of_both("lag\nms", lambda s: s.client_lag_p99, words.lag),
)
ONE_TABLE = (LOAD, WHO, *SPEED, *DRAFTS, *HEALTH, FLAGS)
TWO_TABLES = ((LOAD, WHO, *SPEED), (LOAD, WHO, *DRAFTS, *HEALTH, FLAGS))
BASELINE_ONLY = (LOAD, WHO, SPEED[0], SPEED[1], SPEED[3], *HEALTH, FLAGS)


@dataclass(frozen=True, slots=True)
class BlockTable:
    """Rich renderable of one block; picks its shape by the width that it gets."""

    block: Block
    facts: RunFacts

    def __rich_console__(
        self, console: Console, options: ConsoleOptions
    ) -> RenderResult:
        """Title, table or tables, and why the dashes are dashes."""
        yield Text(self.block.title(self.facts), style="bold")
        yield from self._tables(console, options)
        for line in explain_dashes(self.block):
            yield _note(f"{words.DASH}  {line}")
        for line in explain_marks(self.block):
            yield _note(f"*  {line}")

    def _tables(self, console: Console, options: ConsoleOptions) -> list[Table]:
        if self.block.arm is None:
            return [_table(BASELINE_ONLY, self.block)]
        one = _table(ONE_TABLE, self.block)
        unbounded = options.update(max_width=10_000)
        if Measurement.get(console, unbounded, one).maximum <= options.max_width:
            return [one]
        return [_table(columns, self.block) for columns in TWO_TABLES]


def _note(line: str) -> Padding:
    return Padding(Text(line, style="dim"), (0, 0, 0, 1))


def _table(columns: tuple[Column, ...], block: Block) -> Table:
    table = Table(box=box.SIMPLE_HEAD, padding=0, pad_edge=False)
    for column in columns:
        table.add_column(
            column.header,
            justify="left" if column.is_text else "right",
            vertical="top",
            overflow="fold",
        )
    for row in block.rows:
        table.add_row(*(Text(column.baseline(row)) for column in columns))
        if row.arm is not None:
            arm = row.arm
            table.add_row(*(Text(column.arm(row, arm)) for column in columns))
    return table
