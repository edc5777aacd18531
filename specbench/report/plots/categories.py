"""Acceptance length by category of the data set: one panel a condition, a row a
category with the number of requests behind it, one colour an arm."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from specbench.report import words
from specbench.report.blocks import make_blocks
from specbench.report.categories import CategoryTable, category_tables
from specbench.report.facts import RunFacts
from specbench.report.naming import name_conditions
from specbench.report.plots.style import (
    MAX_PANELS,
    Heading,
    add_legend,
    colour_arms,
    make_figure,
)
from specbench.schema.cell import Condition
from specbench.schema.findings import RunFindings

HEADING = Heading(
    "Acceptance by category",
    "Acceptance length of each category of the data set, over all loads and launches."
    " n: requests of the arm with the fewest.",
)
LEFT = 0.95
"""No acceptance length is under 1."""
DODGE = 0.12
"""Rows between arms, so that equal lengths do not hide each other."""


def draw_categories(findings: RunFindings, facts: RunFacts) -> list[Figure]:
    """One figure for each page of panels; none where a data set has one category."""
    panels: dict[Condition, list[CategoryTable]] = {}
    for table in category_tables(findings):
        shared = replace(table.block.condition, concurrency=0, request_rate=0.0)
        panels.setdefault(shared, []).append(table)
    colours = colour_arms(block for block in make_blocks(findings) if block.arm)
    naming = name_conditions(findings)
    places = list(panels.items())
    right = _rightmost(table for tables in panels.values() for table in tables)
    figures = []
    for start in range(0, len(places), MAX_PANELS):
        page = places[start : start + MAX_PANELS]
        figure, drawn = make_figure(HEADING, facts, len(page))
        for axes, (condition, tables) in zip(drawn, page, strict=False):
            axes.set_title(naming.condition(condition))
            _draw_panel(axes, tables, colours)
            axes.set_xlim(LEFT, right)
            lines = [
                (_line(table, facts), colours[table.block.arm or ""][0])
                for table in tables
            ]
            add_legend(axes, lines, len(page))
        figures.append(figure)
    return figures


def _draw_panel(
    axes: Axes,
    tables: Sequence[CategoryTable],
    colours: dict[str, tuple[str, str]],
) -> None:
    names = sorted({row.category for table in tables for row in table.rows[:-1]})
    counts = dict.fromkeys(names, math.inf)
    for place, table in enumerate(tables):
        colour, marker = colours[table.block.arm or ""]
        shift = DODGE * (place - (len(tables) - 1) / 2)
        for row in table.rows[:-1]:
            counts[row.category] = min(counts[row.category], row.requests)
            if row.length is not None:
                at = names.index(row.category) + shift
                axes.plot(row.length, at, color=colour, marker=marker, linestyle="none")
    labels = [f"{name or words.DASH} (n {counts[name]:,.0f})" for name in names]
    axes.set_yticks(range(len(names)), labels)
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.set_xlabel("acceptance length")


def _rightmost(tables: Iterable[CategoryTable]) -> float:
    """Where all axes end, so that panels compare."""
    lengths = [row.length or 1.0 for table in tables for row in table.rows]
    return 1 + 1.08 * (max(lengths, default=1.0) - LEFT)


def _line(table: CategoryTable, facts: RunFacts) -> str:
    """An arm and its length over all categories."""
    name = facts.arm_name(table.block.condition.target, table.block.arm or "")
    whole = words.shown(table.rows[-1].length, words.share)
    return f"{name}: {whole} over all"
