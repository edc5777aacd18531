"""The speedup map: a panel for each arm, data set, temperature and metric, contexts up,
loads across; colour is the log of the speedup around 1, and every cell also says its
number, so that the map can be read without colour."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from matplotlib.axes import Axes
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from specbench.report import words
from specbench.report.context_map import CellKind, ContextMap, make_maps
from specbench.report.context_words import (
    break_even_lines,
    context_head,
    critical_line,
)
from specbench.report.facts import RunFacts
from specbench.report.naming import name_conditions
from specbench.report.plots.map_cells import (
    COLOURS,
    FILLS,
    HATCHES,
    LINE,
    NOTHING,
    OPEN_HATCH,
    draw_cell,
)
from specbench.report.plots.map_line import contour_pieces, place_of
from specbench.report.plots.style import (
    FAINT,
    Heading,
    add_legend,
    make_figure,
)
from specbench.schema.comparison import BreakEvenOutcome, Side
from specbench.schema.findings import RunFindings

HEADING = Heading(
    "Speedup over batch x context",
    "Over 1 the arm is faster than without speculation. Bold: pays; italic: loses."
    " Below: the baseline's running batch. q: only the arm waits for admission.",
)
LEAST_RANGE = math.log(1.25)
"""Of the colours, either way, so that mere noise looks pale."""
TICKS = (0.1, 0.2, 0.33, 0.5, 0.67, 0.8, 1.0, 1.25, 1.5, 2.0, 3.0, 5.0, 10.0)
IN_KEY = {
    CellKind.NO_SPEEDUP: "void, or no figure",
    CellKind.NOT_MEASURED: "not measured",
    CellKind.PLANNED_OUT: "does not fit into any arm's KV cache or context limit",
}
MAPS_PER_PAGE = 2
LEGEND_LIKE = {1: 1, 2: 3}
"""Panels on a page -> of how many panels the legend is as narrow: the bar of colours
needs room too."""
NOT_TOLD = ":"
MOST_LINES = 5
"""Of answers below a panel; the report has all of them."""


def draw_context_map(findings: RunFindings, facts: RunFacts) -> list[Figure]:
    """One figure for each page of panels; none for a run with one context."""
    maps = make_maps(findings)
    naming = replace(name_conditions(findings), has_contexts=False)
    norm = _norm(maps)
    figures = []
    for start in range(0, len(maps), MAPS_PER_PAGE):
        page = maps[start : start + MAPS_PER_PAGE]
        figure, panels = make_figure(HEADING, facts, len(page), _key(page))
        for axes, shown in zip(panels, page, strict=False):
            name = facts.arm_name(shown.target, shown.arm)
            condition = naming.condition(shown.loads[0])
            axes.set_title(f"{name}, {condition}: {words.metric(shown.metric)}")
            _draw_panel(axes, shown, norm)
            add_legend(axes, _answer_lines(shown), LEGEND_LIKE[len(page)])
        _add_colour_bar(figure, panels[: len(page)], norm)
        figures.append(figure)
    return figures


def _norm(maps: Sequence[ContextMap]) -> Normalize:
    """The same colours in all panels; white is 1."""
    logs = [
        abs(math.log(cell.point.speedup.value))
        for shown in maps
        for row in shown.rows
        for cell in row
        if cell.point and cell.point.speedup.value
    ]
    end = max([LEAST_RANGE, *logs])
    return Normalize(-end, end)


def _draw_panel(axes: Axes, shown: ContextMap, norm: Normalize) -> None:
    for y, row in enumerate(shown.rows):
        for x, cell in enumerate(row):
            draw_cell(axes, cell, (x, y), norm, len(shown.loads))
    for start, end, is_told in contour_pieces(shown):
        style = "-" if is_told else NOT_TOLD
        axes.plot(*zip(start, end, strict=True), style, color=LINE, lw=2.4, zorder=5)
    _mark_break_evens(axes, shown)
    axes.set_xlim(-0.5, len(shown.loads) - 0.5)
    axes.set_ylim(-0.5, len(shown.contexts) - 0.5)
    is_open = shown.loads[0].is_open
    names = [words.asked(c.asked) for c in shown.loads]
    _label(axes.xaxis, names)
    _label(axes.yaxis, [context_head(context) for context in shown.contexts])
    axes.set_xlabel("requests per second" if is_open else "concurrency")
    axes.set_ylabel("context (prompt tokens)")
    axes.grid(visible=False)


def _label(axis: Any, names: Sequence[str]) -> None:
    axis.set_major_locator(FixedLocator([float(i) for i in range(len(names))]))
    axis.set_major_formatter(FuncFormatter(lambda at, _: names[round(at)]))
    axis.set_minor_locator(NullLocator())


def _mark_break_evens(axes: Axes, shown: ContextMap) -> None:
    """The decided break-even context of each load, with its interval."""
    columns = {c.load: x for x, c in enumerate(shown.loads)}
    for answer in shown.break_evens:
        if answer.outcome is BreakEvenOutcome.UNDECIDED:
            continue
        x = columns[answer.curve.points[0].condition.load] + 0.42
        for crossing in answer.crossings:
            if crossing.at is None:
                continue
            at = place_of(crossing.at, shown.contexts)
            interval = crossing.interval
            if interval is not None:
                low, high = (
                    place_of(end, shown.contexts) if end is not None else edge
                    for end, edge in (
                        (interval.low, -0.5),
                        (interval.high, len(shown.contexts) - 0.5),
                    )
                )
                axes.plot([x, x], [low, high], color=LINE, lw=1.6, zorder=7)
            axes.plot(
                [x], [at], marker="D", color=LINE, ms=5, mec="white", zorder=8, ls=""
            )


def _answer_lines(shown: ContextMap) -> list[tuple[str, str]]:
    lines = [*break_even_lines(shown)[:MOST_LINES], critical_line(shown)]
    return [(line, LINE) for line in lines if line]


def _key(maps: Sequence[ContextMap]) -> list[Any]:
    """Only what the page shows."""
    kinds = {cell.kind for shown in maps for row in shown.rows for cell in row}
    handles: list[Any] = [
        Line2D([], [], color=LINE, lw=2.4, label="break-even line (speedup 1)"),
        Line2D(
            [],
            [],
            color=LINE,
            marker="D",
            mec="white",
            lw=1.6,
            label="break-even context and its 95 % interval",
        ),
    ]
    if any(_open_cells(maps)):
        unsure = "the same beside a cell not told from 1"
        handles.insert(1, Line2D([], [], ls=NOT_TOLD, color=LINE, lw=2.4, label=unsure))
        handles.append(_patch(NOTHING, OPEN_HATCH, "not told from 1"))
    handles += [
        _patch(FILLS[kind], HATCHES[kind], label)
        for kind, label in IN_KEY.items()
        if kind in kinds
    ]
    return handles


def _open_cells(maps: Sequence[ContextMap]) -> Iterator[bool]:
    for shown in maps:
        for row in shown.rows:
            for cell in row:
                yield cell.point is not None and cell.point.side is Side.OPEN


def _patch(colour: str, hatch: str, label: str) -> Patch:
    return Patch(facecolor=colour, edgecolor=FAINT, hatch=hatch, lw=0.6, label=label)


def _add_colour_bar(figure: Figure, panels: Sequence[Axes], norm: Normalize) -> None:
    from matplotlib.cm import ScalarMappable

    bar = figure.colorbar(
        ScalarMappable(norm, COLOURS), ax=list(panels), fraction=0.03, pad=0.02
    )
    ticks = [t for t in TICKS if abs(math.log(t)) <= (norm.vmax or 0)]
    bar.set_ticks([math.log(t) for t in ticks], labels=[f"{t:g}" for t in ticks])
    bar.set_label("speedup (log scale)")
    bar.ax.axhline(0, color=LINE, lw=1.6)
