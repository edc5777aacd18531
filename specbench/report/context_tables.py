"""The speedup maps of a run as rich tables: contexts down, loads across, and below them
the break-even and critical contexts."""

from collections.abc import Iterator

from rich import box
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from specbench.report import words
from specbench.report.comparison_tables import SIDE_STYLES
from specbench.report.context_map import ContextMap, MapCell, make_maps
from specbench.report.context_words import (
    MAP_NOTE,
    break_even_lines,
    cell_words,
    context_head,
    critical_line,
    load_head,
)
from specbench.report.facts import RunFacts
from specbench.report.fitting import FirstThatFits
from specbench.schema.findings import RunFindings


def context_tables(
    findings: RunFindings, facts: RunFacts
) -> tuple[RenderableType, ...]:
    """All maps; nothing for a run with one context."""
    maps = make_maps(findings)
    if not maps:
        return ()
    whole = Group(
        Text("Speedup over batch x context", style="bold underline"),
        Text(MAP_NOTE, style="dim"),
        Text(""),
        *(part for shown in maps for part in _map_parts(shown, facts)),
    )
    return (whole,)


def _map_parts(shown: ContextMap, facts: RunFacts) -> Iterator[RenderableType]:
    yield Text(f"{shown.title(facts)}: {words.metric(shown.metric)}", style="bold")
    yield FirstThatFits(
        (
            (_table(shown, " "),),
            (_table(shown, "\n"),),
            (_table(shown, None),),
        )
    )
    for line in filter(None, (*break_even_lines(shown), critical_line(shown))):
        yield Padding(Text(line), (0, 0, 0, 1))
    yield Text("")


def _table(shown: ContextMap, between: str | None) -> Table:
    """`between` a value and its interval; None = without intervals."""
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    table.add_column("context", justify="right", vertical="top")
    for load in shown.loads:
        table.add_column(load_head(load), vertical="top", overflow="fold")
    for context, row in zip(shown.contexts, shown.rows, strict=True):
        table.add_row(context_head(context), *(_cell(cell, between) for cell in row))
    return table


def _cell(cell: MapCell, between: str | None) -> Text:
    said = cell_words(cell, with_interval=between is not None)
    if cell.point is None:
        return Text(said, style="dim")
    style = SIDE_STYLES.get(cell.point.side, "")
    return Text(said.replace(" ", between or " ", 1), style=style)
