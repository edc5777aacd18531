"""The figure of a cell that a speedup compares, turned so that higher is better."""

from specbench.schema.comparison import SpeedupMetric
from specbench.schema.findings import CellStats


def figure_of(cell: CellStats, metric: SpeedupMetric) -> float | None:
    """Tokens per second: output throughput, or one over TPOT. None where the cell has
    none, or where it is zero."""
    if metric is SpeedupMetric.THROUGHPUT:
        return cell.output_throughput or None
    if cell.tpot is None:
        return None
    tpot = cell.tpot.p50 if metric is SpeedupMetric.TPOT else cell.tpot.p95
    return 1 / tpot if tpot else None


def name_of(metric: SpeedupMetric) -> str:
    """What a cell without the figure lacks."""
    return "throughput" if metric is SpeedupMetric.THROUGHPUT else "TPOT"


def form_of(cell: CellStats, metric: SpeedupMetric) -> tuple[str, bool]:
    """How the figure was made; figures of different forms are not compared."""
    if metric is SpeedupMetric.THROUGHPUT:
        return ("", False)
    return (cell.latency_basis.value, cell.tpot_is_usual)
