"""The tables of one block: figures of both arms, two lines a load; how they compare by
each metric; tokens per step. A table that is too wide for the terminal takes another
shape; no figure is ever cut off or broken."""

import textwrap
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from rich import box
from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from specbench.report import words
from specbench.report.arm_figures import ArmFigures, Mark
from specbench.report.blocks import Block, LoadRow
from specbench.report.comparison_tables import need_tables, speedup_tables
from specbench.report.facts import RunFacts
from specbench.report.fitting import FirstThatFits
from specbench.report.needs import explain_needs
from specbench.report.remarks import explain_dashes, explain_marks
from specbench.schema.estimate import Estimate

CODE_WIDTH = 15
"""Flags wrap at their hyphens beyond this."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column: what it says in the baseline's line and in the arm's."""

    header: str
    baseline: Callable[[LoadRow], str]
    arm: Callable[[LoadRow, ArmFigures], str]
    is_text: bool = False


def _blank(_: LoadRow) -> str:
    return ""


def _of_both(
    header: str, figure: Callable[[ArmFigures], Estimate], form: words.Form
) -> Column:
    return Column(
        header,
        lambda row: words.estimate(figure(row.baseline), form),
        lambda _, arm: words.estimate(figure(arm), form),
    )


def _of_arm(header: str, figure: Callable[[ArmFigures], Estimate]) -> Column:
    return Column(
        header, _blank, lambda _, arm: words.estimate(figure(arm), words.share)
    )


def _tpot(header: str, figure: Callable[[ArmFigures], Estimate]) -> Column:
    def write(side: ArmFigures) -> str:
        mark = "*" if Mark.USUAL_TPOT in side.marks else ""
        return words.estimate(figure(side), words.milliseconds) + mark

    return Column(header, lambda row: write(row.baseline), lambda _, arm: write(arm))


def _flags(side: ArmFigures) -> str:
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
    _tpot("TPOT\nms", lambda s: s.tpot),
    _tpot("p95\nTPOT", lambda s: s.tpot_p95),
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
BOTH_ARMS = (
    ((LOAD, WHO, *SPEED, *DRAFTS, *HEALTH, FLAGS),),
    ((LOAD, WHO, *SPEED), (LOAD, WHO, *DRAFTS, *HEALTH, FLAGS)),
)
"""One table, or two beneath each other."""
BASELINE_ONLY = (((LOAD, WHO, *SPEED, *HEALTH, FLAGS),),)


def block_tables(block: Block, facts: RunFacts) -> Iterator[RenderableType]:
    """Title, tables, and why the dashes are dashes."""
    yield Text(block.title(facts), style="bold")
    shapes = BASELINE_ONLY if block.arm is None else BOTH_ARMS
    yield FirstThatFits(
        tuple(tuple(_table(columns, block) for columns in shape) for shape in shapes)
    )
    for line in explain_dashes(block):
        yield _note(f"{words.DASH}  {line}")
    for line in explain_marks(block):
        yield _note(f"*  {line}")
    if block.arm is not None:
        yield speedup_tables(block)
    if needs := need_tables(block):
        yield needs
        yield from map(_note, explain_needs(block))


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
