"""Plots of a run as PNG and SVG bytes. Figures are made one by one, without pyplot's
global state; importing this package loads matplotlib, so import it late."""

import io

from matplotlib import rc_context
from matplotlib.figure import Figure

from specbench.report.facts import RunFacts
from specbench.report.plots.acceptance import draw_acceptance
from specbench.report.plots.needs import draw_needs
from specbench.report.plots.speedup import draw_p95, draw_speedup
from specbench.report.plots.style import DPI, STYLE
from specbench.report.plots.tradeoff import draw_tradeoff
from specbench.schema.findings import RunFindings

DRAWERS = {
    "speedup": draw_speedup,
    "speedup-p95": draw_p95,
    "needed-tokens": draw_needs,
    "throughput-tpot": draw_tradeoff,
    "acceptance": draw_acceptance,
}


def draw_plots(findings: RunFindings, facts: RunFacts) -> dict[str, bytes]:
    """File name -> content. More panels than fit on one figure go on to `NAME-2`.

    The same findings give the same bytes with the same matplotlib."""
    files = {}
    with rc_context(STYLE):
        for name, draw in DRAWERS.items():
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
