"""Speedup by load: one panel a condition, one colour an arm, throughput solid and TPOT
dashed, the answer in words below each panel."""

import math
from collections.abc import Sequence
from typing import Final

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from specbench.report import words
from specbench.report.blocks import make_blocks
from specbench.report.facts import RunFacts
from specbench.report.naming import name_conditions
from specbench.report.plots.labels import add_labels
from specbench.report.plots.series import Series, answer_lines, make_series
from specbench.report.plots.style import (
    FAINT,
    SLOWER_TINT,
    Heading,
    add_legend,
    colour_arms,
    group_panels,
    make_figure,
    say_instead,
    split_pages,
)
from specbench.schema.comparison import SpeedupMetric
from specbench.schema.estimate import Estimate
from specbench.schema.findings import RunFindings

HEADING = Heading(
    "Speedup by load",
    "Arm against the same server without speculation; over 1 is faster."
    " Bars: lowest and highest launch. Diamonds: break-even. c: concurrency.",
)
LINES: Final = {SpeedupMetric.THROUGHPUT: "-", SpeedupMetric.TPOT: "--"}
MARKERS: Final = {SpeedupMetric.THROUGHPUT: "o", SpeedupMetric.TPOT: "s"}
KEY = (
    Line2D([], [], color=FAINT, marker="o", label="output throughput"),
    Line2D(
        [],
        [],
        color=FAINT,
        linestyle="--",
        marker="s",
        markerfacecolor="white",
        label="median TPOT",
    ),
)
DODGE = 0.035
"""Octaves between series, so that their bars do not hide each other."""


def draw_speedup(findings: RunFindings, facts: RunFacts) -> list[Figure]:
    """One figure for each page of panels."""
    blocks = [block for block in make_blocks(findings) if block.arm]
    colours = colour_arms(blocks)
    naming = name_conditions(findings)
    figures = []
    for page in split_pages(group_panels(blocks)):
        figure, panels = make_figure(HEADING, facts, len(page), KEY)
        if not page:
            say_instead(panels[0], "No arm could be compared with its baseline.")
        series = [make_series(panel, findings, colours) for panel in page]
        limits = _limits([one for panel in series for one in panel])
        for axes, panel, curves in zip(panels, page, series, strict=False):
            axes.set_title(naming.condition(panel[0].condition))
            if any(one.points() for one in curves):
                _draw_panel(axes, curves, limits)
                add_legend(axes, answer_lines(panel, curves, facts), len(page))
            else:
                reasons = dict.fromkeys(v.missing for c in curves for v in c.values)
                say_instead(axes, f"No speedup: {words.listed(list(reasons))}")
        figure.draw_without_rendering()  # fixes the layout, so that labels fit it
        for axes, curves in zip(panels, series, strict=False):
            if any(one.points() for one in curves):
                add_labels(axes, curves)
        figures.append(figure)
    return figures


def _limits(series: Sequence[Series]) -> tuple[float, float]:
    """One y range for all panels, with 1 in it and room around."""
    ends = [1.0]
    for one in series:
        for v in one.values:
            ends += [end for end in (v.value, v.low, v.high) if end is not None]
    low, high = min(ends), max(ends)
    room = max(0.06, 0.08 * (high - low))
    return max(0.0, low - 2 * room), high + room


def _draw_panel(
    axes: Axes, series: Sequence[Series], limits: tuple[float, float]
) -> None:
    _set_axes(axes, sorted({load for one in series for load in one.loads}), limits)
    axes.axhspan(limits[0], 1, color=SLOWER_TINT, lw=0, zorder=0)
    axes.axhline(1, color="#222222", lw=1.2, zorder=2)
    for place, one in enumerate(series):
        _draw_series(axes, one, 2 ** (DODGE * (place - (len(series) - 1) / 2)))
        _mark_break_even(axes, one, limits[0])


def _set_axes(axes: Axes, loads: Sequence[int], limits: tuple[float, float]) -> None:
    axes.set_xscale("log", base=2)
    axes.xaxis.set_major_locator(FixedLocator([float(load) for load in loads]))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: words.load(round(x))))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xlim(loads[0] / 2**0.35, loads[-1] * 2**0.35)
    axes.set_ylim(*limits)
    axes.set_xlabel("concurrency (requests in flight)")
    axes.set_ylabel("speedup (×)")


def _draw_series(axes: Axes, one: Series, shift: float) -> None:
    axes.errorbar(
        [load * shift for load in one.loads],
        # a load without a figure leaves a hole in the line
        [math.nan if v.value is None else v.value for v in one.values],
        yerr=_bars(one.values),
        color=one.colour,
        linestyle=LINES[one.metric],
        marker=MARKERS[one.metric],
        markerfacecolor=_fill(one),
        markeredgecolor=one.colour,
        markeredgewidth=1.6,
        elinewidth=1.3,
        capsize=3,
        zorder=3,
    )


def _fill(one: Series) -> str:
    """Open marks for TPOT, filled ones for throughput."""
    return "white" if one.metric is SpeedupMetric.TPOT else one.colour


def _bars(values: Sequence[Estimate]) -> tuple[list[float], list[float]]:
    """Distances down and up to the launches' ends; none where there is no figure."""
    down, up = [], []
    for v in values:
        is_bare = v.value is None or v.low is None or v.high is None
        down.append(0.0 if is_bare else (v.value or 0.0) - (v.low or 0.0))
        up.append(0.0 if is_bare else (v.high or 0.0) - (v.value or 0.0))
    return down, up


def _mark_break_even(axes: Axes, one: Series, bottom: float) -> None:
    """A diamond on the line at 1 and a plumb line down to the load axis."""
    if one.crossing is None:
        return
    axes.vlines(
        one.crossing, bottom, 1, color=one.colour, lw=1.1, linestyle=":", zorder=2
    )
    axes.plot(
        [one.crossing],
        [1],
        marker="D",
        markersize=9,
        color=one.colour,
        markerfacecolor=_fill(one),
        markeredgewidth=1.8,
        linestyle="none",
        zorder=5,
    )
