"""Curves over the load: a line with marks, a band or bars for its intervals, hollow
marks where a figure says less than it seems to."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from specbench.report import words
from specbench.report.plots.style import FAINT
from specbench.schema.estimate import Estimate

BAND = 0.17
"""Opacity of an interval."""
BAND_KEY = Patch(color=FAINT, alpha=2 * BAND, lw=0, label="95 % interval (band, bar)")
CONCURRENCY = "concurrency (requests in flight)"
RATE = "request rate (requests/s)"
ROOM = 2**0.35
"""Of the load axis, at both ends."""

Spot = tuple[float, float, float]
"""Load, lower and upper end of an interval."""


@dataclass(frozen=True, slots=True)
class Look:
    """How a curve is drawn."""

    colour: str
    line: Any
    """A line style of matplotlib: a string or dashes."""
    marker: str
    width: float = 2.0
    has_band: bool = True
    """Else bars, so that two curves of one colour can be told apart."""


def draw_curve(
    axes: Axes,
    loads: Sequence[float],
    figures: Sequence[Estimate],
    hollow: Sequence[bool],
    look: Look,
) -> None:
    """A load without a figure leaves a hole in line and band."""
    for stretch in _stretches(loads, figures):
        if look.has_band and len(stretch) > 1:
            _draw_band(axes, stretch, look.colour)
        else:
            _draw_bars(axes, stretch, look.colour)
    values = [math.nan if f.value is None else f.value for f in figures]
    style: dict[str, Any] = {"color": look.colour, "marker": look.marker}
    axes.plot(loads, values, linestyle=look.line, lw=look.width, zorder=3, **style)
    open_ones = [i for i, is_hollow in enumerate(hollow) if is_hollow]
    axes.plot(
        [loads[i] for i in open_ones],
        [values[i] for i in open_ones],
        linestyle="none",
        zorder=4,
        **style,
        **HOLLOW,
    )


HOLLOW: dict[str, Any] = {"markerfacecolor": "white", "markeredgewidth": 1.6}


def key_line(look: Look, label: str) -> Line2D:
    """The same look in the key."""
    return Line2D(
        [],
        [],
        color=look.colour,
        linestyle=look.line,
        marker=look.marker,
        lw=look.width,
        label=label,
    )


def key_mark(marker: str, label: str) -> Line2D:
    """A hollow mark in the key."""
    style: dict[str, Any] = {"color": FAINT, "marker": marker, "linestyle": "none"}
    return Line2D([], [], label=label, **style, **HOLLOW)


def set_load_axis(axes: Axes, loads: Iterable[float], name: str = CONCURRENCY) -> None:
    """Logarithmic, with a tick at each measured load."""
    ticks = sorted(set(loads))
    axes.set_xscale("log", base=2)
    axes.xaxis.set_major_locator(FixedLocator(ticks))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: words.asked(x)))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xlim(ticks[0] / ROOM, ticks[-1] * ROOM)
    axes.set_xlabel(name)


def value_limits(figures: Iterable[Estimate], *always: float) -> tuple[float, float]:
    """The range of these figures and their intervals, with room around."""
    ends = list(always)
    for figure in figures:
        span = figure.interval
        edges = (span.low, span.high) if span else ()
        ends += [end for end in (figure.value, *edges) if end is not None]
    low, high = min(ends), max(ends)
    room = max(0.06, 0.08 * (high - low))
    return max(0.0, low - 2 * room), high + room


def _stretches(
    loads: Sequence[float], figures: Sequence[Estimate]
) -> Iterable[list[Spot]]:
    """Neighbouring loads that have an interval."""
    stretch: list[Spot] = []
    for load, figure in zip(loads, figures, strict=True):
        span = figure.interval
        if span is None or span.low is None or span.high is None:
            if stretch:
                yield stretch
            stretch = []
        else:
            stretch.append((load, span.low, span.high))
    if stretch:
        yield stretch


def _draw_band(axes: Axes, stretch: Sequence[Spot], colour: str) -> None:
    loads, lows, highs = zip(*stretch, strict=True)
    axes.fill_between(loads, lows, highs, color=colour, alpha=BAND, lw=0, zorder=1)


def _draw_bars(axes: Axes, stretch: Sequence[Spot], colour: str) -> None:
    loads, lows, highs = zip(*stretch, strict=True)
    middles = [(low + high) / 2 for low, high in zip(lows, highs, strict=True)]
    halves = [(high - low) / 2 for low, high in zip(lows, highs, strict=True)]
    axes.errorbar(
        loads,
        middles,
        yerr=halves,
        color=colour,
        fmt="none",
        elinewidth=1.2,
        capsize=3.5,
        zorder=2,
    )
