"""Throughput against TPOT: what a user feels against what the machine yields. Each
mark carries its concurrency; an arrow leads from baseline to arm at equal load."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter, NullLocator

from specbench.report import words
from specbench.report.arm_figures import ArmFigures
from specbench.report.blocks import Block, make_blocks
from specbench.report.facts import RunFacts
from specbench.report.naming import name_conditions
from specbench.report.plots.style import (
    BASELINE_COLOUR,
    LIGHT_COLOURS,
    Heading,
    colour_arms,
    group_panels,
    make_figure,
    say_instead,
    split_pages,
)
from specbench.schema.findings import RunFindings

HEADING = Heading(
    "Throughput against time per output token",
    "Up and to the left is better. Number in a mark: concurrency."
    " Arrow: from baseline to arm at equal concurrency.",
)
LOG_FROM = 4.0
"""An axis whose values span more than this factor is logarithmic."""

MARK_SIZES = {1: 16.0, 2: 15.0, 3: 13.0, 4: 12.0}
"""Points, by the number of panels; a mark holds its concurrency."""
DIGIT_SHARES = {1: 0.55, 2: 0.52, 3: 0.4}
"""Size of the number, as a share of its mark, by its digits."""
FEW_TICKS = (1.0, 2.0, 5.0)
MANY_TICKS = (1.0, 2.0, 3.0, 5.0, 7.0)
MANY_UNTIL = 20.0

Spot = tuple[float, float]
"""Median TPOT in ms, output tokens/s."""


@dataclass(frozen=True, slots=True)
class Line:
    """One arm of a panel, by load."""

    spots: dict[float, Spot | None]
    colour: str
    marker: str

    def known(self) -> dict[float, Spot]:
        """Loads that have both figures."""
        return {load: spot for load, spot in self.spots.items() if spot is not None}


def draw_tradeoff(findings: RunFindings, facts: RunFacts) -> list[Figure]:
    """One figure for each page of panels."""
    blocks = make_blocks(findings)
    colours = colour_arms(blocks)
    key = _key(colours, _names(blocks, facts))
    naming = name_conditions(findings)
    figures = []
    for page in split_pages(group_panels(blocks)):
        lines = [_lines(panel, colours) for panel in page]
        figure, panels = make_figure(HEADING, facts, len(page), key)
        if not page:
            say_instead(panels[0], "No cell was measured.")
        for axes, panel, drawn in zip(panels, page, lines, strict=False):
            axes.set_title(naming.condition(panel[0].condition))
            _draw_panel(axes, drawn, MARK_SIZES[len(page)])
        figures.append(figure)
    return figures


def _names(blocks: Sequence[Block], facts: RunFacts) -> dict[str, str]:
    """What arms are called, marked where they are not lossless on some target."""
    names: dict[str, str] = {}
    for block in blocks:
        if block.arm and names.get(block.arm, block.arm) == block.arm:
            names[block.arm] = facts.arm_name(block.condition.target, block.arm)
    return names


def _key(colours: dict[str, tuple[str, str]], names: dict[str, str]) -> list[Line2D]:
    looks = {"baseline": (BASELINE_COLOUR, "o"), **colours}
    return [
        Line2D(
            [],
            [],
            color=colour,
            marker=marker,
            markersize=11,
            label=names.get(arm, arm),
        )
        for arm, (colour, marker) in looks.items()
    ]


def _lines(panel: Sequence[Block], colours: dict[str, tuple[str, str]]) -> list[Line]:
    """The baseline first, then the arms."""
    baseline = {row.load: _spot(row.baseline) for row in panel[0].rows}
    lines = [Line(baseline, BASELINE_COLOUR, "o")]
    for block in panel:
        if block.arm:
            spots = {row.load: _spot(row.arm) for row in block.rows}
            lines.append(Line(spots, *colours[block.arm]))
    return lines


def _draw_panel(axes: Axes, lines: Sequence[Line], size: float) -> None:
    known = [spot for line in lines for spot in line.known().values()]
    if not known:
        say_instead(axes, "No cell has both a throughput and a TPOT.")
        return
    for order, line in enumerate(lines):
        if order:
            _draw_arrows(axes, lines[0].known(), line.known(), line.colour)
        _draw_line(axes, line, 3 + order, size)
    _scale(axes, "x", [spot[0] for spot in known])
    _scale(axes, "y", [spot[1] for spot in known])
    axes.set_xlabel("median TPOT (ms per output token)")
    axes.set_ylabel("output tokens/s")


def _spot(side: ArmFigures | None) -> Spot | None:
    if side is None or side.tpot.value is None:
        return None
    if side.output_throughput.value is None:
        return None
    return side.tpot.value * 1e3, side.output_throughput.value


def _draw_arrows(
    axes: Axes, baseline: dict[float, Spot], spots: dict[float, Spot], colour: str
) -> None:
    for load in sorted(baseline.keys() & spots.keys()):
        axes.annotate(
            "",
            xy=spots[load],
            xytext=baseline[load],
            arrowprops={
                "arrowstyle": "-|>",
                "color": colour,
                "alpha": 0.5,
                "lw": 1.2,
                "shrinkA": 8,
                "shrinkB": 8,
                "mutation_scale": 9,
            },
            zorder=2,
        )


def _draw_line(axes: Axes, line: Line, order: int, size: float) -> None:
    spots = line.known()
    axes.plot(
        [spot[0] for spot in spots.values()],
        [spot[1] for spot in spots.values()],
        color=line.colour,
        marker=line.marker,
        markersize=size,
        markeredgecolor="white",
        markeredgewidth=1.0,
        lw=1.4,
        zorder=order,
    )
    for load, spot in spots.items():
        axes.annotate(
            words.asked(load),
            spot,
            ha="center",
            va="center_baseline",
            fontsize=size * DIGIT_SHARES.get(len(words.asked(load)), 0.3),
            color="black" if line.colour in LIGHT_COLOURS else "white",
            weight="bold",
            zorder=order + 0.1,
        )


def _scale(axes: Axes, name: Literal["x", "y"], values: Sequence[float]) -> None:
    """Linear, or logarithmic with plain numbers; room for the marks at the ends."""
    low, high = min(values), max(values)
    axis = axes.xaxis if name == "x" else axes.yaxis
    set_limits = axes.set_xlim if name == "x" else axes.set_ylim
    if low > 0 and high / low > LOG_FROM:
        (axes.set_xscale if name == "x" else axes.set_yscale)("log")
        ticks = MANY_TICKS if high / low < MANY_UNTIL else FEW_TICKS
        axis.set_major_locator(LogLocator(base=10, subs=ticks))
        axis.set_minor_locator(NullLocator())
        room = max((high / low) ** 0.09, 1.1)
        set_limits(low / room, high * room)
    else:
        room = 0.1 * (high - low) or 0.1 * high or 1.0
        set_limits(low - room, high + room)
    axis.set_major_formatter(FuncFormatter(lambda v, _: f"{v:g}"))
    axis.set_minor_formatter(NullFormatter())
