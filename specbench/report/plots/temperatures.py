"""Acceptance rate by temperature: one panel a condition, one colour an arm, at the
lowest and the highest load that were measured at two temperatures or more."""

import math
from collections.abc import Sequence
from dataclasses import replace

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from specbench.report import words
from specbench.report.blocks import make_blocks
from specbench.report.facts import RunFacts
from specbench.report.naming import name_conditions
from specbench.report.plots.style import (
    FAINT,
    MAX_PANELS,
    Heading,
    add_legend,
    colour_arms,
    make_figure,
)
from specbench.report.temperatures import (
    AtTemperature,
    TemperatureTable,
    temperature_tables,
)
from specbench.schema.findings import RunFindings

HEADING = Heading(
    "Acceptance by temperature",
    "Share of draft tokens that were accepted, at the lowest and the highest load.",
)
KEY = (
    Line2D([], [], color=FAINT, marker="o", label="lowest load"),
    Line2D(
        [],
        [],
        color=FAINT,
        marker="^",
        markerfacecolor="white",
        linestyle="--",
        label="highest load",
    ),
)
LOOKS = (("o", "-"), ("^", "--"))


def draw_temperatures(findings: RunFindings, facts: RunFacts) -> list[Figure]:
    """One figure for each page of panels; none for a run with one temperature."""
    panels: dict[tuple[str, str, int], list[TemperatureTable]] = {}
    for table in temperature_tables(findings):
        c = table.condition
        panels.setdefault((c.target, c.dataset, c.context), []).append(table)
    colours = colour_arms(block for block in make_blocks(findings) if block.arm)
    naming = replace(name_conditions(findings), has_temperatures=False)
    places = list(panels.values())
    figures = []
    for start in range(0, len(places), MAX_PANELS):
        page = places[start : start + MAX_PANELS]
        figure, drawn = make_figure(HEADING, facts, len(page), KEY)
        for axes, tables in zip(drawn, page, strict=False):
            axes.set_title(naming.condition(tables[0].condition))
            for table in tables:
                _draw_arm(axes, table, colours[table.arm][0])
            axes.set_ylim(0, 1.04)
            axes.set_xlabel("temperature")
            axes.set_ylabel("acceptance rate")
            lines = [_line(table, colours[table.arm][0], facts) for table in tables]
            add_legend(axes, lines, len(page))
        figures.append(figure)
    return figures


def _draw_arm(axes: Axes, table: TemperatureTable, colour: str) -> None:
    for (marker, line), rows in zip(LOOKS, _ends(table), strict=False):
        rates = [row.figures.acceptance_rate.value for row in rows]
        axes.plot(
            [row.condition.temperature for row in rows],
            [math.nan if rate is None else rate for rate in rates],
            color=colour,
            marker=marker,
            linestyle=line,
            markerfacecolor=colour if marker == "o" else "white",
        )


def _ends(table: TemperatureTable) -> Sequence[Sequence[AtTemperature]]:
    """The rows of the lowest and the highest load; one where both are the same."""
    loads = sorted({row.condition.load for row in table.rows})
    return [
        [row for row in table.rows if row.condition.load == load]
        for load in dict.fromkeys((loads[0], loads[-1]))
    ]


def _line(table: TemperatureTable, colour: str, facts: RunFacts) -> tuple[str, str]:
    """Acceptance lengths of an arm at the lowest load in words, and its colour."""
    said = ", ".join(
        f"{words.estimate(row.figures.acceptance_length, words.share)} at"
        f" {row.condition.temperature:g}"
        for row in _ends(table)[0]
    )
    name = facts.arm_name(table.condition.target, table.arm)
    return f"{name}: acceptance length {said}", colour
