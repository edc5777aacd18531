"""Acceptance by temperature and by category: a group of tables under one title, as rich
tables and as Markdown."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from rich import box
from rich.console import Group, JustifyMethod, RenderableType
from rich.table import Table
from rich.text import Text

from specbench.report import categories, temperatures
from specbench.report.facts import RunFacts
from specbench.report.markdown_text import markdown_table, plain_text
from specbench.schema.findings import RunFindings


class _Row(Protocol):
    def fields(self) -> tuple[str, ...]: ...


class _Titled(Protocol):
    @property
    def rows(self) -> Sequence[_Row]: ...

    def title(self, facts: RunFacts) -> str: ...


@dataclass(frozen=True, slots=True)
class _Group:
    title: str
    note: str
    head: tuple[str, ...]
    tables: Sequence[_Titled]
    names: int
    """Columns at the left that hold names; the others hold figures."""


def _groups(findings: RunFindings) -> list[_Group]:
    """Without those that have nothing to compare: one temperature, one category."""
    groups = [
        _Group(
            "Acceptance by temperature",
            temperatures.NOTE,
            temperatures.HEAD,
            temperatures.temperature_tables(findings),
            0,
        ),
        _Group(
            "Acceptance by category",
            categories.NOTE,
            categories.HEAD,
            categories.category_tables(findings),
            1,
        ),
    ]
    return [group for group in groups if group.tables]


def rich_acceptance(
    findings: RunFindings, facts: RunFacts
) -> tuple[RenderableType, ...]:
    """One renderable for each group."""
    return tuple(_rich(group, facts) for group in _groups(findings))


def _rich(group: _Group, facts: RunFacts) -> RenderableType:
    parts: list[RenderableType] = [
        Text(group.title, style="bold underline"),
        Text(group.note, style="dim"),
        Text(""),
    ]
    for found in group.tables:
        table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
        for place, head in enumerate(group.head):
            side: JustifyMethod = "left" if place < group.names else "right"
            table.add_column(head, justify=side, overflow="fold")
        for row in found.rows:
            table.add_row(*map(Text, row.fields()))
        parts += [Text(found.title(facts), style="bold"), table, Text("")]
    return Group(*parts)


def markdown_acceptance(findings: RunFindings, facts: RunFacts) -> list[str]:
    """Lines of all groups."""
    return [line for group in _groups(findings) for line in _markdown(group, facts)]


def _markdown(group: _Group, facts: RunFacts) -> list[str]:
    lines = [f"### {group.title}", "", group.note, ""]
    for found in group.tables:
        rows = []
        for row in found.rows:
            fields = row.fields()
            names = map(plain_text, fields[: group.names])
            rows.append((*names, *fields[group.names :]))
        lines += [f"**{plain_text(found.title(facts))}**", ""]
        lines += [*markdown_table(group.head, rows), ""]
    return lines
