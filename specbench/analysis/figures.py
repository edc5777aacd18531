"""The figure of a cell that a speedup compares, turned so that higher is better."""

from specbench.schema.comparison import SpeedupMetric
from specbench.schema.findings import CellStats, Distribution

ENOUGH_FOR_P95 = 20
"""Requests below which a 95th percentile is the slowest request or beyond it."""
TAILS = (SpeedupMetric.TPOT_P95, SpeedupMetric.E2E_P95)
NAMES = {
    SpeedupMetric.THROUGHPUT: "throughput",
    SpeedupMetric.TPOT: "TPOT",
    SpeedupMetric.TPOT_P95: "TPOT",
    SpeedupMetric.TTFT: "TTFT",
    SpeedupMetric.E2E: "end-to-end latency",
    SpeedupMetric.E2E_P95: "end-to-end latency",
    SpeedupMetric.GOODPUT: "goodput",
}


def figure_of(cell: CellStats, metric: SpeedupMetric) -> float | None:
    """Tokens or requests per second: output throughput, goodput, or one over a
    latency. None where the cell has none, or where it is zero."""
    if metric is SpeedupMetric.THROUGHPUT:
        return cell.output_throughput or None
    if metric is SpeedupMetric.GOODPUT:
        goodput = cell.open_load.goodput if cell.open_load else None
        return goodput.rate or None if goodput else None
    latency = _latency(cell, metric)
    if latency is None:
        return None
    if metric not in TAILS:
        seconds = latency.p50
    elif latency.n < ENOUGH_FOR_P95:
        return None
    else:
        seconds = latency.p95
    return 1 / seconds if seconds else None


def _latency(cell: CellStats, metric: SpeedupMetric) -> Distribution | None:
    match metric:
        case SpeedupMetric.TTFT:
            return cell.ttft
        case SpeedupMetric.E2E | SpeedupMetric.E2E_P95:
            return cell.e2e_latency
        case _:
            return cell.tpot


def is_all_good(cell: CellStats) -> bool:
    """Whether every request kept the `[slo]`: then more could not have been good, and
    goodput says nothing of the arm."""
    goodput = cell.open_load.goodput if cell.open_load else None
    return goodput is not None and goodput.good == goodput.due


def name_of(metric: SpeedupMetric) -> str:
    """What a cell without the figure lacks."""
    name = NAMES[metric]
    if metric is SpeedupMetric.GOODPUT:
        return "goodput above zero: no request kept the [slo]"
    if metric is SpeedupMetric.TPOT_P95:
        return f"p95 of {name}: fewer than {ENOUGH_FOR_P95} requests at full load"
    if metric in TAILS:
        return f"p95 of {name}: fewer than {ENOUGH_FOR_P95} requests"
    return name


def form_of(cell: CellStats, metric: SpeedupMetric) -> tuple[str, bool]:
    """How the figure was made; figures of different forms are not compared."""
    if metric in (SpeedupMetric.THROUGHPUT, SpeedupMetric.GOODPUT):
        return ("", False)
    is_tpot = metric in (SpeedupMetric.TPOT, SpeedupMetric.TPOT_P95)
    return (cell.latency_basis.value, is_tpot and cell.tpot_is_usual)
