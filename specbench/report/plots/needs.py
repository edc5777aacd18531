"""Tokens per step by load: what a request gets from the arm, and what it would need for
the arm to be as fast as its baseline. Speculation pays where the first is above the
second."""

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from specbench.report import words
from specbench.report.blocks import Block, make_blocks
from specbench.report.facts import RunFacts
from specbench.report.naming import name_conditions
from specbench.report.needs import NEED_METRICS, NeedRow, need_rows
from specbench.report.plots.curves import (
    BAND_KEY,
    Look,
    draw_curve,
    key_line,
    key_mark,
    set_load_axis,
    value_limits,
)
from specbench.report.plots.style import (
    FAINT,
    Heading,
    add_legend,
    colour_arms,
    group_panels,
    make_figure,
    say_instead,
    split_pages,
)
from specbench.schema.comparison import SpeedupMetric
from specbench.schema.estimate import Estimate, absent
from specbench.schema.findings import RunFindings

HEADING = Heading(
    "Needed against measured tokens per step",
    "The arm pays where a request gets more than it would need. In words: by"
    " throughput, at the lowest and the highest load. c: concurrency.",
)
DODGE = 0.02
"""Octaves between the curves of a panel."""


def draw_needs(findings: RunFindings, facts: RunFacts) -> list[Figure]:
    """One figure for each page of panels."""
    blocks = [block for block in make_blocks(findings) if block.arm]
    colours = colour_arms(blocks)
    naming = name_conditions(findings)
    key = (
        key_line(_gets(FAINT), "gets"),
        *(key_line(_needs(m, FAINT), f"needs for {NEED_METRICS[m]}") for m in LINES),
        key_mark("s", "apparent: prefill not taken out"),
        BAND_KEY,
    )
    figures = []
    for page in split_pages(group_panels(blocks)):
        figure, panels = make_figure(HEADING, facts, len(page), key)
        if not page:
            say_instead(panels[0], "No arm could be compared with its baseline.")
        for axes, panel in zip(panels, page, strict=False):
            axes.set_title(naming.condition(panel[0].condition))
            rows = [need_rows(block) for block in panel]
            if any(_figures(found) for found in rows):
                _draw_panel(
                    axes, rows, [colours[block.arm or ""][0] for block in panel]
                )
                add_legend(axes, _lines(panel, colours, facts), len(page))
            else:
                say_instead(axes, f"No tokens per step: {_why_none(rows)}")
        figures.append(figure)
    return figures


LINES = {
    SpeedupMetric.THROUGHPUT: ((0, (5, 2)), "s"),
    SpeedupMetric.TPOT: ((0, (1, 1.5)), "v"),
}
"""Dashes and mark of what is needed."""


def _gets(colour: str) -> Look:
    return Look(colour, "-", "o", 2.4)


def _needs(metric: SpeedupMetric, colour: str) -> Look:
    line, marker = LINES[metric]
    is_throughput = metric is SpeedupMetric.THROUGHPUT
    return Look(colour, line, marker, 1.5, has_band=is_throughput)


def _draw_panel(
    axes: Axes, rows: Sequence[Sequence[NeedRow]], colours: Sequence[str]
) -> None:
    known = [figure for found in rows for figure in _figures(found)]
    set_load_axis(axes, (row.load for found in rows for row in found))
    axes.set_ylim(*value_limits(known, 1.0))
    axes.set_ylabel("tokens per step")
    for found, colour in zip(rows, colours, strict=True):
        loads = [row.load for row in found]
        gets = [row.gets for row in found]
        draw_curve(axes, loads, gets, [False] * len(found), _gets(colour))
        for place, metric in enumerate(LINES):
            needs = [row.needs.get(metric) for row in found]
            figures = [n.needs if n else absent("not compared") for n in needs]
            hollow = [bool(n and n.is_apparent) for n in needs]
            shift = 2 ** (DODGE * (2 * place - 1))
            dodged = [load * shift for load in loads]
            draw_curve(axes, dodged, figures, hollow, _needs(metric, colour))


def _figures(rows: Sequence[NeedRow]) -> list[Estimate]:
    """Everything of an arm that has a value."""
    found = [row.gets for row in rows]
    found += [need.needs for row in rows for need in row.needs.values()]
    return [figure for figure in found if figure.value is not None]


def _lines(
    panel: Sequence[Block], colours: dict[str, tuple[str, str]], facts: RunFacts
) -> list[tuple[str, str]]:
    """What each arm gets and needs at the lowest and the highest load, its colour."""
    lines = []
    for block in panel:
        rows = [row for row in need_rows(block) if row.gets.value is not None]
        said = words.listed([_said(row) for row in (*rows[:1], *rows[1:][-1:])])
        name = facts.arm_name(block.condition.target, block.arm or "")
        colour, _ = colours[block.arm or ""]
        lines.append((f"{name}: {said or 'unknown'}", colour))
    return lines


def _said(row: NeedRow) -> str:
    gets = words.estimate(row.gets, words.share)
    needs = row.needed(SpeedupMetric.THROUGHPUT)
    return f"at c {row.said_load} gets {gets} and needs {needs}"


def _why_none(rows: Sequence[Sequence[NeedRow]]) -> str:
    reasons = dict.fromkeys(row.gets.missing for found in rows for row in found)
    return words.listed([reason for reason in reasons if reason]) or "not compared"
