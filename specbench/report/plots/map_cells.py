"""A cell of the speedup map: its colour, its number, and the pattern that says why
it has none. Losing and paying are also told apart by the type of the number."""

import math
from collections.abc import Mapping
from typing import Any

from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap, Normalize
from matplotlib.patches import Rectangle

from specbench.report import words
from specbench.report.context_map import CellKind, MapCell
from specbench.report.context_words import cell_words
from specbench.report.plots.style import FAINT, GREY
from specbench.schema.comparison import Side

COLOURS = LinearSegmentedColormap.from_list(
    "speedup", ["#D55E00", "#F4C59C", "#FFFFFF", "#9CC7E4", "#0B4F8A"]
)
"""Orange where the arm loses, blue where it pays: told apart by colour-blind eyes. The
blue end is darker than the orange one."""
LINE = "#111111"
NOTHING = "#FFFFFF"
NO_ROOM = "#D9D9D9"
HATCHES = {
    CellKind.NO_SPEEDUP: "xxx",
    CellKind.NOT_MEASURED: "",
    CellKind.PLANNED_OUT: "",
}
FILLS = {
    CellKind.NO_SPEEDUP: NOTHING,
    CellKind.NOT_MEASURED: NOTHING,
    CellKind.PLANNED_OUT: NO_ROOM,
}
SAID = {
    CellKind.NO_SPEEDUP: "no\nspeedup",
    CellKind.NOT_MEASURED: words.DASH,
    CellKind.PLANNED_OUT: "does\nnot fit",
}
OPEN_HATCH = "////"
FEW_COLUMNS = 6
MOST_CHARACTERS = 6
"""Of a number in a cell."""


def draw_cell(
    axes: Axes,
    cell: MapCell,
    place: tuple[int, int],
    norm: Normalize,
    columns: int,
) -> None:
    """At a load and context, counted from 0, on a map of so many columns."""
    x, y = place
    size = 10.0 if columns <= FEW_COLUMNS else 8.0
    corner, point = (x - 0.5, y - 0.5), cell.point
    if point is None or point.speedup.value is None:
        axes.add_patch(
            Rectangle(
                corner,
                1,
                1,
                facecolor=FILLS[cell.kind],
                edgecolor="#BBBBBB",
                hatch=HATCHES[cell.kind],
                lw=0.6,
            )
        )
        _write(
            axes, place, SAID[cell.kind], 0.75 * size, {"color": GREY}, has_ground=True
        )
        return
    shade = norm(math.log(point.speedup.value))
    axes.add_patch(
        Rectangle(corner, 1, 1, facecolor=COLOURS(shade), edgecolor="white", lw=1)
    )
    if point.side is Side.OPEN:
        axes.add_patch(
            Rectangle(
                corner,
                1,
                1,
                facecolor="none",
                edgecolor=FAINT,
                hatch=OPEN_HATCH,
                lw=0,
            )
        )
    is_open = point.side is Side.OPEN
    style = {
        "color": "white" if shade > 0.85 and not is_open else LINE,
        "weight": "bold" if point.side is Side.PAYS else "normal",
        "style": "italic" if point.side is Side.LOSES else "normal",
    }
    batch = point.running_batch
    spot = (x, y if batch is None else y + 0.14)
    _write(axes, spot, _number(cell), size, style, has_ground=is_open)
    if batch is not None:
        small = {"color": style["color"]}
        below = (x, y - 0.22)
        _write(axes, below, words.batch(batch), 0.7 * size, small, has_ground=is_open)


def _number(cell: MapCell) -> str:
    """As short as it can be without saying 1 of what is told from 1."""
    said = cell_words(cell, with_interval=False)
    value = cell.point.speedup.value if cell.point else None
    if value is None or len(said) <= MOST_CHARACTERS:
        return said
    return f"{value:.2f}{said.lstrip('0123456789.')}"


def _write(
    axes: Axes,
    place: tuple[float, float],
    text: str,
    size: float,
    style: Mapping[str, Any],
    *,
    has_ground: bool = False,
) -> None:
    """In the middle of a cell; a pale ground where that is hatched."""
    ground = {"facecolor": "white", "alpha": 0.75, "lw": 0, "pad": 0.6}
    axes.text(
        *place,
        text,
        ha="center",
        va="center",
        fontsize=size,
        zorder=6,
        bbox=ground if has_ground else None,
        **style,
    )
