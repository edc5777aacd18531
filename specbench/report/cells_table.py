"""The tables of one block: figures of both arms, two lines a load; how they compare by
each metric; tokens per step. A table that is too wide for the terminal takes another
shape; no figure is ever cut off or broken."""

from collections.abc import Iterator

from rich import box
from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from specbench.report import words
from specbench.report.arm_columns import (
    DRAFTS,
    FLAGS,
    HEALTH,
    LOAD,
    SPEED,
    WHO,
    Column,
    Shapes,
)
from specbench.report.blocks import Block
from specbench.report.comparison_tables import need_tables, speedup_tables
from specbench.report.facts import RunFacts
from specbench.report.fitting import FirstThatFits
from specbench.report.needs import explain_needs
from specbench.report.open_tables import open_shapes
from specbench.report.remarks import explain_dashes, explain_marks

BOTH_ARMS: Shapes = (
    ((LOAD, WHO, *SPEED, *DRAFTS, *HEALTH, FLAGS),),
    ((LOAD, WHO, *SPEED), (LOAD, WHO, *DRAFTS, *HEALTH, FLAGS)),
)
"""One table, or two beneath each other."""
BASELINE_ONLY: Shapes = (((LOAD, WHO, *SPEED, *HEALTH, FLAGS),),)


def block_tables(block: Block, facts: RunFacts) -> Iterator[RenderableType]:
    """Title, tables, and why the dashes are dashes."""
    yield Text(block.title(facts), style="bold")
    for shapes in _shapes(block):
        yield FirstThatFits(
            tuple(
                tuple(_table(columns, block) for columns in shape) for shape in shapes
            )
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


def _shapes(block: Block) -> tuple[Shapes, ...]:
    """For each table the shapes that it can take."""
    if block.is_open:
        return open_shapes(block)
    return (BASELINE_ONLY if block.arm is None else BOTH_ARMS,)


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
