"""Answers from points as rich tables, one a setting."""

from rich import box
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from specbench.report import words
from specbench.report.answers_table import OUTCOME_STYLES
from specbench.report.points_words import (
    PointGroup,
    PointLine,
    closing_notes,
    legends,
    point_groups,
)
from specbench.schema.point import PointFindings


def points_table(findings: PointFindings) -> RenderableType:
    """Where each arm of a file of points stops paying."""
    parts: list[RenderableType] = [
        Text(f"Break-even from {findings.name}", style="bold underline"),
        *(Text(line, style="dim") for line in legends(findings)),
        Text(""),
    ]
    for group in point_groups(findings):
        parts += [Text(group.title, style="bold")]
        if group.source:
            parts.append(Text(group.source, style="dim"))
        parts.append(_answers(group))
        parts += [
            Padding(Text(line, style="dim"), (0, 0, 0, 1)) for line in group.notes
        ]
        parts.append(Text(""))
    parts += [Text(line) for line in closing_notes(findings)]
    return Group(*parts)


def _answers(group: PointGroup) -> Table:
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    table.add_column("arm", overflow="fold")
    table.add_column("metric", no_wrap=True)
    table.add_column("answer", min_width=24, overflow="fold")
    table.add_column("beside", overflow="fold")
    table.add_column("first\nslower", justify="right", overflow="fold")
    for line in group.lines:
        table.add_row(
            Text(line.arm),
            line.metric,
            _answer(line),
            Text("\n".join(line.beside) or words.DASH),
            line.first_slower,
        )
    return table


def _answer(line: PointLine) -> Text:
    text = Text(line.answer, style=OUTCOME_STYLES.get(line.outcome, "bold"))
    for detail in line.details:
        text.append(f"\n{detail}", style="not bold dim")
    return text
