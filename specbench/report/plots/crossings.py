"""Break-evens on the line at 1 of a speedup panel: a diamond, a bar for its interval,
a plumb line down to the load axis."""

from typing import Any

from matplotlib.axes import Axes
from matplotlib.transforms import ScaledTranslation

from specbench.report.plots.series import Series
from specbench.schema.comparison import SpeedupMetric
from specbench.schema.estimate import Interval

BAR = 5.0
"""Points: the thickness of an interval's bar."""
BESIDE = {
    SpeedupMetric.THROUGHPUT: 3.0,
    SpeedupMetric.E2E: 3.0,
    SpeedupMetric.TPOT: -3.0,
}
"""Points above the line, so that an arm's two bars touch it from both sides."""
OPACITY = 0.55


def mark_crossings(axes: Axes, one: Series) -> None:
    """All crossings of a curve."""
    for crossed in one.crossings():
        at, bottom = crossed.concurrency, axes.get_ylim()[0]
        axes.vlines(at, bottom, 1, color=one.colour, lw=1.1, linestyle=":", zorder=2)
        if crossed.concurrency_interval is not None:
            _draw_interval(axes, one, crossed.concurrency_interval)
        is_filled = one.metric is not SpeedupMetric.TPOT
        axes.plot(
            [at],
            [1],
            marker="D",
            markersize=8,
            color=one.colour,
            markerfacecolor=one.colour if is_filled else "white",
            markeredgewidth=1.6,
            linestyle="none",
            zorder=6,
        )


def _draw_interval(axes: Axes, one: Series, interval: Interval) -> None:
    """A bar; an open end goes on to the panel's edge and has a point."""
    figure = axes.get_figure(root=True)
    if figure is None:
        return
    up = BESIDE.get(one.metric, 0.0) / 72
    style: dict[str, Any] = {
        "transform": axes.transData + ScaledTranslation(0, up, figure.dpi_scale_trans),
        "color": one.colour,
        "zorder": 5,
    }
    low, high = _ends(axes, interval)
    axes.plot(
        [low, high], [1, 1], lw=BAR, alpha=OPACITY, solid_capstyle="butt", **style
    )
    points = ((low, interval.low, "<"), (high, interval.high, ">"))
    for end, known, marker in points:
        if known is None:
            axes.plot(
                [end],
                [1],
                marker=marker,
                markersize=9,
                linestyle="none",
                clip_on=False,
                **style,
            )


def _ends(axes: Axes, interval: Interval) -> tuple[float, float]:
    """On the panel: an open end reaches its edge."""
    left, right = axes.get_xlim()
    low, high = interval.low, interval.high
    return left if low is None else low, right if high is None else high
