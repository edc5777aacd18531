"""Plots of a run as PNG and SVG bytes. Figures are made one by one, without pyplot's
global state; importing this package loads matplotlib, so import it late."""

import io

from matplotlib import rc_context
from matplotlib.figure import Figure

from specbench.report.facts import RunFacts
from specbench.report.plots.acceptance import draw_acceptance
from specbench.report.plots.categories import draw_categories
from specbench.report.plots.context_map import draw_context_map
from specbench.report.plots.latency import draw_goodput, draw_latency
from specbench.report.plots.needs import draw_needs
from specbench.report.plots.speedup import (
    draw_open_p95,
    draw_open_speedup,
    draw_p95,
    draw_speedup,
)
from specbench.report.plots.style import DPI, STYLE
from specbench.report.plots.temperatures import draw_temperatures
from specbench.report.plots.tradeoff import draw_tradeoff
from specbench.schema.findings import RunFindings

DRAWERS = {
    "speedup": draw_speedup,
    "speedup-p95": draw_p95,
    "needed-tokens": draw_needs,
    "throughput-tpot": draw_tradeoff,
    "acceptance": draw_acceptance,
}
"""Of every run with a closed loop, if only to say that there is nothing to draw."""
OPEN_DRAWERS = {
    "speedup": draw_open_speedup,
    "speedup-p95": draw_open_p95,
    "latency": draw_latency,
    "goodput": draw_goodput,
    "acceptance": draw_acceptance,
}
"""Of every run with an open loop."""
AXIS_DRAWERS = {
    "context-map": draw_context_map,
    "acceptance-temperature": draw_temperatures,
    "acceptance-category": draw_categories,
}
"""Of runs with several contexts, temperatures or categories; no figure for any
other."""


def draw_plots(findings: RunFindings, facts: RunFacts) -> dict[str, bytes]:
    """File name -> content. More panels than fit on one figure go on to `NAME-2`.

    The same findings give the same bytes with the same matplotlib."""
    files = {}
    is_open = any(cell.key.condition.is_open for cell in findings.cells)
    drawers = OPEN_DRAWERS if is_open else DRAWERS
    with rc_context(STYLE):
        for name, draw in (drawers | AXIS_DRAWERS).items():
            for page, figure in enumerate(draw(findings, facts), start=1):
                stem = name if page == 1 else f"{name}-{page}"
                files[f"{stem}.png"] = _save(figure, "png")
                files[f"{stem}.svg"] = _save(figure, "svg")
    return files


def _save(figure: Figure, kind: str) -> bytes:
    # no date and no version in the file: equal figures are equal bytes
    metadata = {"Date": None} if kind == "svg" else {"Software": None}
    content = io.BytesIO()
    figure.savefig(content, format=kind, dpi=DPI, metadata=metadata)
    return content.getvalue()
