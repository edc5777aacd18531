"""Answers from points as Markdown: a section a setting."""

from collections.abc import Iterator

from specbench.report import words
from specbench.report.markdown_text import markdown_table, plain_text
from specbench.report.points_words import (
    PointGroup,
    closing_notes,
    legends,
    point_groups,
)
from specbench.schema.point import PointFindings

HEAD = ("arm", "metric", "answer", "beside", "first slower")


def points_markdown(findings: PointFindings) -> str:
    """The whole page."""
    lines = [f"# Break-even from {plain_text(findings.name)}", ""]
    for legend in legends(findings):
        lines += [plain_text(legend), ""]
    for group in point_groups(findings):
        lines += _section(group)
    lines += [f"- {plain_text(note)}" for note in closing_notes(findings)]
    return "\n".join(lines).rstrip() + "\n"


def _section(group: PointGroup) -> Iterator[str]:
    yield from (f"## {plain_text(group.title)}", "")
    if group.source:
        yield from (plain_text(group.source), "")
    rows = [
        (
            plain_text(line.arm),
            line.metric,
            plain_text("; ".join((line.answer, *line.details))),
            plain_text(", ".join(line.beside)) or words.DASH,
            line.first_slower,
        )
        for line in group.lines
    ]
    yield from (*markdown_table(HEAD, rows), "")
    if group.notes:
        yield from (f"- {plain_text(note)}" for note in group.notes)
        yield ""
