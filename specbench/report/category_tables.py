"""Acceptance by category as rich tables and as Markdown."""

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from specbench.report.categories import HEAD, NOTE, category_tables
from specbench.report.facts import RunFacts
from specbench.report.markdown_text import markdown_table, plain_text
from specbench.schema.findings import RunFindings

TITLE = "Acceptance by category"


def rich_categories(
    findings: RunFindings, facts: RunFacts
) -> tuple[RenderableType, ...]:
    """Nothing where there is but one category."""
    tables = category_tables(findings)
    if not tables:
        return ()
    parts: list[RenderableType] = [
        Text(TITLE, style="bold underline"),
        Text(NOTE, style="dim"),
        Text(""),
    ]
    for found in tables:
        table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
        table.add_column(HEAD[0], overflow="fold")
        for head in HEAD[1:]:
            table.add_column(head, justify="right", overflow="fold")
        for row in found.rows:
            table.add_row(*map(Text, row.fields()))
        parts += [Text(found.title(facts), style="bold"), table, Text("")]
    return (Group(*parts),)


def markdown_categories(findings: RunFindings, facts: RunFacts) -> list[str]:
    """Nothing where there is but one category."""
    tables = category_tables(findings)
    if not tables:
        return []
    lines = [f"### {TITLE}", "", NOTE, ""]
    for found in tables:
        rows = [
            (plain_text(name), *figures)
            for name, *figures in (row.fields() for row in found.rows)
        ]
        lines += [f"**{plain_text(found.title(facts))}**", ""]
        lines += [*markdown_table(HEAD, rows), ""]
    return lines
