"""Acceptance by position at the lowest and the highest load: of all drafts, and of the
drafts whose previous token was accepted, which is the rate that formulas need."""

import math
from collections.abc import Sequence
from typing import Final

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from specbench.report import words
from specbench.report.blocks import Block, make_blocks
from specbench.report.facts import RunFacts
from specbench.report.naming import name_conditions
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
from specbench.report.positions import (
    PositionCurve,
    position_curves,
    why_no_positions,
)
from specbench.schema.cell import Condition
from specbench.schema.findings import RunFindings

HEADING = Heading(
    "Acceptance by position",
    "How often the i-th draft token is accepted, at the lowest and the highest load."
    " c: concurrency.",
)
LOAD_MARKERS = ("o", "^")
"""Lowest and highest load."""
DODGE = 0.04
"""Positions between curves, so that equal ones do not hide each other."""
DASHED: Final = (0, (4, 2))
KEY = (
    Line2D([], [], color=FAINT, marker="o", label="of all drafts"),
    Line2D(
        [],
        [],
        color=FAINT,
        linestyle=DASHED,
        marker="o",
        markerfacecolor="white",
        label="of drafts whose previous token was accepted (conditional)",
    ),
    Line2D([], [], color=FAINT, marker="o", linestyle="none", label="lowest load"),
    Line2D([], [], color=FAINT, marker="^", linestyle="none", label="highest load"),
)


def draw_acceptance(findings: RunFindings, facts: RunFacts) -> list[Figure]:
    """One figure for each page of panels."""
    blocks = [block for block in make_blocks(findings) if block.arm]
    colours = colour_arms(blocks)
    naming = name_conditions(findings)
    figures = []
    for page in split_pages(group_panels(blocks)):
        figure, panels = make_figure(HEADING, facts, len(page), KEY)
        if not page:
            say_instead(panels[0], "No arm that speculates was measured.")
        for axes, panel in zip(panels, page, strict=False):
            axes.set_title(naming.condition(panel[0].condition))
            _draw_panel(axes, panel, colours)
            lines = _length_lines(panel, colours, facts)
            if lines:
                add_legend(axes, lines, len(page))
        figures.append(figure)
    return figures


def _draw_panel(
    axes: Axes,
    panel: Sequence[Block],
    colours: dict[str, tuple[str, str]],
) -> None:
    curves = [
        (block, curve, marker)
        for block in panel
        for curve, marker in zip(position_curves(block), LOAD_MARKERS, strict=False)
    ]
    if not curves:
        reasons = dict.fromkeys(why_no_positions(block) for block in panel)
        say_instead(axes, f"No acceptance by position: {'; '.join(reasons)}")
        return
    for place, (block, curve, marker) in enumerate(curves):
        shift = DODGE * (place - (len(curves) - 1) / 2)
        colour = colours[block.arm or ""][0]
        _draw_curve(axes, curve, (colour, marker, shift))
    axes.set_ylim(0, 1.04)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_xlim(0.7, max(len(c.unconditional) for _, c, _ in curves) + 0.3)
    axes.set_xlabel("position in the draft")
    axes.set_ylabel("share accepted")


def _length_lines(
    panel: Sequence[Block], colours: dict[str, tuple[str, str]], facts: RunFacts
) -> list[tuple[str, str]]:
    """Acceptance lengths of each arm in words, and its colour."""
    lines = []
    for block in panel:
        curves = position_curves(block)
        if not curves:
            continue
        said = ", ".join(
            f"{words.shown(curve.length, words.share)} ({_load(curve.condition)})"
            for curve in curves
        )
        name = facts.arm_name(block.condition.target, block.arm or "")
        colour, _ = colours[block.arm or ""]
        lines.append((f"{name}: acceptance length {said}", colour))
    return lines


def _load(condition: Condition) -> str:
    """`c 8`, or `0.5/s` in an open loop."""
    if condition.is_open:
        return words.load_mark(condition)
    return f"c {condition.concurrency}"


def _draw_curve(axes: Axes, curve: PositionCurve, look: tuple[str, str, float]) -> None:
    colour, marker, shift = look
    x = [position + 1 + shift for position in range(len(curve.unconditional))]
    axes.plot(x, curve.unconditional, color=colour, marker=marker)
    axes.plot(
        x,
        [math.nan if share is None else share for share in curve.conditional],
        color=colour,
        linestyle=DASHED,
        marker=marker,
        markerfacecolor="white",
        markeredgewidth=1.5,
    )
