"""Latency and goodput of an open loop over the rate, both arms: what a user waits, and
how many are served well. The rate at which the arms' lines cross is the break-even."""

from collections.abc import Callable, Iterator, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

from specbench.report.arm_figures import ArmFigures
from specbench.report.blocks import Block, make_blocks
from specbench.report.facts import RunFacts
from specbench.report.naming import name_conditions
from specbench.report.open_figures import (
    GOODPUT_FIGURES,
    LATENCY_FIGURES,
    OpenFigure,
)
from specbench.report.plots.curves import (
    RATE,
    Look,
    draw_curve,
    key_line,
    key_mark,
    set_load_axis,
)
from specbench.report.plots.series import answer_lines, make_series
from specbench.report.plots.style import (
    BASELINE_COLOUR,
    FAINT,
    Heading,
    Key,
    add_legend,
    colour_arms,
    group_panels,
    make_figure,
    say_instead,
    split_pages,
)
from specbench.schema.comparison import SpeedupMetric
from specbench.schema.findings import RunFindings

LATENCY = Heading(
    "Latency by request rate",
    "From the instant when a request was due. Grey: without speculation. Hollow: the"
    " server fell behind, so that latency depends on how long requests arrived.",
)
GOODPUT = Heading(
    "Goodput by request rate",
    "Requests per second that kept every limit of the [slo]. Grey: without"
    " speculation. Dotted: all that arrive.",
)
OVERLOADED = "overloaded"
LINES = (
    (LATENCY_FIGURES["end-to-end"][0], "-", "o", "end-to-end, median"),
    (LATENCY_FIGURES["end-to-end"][3], "--", "^", "end-to-end, p99"),
    (LATENCY_FIGURES["TTFT"][0], (0, (1, 1.5)), "v", "TTFT, median"),
)
GOOD = GOODPUT_FIGURES[0]

Draw = Callable[[Axes, Sequence[Block], dict[str, str]], None]


def draw_latency(findings: RunFindings, facts: RunFacts) -> list[Figure]:
    """One figure for each page of panels."""
    key = (
        *(
            key_line(Look(FAINT, line, mark, has_band=False), said)
            for _, line, mark, said in LINES
        ),
        key_mark("o", "overloaded"),
    )
    return _draw(findings, facts, LATENCY, key, _draw_latency_panel)


def draw_goodput(findings: RunFindings, facts: RunFacts) -> list[Figure]:
    """No figure where nothing says what a good request is."""
    if not any(c.open_load and c.open_load.goodput for c in findings.cells):
        return []
    arriving = Line2D([], [], color=FAINT, linestyle=":", label="all that arrive")
    return _draw(findings, facts, GOODPUT, (arriving,), _draw_goodput_panel)


def _draw(
    findings: RunFindings, facts: RunFacts, heading: Heading, key: Key, draw: Draw
) -> list[Figure]:
    blocks = make_blocks(findings)
    colours = colour_arms(blocks)
    naming = name_conditions(findings)
    is_goodput = heading is GOODPUT
    metrics = (
        (SpeedupMetric.GOODPUT,)
        if is_goodput
        else (SpeedupMetric.E2E, SpeedupMetric.TTFT)
    )
    figures = []
    for page in split_pages(group_panels(blocks)):
        figure, panels = make_figure(heading, facts, len(page), key)
        if not page:
            say_instead(panels[0], "No cell was measured.")
        for axes, panel in zip(panels, page, strict=False):
            axes.set_title(naming.condition(panel[0].condition))
            draw(axes, panel, {arm: look[0] for arm, look in colours.items()})
            arms = [block for block in panel if block.arm]
            series = make_series(arms, metrics, findings, colours)
            add_legend(axes, answer_lines(arms, series, facts), len(page))
        figures.append(figure)
    return figures


def _draw_latency_panel(
    axes: Axes, panel: Sequence[Block], colours: dict[str, str]
) -> None:
    for figure, line, mark, _ in LINES:
        for sides, colour in _arms(panel, colours):
            _draw_arm(axes, sides, figure, Look(colour, line, mark, has_band=False))
    if not any(_has_figure(sides) for sides, _ in _arms(panel, colours)):
        say_instead(axes, "No cell counts that has a latency.")
        return
    _set_axis(axes, panel)
    axes.set_yscale("log")
    axes.yaxis.set_major_locator(LogLocator(base=10, subs=(1.0, 2.0, 5.0)))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda y, _: f"{y:g}"))
    axes.yaxis.set_minor_locator(NullLocator())
    axes.set_ylabel("seconds")


def _draw_goodput_panel(
    axes: Axes, panel: Sequence[Block], colours: dict[str, str]
) -> None:
    for sides, colour in _arms(panel, colours):
        _draw_arm(axes, sides, GOOD, Look(colour, "-", "o", has_band=False))
    rates = [row.load for row in panel[0].rows]
    axes.plot(rates, rates, color=FAINT, linestyle=":", lw=1.4, zorder=1)
    _set_axis(axes, panel)
    axes.set_ylim(bottom=0)
    axes.set_ylabel("good requests/s")


Sides = list[tuple[float, ArmFigures]]
"""One arm by rate."""


def _arms(
    panel: Sequence[Block], colours: dict[str, str]
) -> Iterator[tuple[Sides, str]]:
    """The baseline first, then each arm, with its colour."""
    yield [(row.load, row.baseline) for row in panel[0].rows], BASELINE_COLOUR
    for block in panel:
        if block.arm:
            rows = [(row.load, row.arm) for row in block.rows if row.arm]
            yield rows, colours[block.arm]


def _draw_arm(axes: Axes, sides: Sides, figure: OpenFigure, look: Look) -> None:
    """Hollow where the arm was overloaded in any launch."""
    draw_curve(
        axes,
        [load for load, _ in sides],
        [figure.of(side) for _, side in sides],
        [
            any(f.code == OVERLOADED for c in side.counted for f in c.findings)
            for _, side in sides
        ],
        look,
    )


def _has_figure(sides: Sides) -> bool:
    return any(
        figure.of(side).value is not None for figure, *_ in LINES for _, side in sides
    )


def _set_axis(axes: Axes, panel: Sequence[Block]) -> None:
    set_load_axis(axes, (row.load for block in panel for row in block.rows), RATE)
