"""The figure of a cell that a speedup compares, turned so that higher is better."""

from specbench.schema.comparison import SpeedupMetric
from specbench.schema.findings import CellStats

ENOUGH_FOR_P95 = 20
"""Requests below which a 95th percentile is the slowest request or beyond it."""


def figure_of(cell: CellStats, metric: SpeedupMetric) -> float | None:
    """Tokens per second: output throughput, or one over TPOT. None where the cell has
    none, or where it is zero."""
    if metric is SpeedupMetric.THROUGHPUT:
        return cell.output_throughput or None
    if cell.tpot is None:
        return None
    if metric is SpeedupMetric.TPOT:
        tpot = cell.tpot.p50
    elif cell.tpot.n < ENOUGH_FOR_P95:
        return None
    else:
        tpot = cell.tpot.p95
    return 1 / tpot if tpot else None


def name_of(metric: SpeedupMetric) -> str:
    """What a cell without the figure lacks."""
    if metric is SpeedupMetric.TPOT_P95:
        return f"p95 of TPOT: fewer than {ENOUGH_FOR_P95} requests at full load"
    return "throughput" if metric is SpeedupMetric.THROUGHPUT else "TPOT"


def form_of(cell: CellStats, metric: SpeedupMetric) -> tuple[str, bool]:
    """How the figure was made; figures of different forms are not compared."""
    if metric is SpeedupMetric.THROUGHPUT:
        return ("", False)
    return (cell.latency_basis.value, cell.tpot_is_usual)
