"""How all figures look: size, colours, title above, caption below, the grid of panels.
Colours are Okabe and Ito's, told apart by colour-blind eyes; shape or dash always
says the same a second time."""

import math
import re
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.lines import Line2D
from matplotlib.transforms import ScaledTranslation

from specbench.report.blocks import Block
from specbench.report.facts import RunFacts
from specbench.report.remarks import describe_run

DPI = 150
WIDTH, HEIGHT = 12.8, 7.2
"""Inches: 16:9, 1920 x 1080 pixels."""
TALL = 9.6
"""Of a figure with two rows of panels: 4:3."""
MAX_PANELS = 4
LEGEND_WIDTHS = {1: 150, 2: 84, 3: 50, 4: 84}
"""Characters of a legend line that fit below a panel, by the number of panels."""
KEY_COLUMNS = 4
"""Of a key that is too long for one row."""
KEY_HANDLE = 12
"""Characters that a handle and the room around it take."""
CAPTION_WIDTH = 165
GRIDS = {1: (1, 1), 2: (1, 2), 3: (1, 3), 4: (2, 2)}

BASELINE_COLOUR = "#4d4d4d"
ARM_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
LIGHT_COLOURS = frozenset({"#CC79A7", "#E69F00", "#56B4E9"})
"""Too light for white text on them."""
ARM_MARKERS = ("o", "s", "D", "^", "v", "P")
SLOWER_TINT = "#f6e7e3"
FAINT = "#8a8a8a"
GREY = "#555555"

STYLE: dict[Any, Any] = {
    "font.family": "DejaVu Sans",
    "font.size": 11,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 12,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.labelsize": 11,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#e6e6e6",
    "grid.linewidth": 0.8,
    "legend.frameon": False,
    "legend.fontsize": 9,
    "lines.linewidth": 2.0,
    "lines.markersize": 7,
    "svg.hashsalt": "specbench",
    # names come from users' files: a dollar sign is a dollar sign, never a formula
    "text.parse_math": False,
}


Key = Sequence[Artist]
"""What holds in all panels: handles with labels."""


@dataclass(frozen=True, slots=True)
class Heading:
    """What a figure is called and how to read it."""

    title: str
    how: str


def colour_arms(blocks: Iterable[Block]) -> dict[str, tuple[str, str]]:
    """Arm -> colour and marker, the same in every panel and figure."""
    arms = dict.fromkeys(block.arm for block in blocks if block.arm)
    return {
        arm: (
            ARM_COLOURS[place % len(ARM_COLOURS)],
            ARM_MARKERS[place % len(ARM_MARKERS)],
        )
        for place, arm in enumerate(arms)
    }


def group_panels(blocks: Sequence[Block]) -> list[list[Block]]:
    """Blocks that share a panel: all arms under one condition."""
    panels: dict[object, list[Block]] = {}
    for block in blocks:
        panels.setdefault(block.condition, []).append(block)
    return list(panels.values())


def split_pages(panels: list[list[Block]]) -> list[list[list[Block]]]:
    """At most MAX_PANELS a figure; one page, empty, where there is nothing."""
    pages = [panels[i : i + MAX_PANELS] for i in range(0, len(panels), MAX_PANELS)]
    return pages or [[]]


def make_figure(
    heading: Heading,
    facts: RunFacts,
    panel_count: int,
    key: Key = (),
) -> tuple[Figure, list[Axes]]:
    """A figure with heading and caption, and its empty panels; the key stands once
    above the caption."""
    rows, columns = GRIDS[max(1, panel_count)]
    height = HEIGHT if rows == 1 else TALL
    caption = wrap_between(describe_run(facts), " · ", CAPTION_WIDTH)
    key_columns = _key_columns(key)
    key_rows = math.ceil(len(key) / key_columns)
    key_foot = (0.14 + 0.16 * (caption.count("\n") + 1)) / height
    foot = key_foot + 0.25 * key_rows / height
    figure = Figure(
        figsize=(WIDTH, height),
        facecolor="white",
        layout=ConstrainedLayoutEngine(
            rect=(0.01, foot, 0.98, 1 - 0.68 / height - foot),
            h_pad=0.08,
            w_pad=0.12,
            hspace=0.04,
        ),
    )
    title, how = 1 - 0.25 / height, 1 - 0.54 / height
    figure.text(0.015, title, heading.title, fontsize=17, weight="bold", va="center")
    figure.text(0.015, how, heading.how, fontsize=10.5, color=GREY, va="center")
    figure.text(0.015, 0.1 / height, caption, fontsize=9, color=GREY, va="bottom")
    if key:
        figure.legend(
            handles=list(key),
            loc="lower left",
            bbox_to_anchor=(0.01, key_foot),
            borderaxespad=0,
            ncols=key_columns,
            handlelength=3.2,
        )
    grid = figure.subplots(rows, columns, squeeze=False)
    return figure, list(grid.flat)


def _key_columns(key: Key) -> int:
    """All in one row where that fits."""
    labels = [str(handle.get_label()) for handle in key]
    is_short = sum(map(len, labels)) + KEY_HANDLE * len(key) <= CAPTION_WIDTH
    return max(1, len(key)) if is_short else KEY_COLUMNS


def wrap_between(text: str, separator: str, width: int) -> str:
    """Lines that break after a separator only, as long as that is possible, and never
    inside square brackets."""
    text = re.sub(r"\[[^]]*\]", lambda found: found[0].replace(" ", "\u00a0"), text)
    parts = text.split(separator)
    if max(map(len, parts)) >= width:
        lines = textwrap.fill(text, width, break_on_hyphens=False)
        return lines.replace("\u00a0", " ")
    kept = separator.join(part.replace(" ", "\u00a0") for part in parts)
    lines = textwrap.fill(kept, width, break_on_hyphens=False)
    return lines.replace("\u00a0", " ")


def add_legend(axes: Axes, entries: Sequence[tuple[str, str]], panels: int) -> None:
    """One line a colour below the panel's axis label, whatever the panel's height;
    wrapped to the width that so many panels leave."""
    figure = axes.get_figure(root=True)
    if figure is None:
        return
    down = ScaledTranslation(-10 / 72, -40 / 72, figure.dpi_scale_trans)
    width = LEGEND_WIDTHS[max(1, panels)]
    axes.legend(
        handles=[
            Line2D([], [], color=colour, lw=3, label=wrap_between(text, ", ", width))
            for text, colour in entries
        ],
        loc="upper left",
        bbox_to_anchor=(0, 0),
        bbox_transform=axes.transAxes + down,
        borderaxespad=0,
        handlelength=1.2,
        fontsize=8.5,
        labelspacing=0.3,
    )


def say_instead(axes: Axes, sentence: str) -> None:
    """Words where there is nothing to draw."""
    axes.set_axis_off()
    axes.text(
        0.5,
        0.5,
        textwrap.fill(sentence, 48),
        transform=axes.transAxes,
        ha="center",
        va="center",
        fontsize=11,
        color=GREY,
    )
