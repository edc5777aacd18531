"""Acceptance by temperature as rich tables and as Markdown."""

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from specbench.report.facts import RunFacts
from specbench.report.markdown_text import markdown_table, plain_text
from specbench.report.temperatures import HEAD, NOTE, temperature_tables
from specbench.schema.findings import RunFindings

TITLE = "Acceptance by temperature"


def rich_temperatures(
    findings: RunFindings, facts: RunFacts
) -> tuple[RenderableType, ...]:
    """Nothing for a run with one temperature."""
    tables = temperature_tables(findings)
    if not tables:
        return ()
    parts: list[RenderableType] = [
        Text(TITLE, style="bold underline"),
        Text(NOTE, style="dim"),
        Text(""),
    ]
    for found in tables:
        table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
        for head in HEAD:
            table.add_column(head, justify="right", overflow="fold")
        for row in found.rows:
            table.add_row(*row.fields())
        parts += [Text(found.title(facts), style="bold"), table, Text("")]
    return (Group(*parts),)


def markdown_temperatures(findings: RunFindings, facts: RunFacts) -> list[str]:
    """Nothing for a run with one temperature."""
    tables = temperature_tables(findings)
    if not tables:
        return []
    lines = [f"### {TITLE}", "", NOTE, ""]
    for found in tables:
        lines += [f"**{plain_text(found.title(facts))}**", ""]
        lines += [*markdown_table(HEAD, [row.fields() for row in found.rows]), ""]
    return lines
