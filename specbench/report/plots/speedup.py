"""Speedup by load: one panel a condition, one colour an arm, throughput solid and
median TPOT dashed, p95 TPOT in a figure of its own; of an open loop the end-to-end
latency solid, and its p95 by itself. The answer stands in words below each panel."""

from collections.abc import Sequence
from typing import Final

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from specbench.report import words
from specbench.report.blocks import make_blocks
from specbench.report.facts import RunFacts
from specbench.report.naming import name_conditions
from specbench.report.plots.crossings import BAR, mark_crossings
from specbench.report.plots.curves import (
    BAND_KEY,
    CONCURRENCY,
    RATE,
    Look,
    draw_curve,
    key_line,
    key_mark,
    set_load_axis,
    value_limits,
)
from specbench.report.plots.labels import add_labels
from specbench.report.plots.series import Series, answer_lines, make_series
from specbench.report.plots.style import (
    FAINT,
    SLOWER_TINT,
    Heading,
    Key,
    add_legend,
    colour_arms,
    group_panels,
    make_figure,
    say_instead,
    split_pages,
)
from specbench.schema.comparison import Side, SpeedupMetric
from specbench.schema.findings import RunFindings

HOW = (
    "Arm against the same server without speculation; over 1 is faster. c: concurrency."
)
LINES: Final = {
    SpeedupMetric.THROUGHPUT: "-",
    SpeedupMetric.TPOT: "--",
    SpeedupMetric.TPOT_P95: "-.",
    SpeedupMetric.E2E: "-",
    SpeedupMetric.E2E_P95: "-.",
}
MARKERS: Final = {
    SpeedupMetric.THROUGHPUT: "o",
    SpeedupMetric.TPOT: "s",
    SpeedupMetric.TPOT_P95: "^",
    SpeedupMetric.E2E: "o",
    SpeedupMetric.E2E_P95: "^",
}
MAIN = (SpeedupMetric.THROUGHPUT, SpeedupMetric.TPOT)
OPEN_HOW = (
    "Arm against the same server without speculation, at the same arrivals; over 1 is"
    " faster."
)
OPEN_MAIN = (SpeedupMetric.E2E, SpeedupMetric.TPOT)
OPEN_FIRST = (SpeedupMetric.E2E, SpeedupMetric.E2E_P95)
"""One of them is the first of a figure over rates."""
DODGE = 0.035
"""Octaves between series, so that they do not hide each other."""


def draw_speedup(findings: RunFindings, facts: RunFacts) -> list[Figure]:
    """Throughput and median TPOT; one figure for each page of panels."""
    return _draw(findings, facts, Heading("Speedup by load", HOW), MAIN)


def draw_p95(findings: RunFindings, facts: RunFacts) -> list[Figure]:
    """The 95th percentile of TPOT."""
    heading = Heading("Speedup of p95 TPOT by load", HOW)
    return _draw(findings, facts, heading, (SpeedupMetric.TPOT_P95,))


def draw_open_speedup(findings: RunFindings, facts: RunFacts) -> list[Figure]:
    """Median end-to-end latency and median TPOT over the rates of an open loop."""
    return _draw(findings, facts, Heading("Speedup by rate", OPEN_HOW), OPEN_MAIN)


def draw_open_p95(findings: RunFindings, facts: RunFacts) -> list[Figure]:
    """The 95th percentile of the end-to-end latency."""
    heading = Heading("Speedup of p95 end-to-end latency by rate", OPEN_HOW)
    return _draw(findings, facts, heading, (SpeedupMetric.E2E_P95,))


def _draw(
    findings: RunFindings,
    facts: RunFacts,
    heading: Heading,
    metrics: Sequence[SpeedupMetric],
) -> list[Figure]:
    blocks = [block for block in make_blocks(findings) if block.arm]
    colours = colour_arms(blocks)
    naming = name_conditions(findings)
    figures = []
    for page in split_pages(group_panels(blocks)):
        figure, panels = make_figure(heading, facts, len(page), _key(metrics))
        if not page:
            say_instead(panels[0], "No arm could be compared with its baseline.")
        series = [make_series(panel, metrics, findings, colours) for panel in page]
        values = [v for panel in series for one in panel for v in one.values]
        limits = value_limits(values, 1.0)
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


def _key(metrics: Sequence[SpeedupMetric]) -> Key:
    crossing = Line2D(
        [],
        [],
        color=FAINT,
        marker="D",
        markersize=8,
        lw=BAR,
        label="break-even and its 95 % interval",
    )
    return (
        *(key_line(_look(metric, FAINT), words.metric(metric)) for metric in metrics),
        key_mark(MARKERS[metrics[0]], "not told from 1"),
        BAND_KEY,
        crossing,
    )


def _look(metric: SpeedupMetric, colour: str) -> Look:
    has_band = metric is not SpeedupMetric.TPOT
    return Look(colour, LINES[metric], MARKERS[metric], has_band=has_band)


def _draw_panel(
    axes: Axes, series: Sequence[Series], limits: tuple[float, float]
) -> None:
    loads = [load for one in series for load in one.loads]
    is_open = series[0].metric in OPEN_FIRST
    set_load_axis(axes, loads, RATE if is_open else CONCURRENCY)
    axes.set_ylim(*limits)
    axes.set_ylabel("speedup (×)")
    axes.axhspan(limits[0], 1, color=SLOWER_TINT, lw=0, zorder=0)
    axes.axhline(1, color="#222222", lw=1.2, zorder=2)
    for place, one in enumerate(series):
        shift = 2 ** (DODGE * (place - (len(series) - 1) / 2))
        shifted = [load * shift for load in one.loads]
        hollow = [side is Side.OPEN for side in one.sides]
        look = _look(one.metric, one.colour)
        draw_curve(axes, shifted, one.values, hollow, look)
    for one in series:
        mark_crossings(axes, one)
