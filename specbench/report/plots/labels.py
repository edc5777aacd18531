"""Words inside a speedup panel: what the line at 1 means, and the place of each
break-even beside its plumb line, wherever the curves leave room."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.patheffects import withStroke

from specbench.report.answer_words import crossing_in_short
from specbench.report.plots.placing import Box, Point, place_box
from specbench.report.plots.series import Series
from specbench.report.plots.style import FAINT, SLOWER_TINT
from specbench.schema.comparison import Crossing

PARITY = ("as fast as without speculation", "as fast as\nwithout speculation")
"""In one line where there is room, else in two."""
CHARACTER = 0.066
"""Inches that a character takes at the size of the labels, on the safe side."""
LINE = 0.19
"""Inches a line."""
MAX_BREAK_EVENS = 2
"""With more of them the panel would be full of words; the legend has all."""


@dataclass(frozen=True, slots=True)
class Panel:
    """Translates a panel's data into fractions of it."""

    axes: Axes

    def fraction(self, load: float, value: float) -> Point:
        """Place of a point of the data; the load axis is logarithmic."""
        left, right = (math.log2(x) for x in self.axes.get_xlim())
        low, high = self.axes.get_ylim()
        return (
            (math.log2(load) - left) / (right - left),
            (value - low) / (high - low),
        )

    def size(self, text: str) -> tuple[float, float]:
        """Width and height of a label, about."""
        box = self.axes.get_window_extent()
        figure = self.axes.get_figure(root=True)
        dpi = figure.dpi if figure else 100.0
        lines = text.split("\n")
        return (
            max(map(len, lines)) * CHARACTER * dpi / box.width,
            len(lines) * LINE * dpi / box.height,
        )


def add_labels(axes: Axes, series: Sequence[Series]) -> None:
    """Break-evens first, since they have little choice of place."""
    panel = Panel(axes)
    lines = [line for one in series for line in one.lines()]
    curves = [[panel.fraction(*point) for point in line] for line in lines]
    crossing = [(one, crossed) for one in series for crossed in one.crossings()]
    floor = axes.get_ylim()[0]
    for _, crossed in crossing:  # the plumb lines are in the way, too
        at = crossed.concurrency
        curves.append([panel.fraction(at, 1.0), panel.fraction(at, floor)])
    taken: list[Box] = []
    if len(crossing) <= MAX_BREAK_EVENS:
        for one, crossed in crossing:
            label = Label(crossing_words(one, crossed), crossed.concurrency, one.colour)
            taken.append(_label_crossing(panel, label, curves, taken))
    _label_parity(panel, curves, taken)


@dataclass(frozen=True, slots=True)
class Label:
    """What is said of a crossing, and where it is."""

    text: str
    load: float
    colour: str


def _label_crossing(
    panel: Panel, label: Label, curves: list[list[Point]], taken: list[Box]
) -> Box:
    """The break-even's value, left or right of its plumb line."""
    width, height = panel.size(label.text)
    x, top = panel.fraction(label.load, 1.0)
    rows = [0.012 + height * row for row in range(max(1, int(top / height)))]
    boxes = [
        Box(left, bottom, width, height)
        for bottom in rows
        for left in (x + 0.009, x - 0.009 - width)
    ]
    box = place_box(boxes, curves, taken)
    is_right = box.x > x
    panel.axes.text(
        box.x if is_right else box.x + box.width,
        box.y + box.height / 2,
        label.text,
        transform=panel.axes.transAxes,
        ha="left" if is_right else "right",
        va="center",
        fontsize=9,
        color=label.colour,
        path_effects=[withStroke(linewidth=3, foreground=SLOWER_TINT)],
        zorder=6,
    )
    return box


def crossing_words(one: Series, crossed: Crossing) -> str:
    """The place of a break-even in short; the legend names the metric."""
    return crossing_in_short(one.answer, crossed) if one.answer else ""


def _label_parity(panel: Panel, curves: list[list[Point]], taken: list[Box]) -> None:
    """Names the line at 1, above or below it, left or right."""
    line = panel.fraction(1.0, 1.0)[1]
    texts: dict[Box, str] = {}
    for text in PARITY:
        width, height = panel.size(text)
        for y in (line + 0.008, line - 0.008 - height):
            for x in (0.99 - width, 0.01, 0.25, 0.5):
                texts[Box(x, y, width, height)] = text
    box = place_box(list(texts), curves, taken)
    is_right = box.x + box.width > 0.98
    panel.axes.text(
        box.x + box.width if is_right else box.x,
        box.y + box.height / 2,
        texts[box],
        transform=panel.axes.transAxes,
        ha="right" if is_right else "left",
        va="center",
        fontsize=9,
        color=FAINT,
        style="italic",
        zorder=1,
    )
