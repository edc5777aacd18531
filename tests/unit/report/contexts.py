"""A run over batch x context with every kind of cell in it."""

from dataclasses import replace

from specbench.analysis.run import conclude
from specbench.schema.context import PlannedOut
from specbench.schema.findings import CellStats, Finding, RunFindings, Severity
from specbench.schema.sweep import BASELINE
from tests.factories import condition
from tests.unit.analysis.contexts_of import grid_cells

VOID = (Finding(Severity.VOID, "errors", "all failed", "mend it"),)
WHY = "the prompts alone need 131,072 tokens of KV cache, and the baseline has 100,000"
SPEEDUPS = {
    0: {1: 1.4, 4: 1.2},
    512: {1: 1.30, 4: 1.10, 16: 0.80},
    2048: {1: 1.20, 4: 1.001, 16: 1.10},
    8192: {1: 1.10, 4: 1.25},
}
"""No cell at context 0 and 16 requests; 8,192 at 16 does not fit."""


def map_cells() -> list[CellStats]:
    """2,048 at concurrency 16 is void, 8,192 at 4 queues in the arm only."""
    return [_spoil(cell) for cell in grid_cells(SPEEDUPS)]


def map_findings() -> RunFindings:
    """All of it, concluded."""
    out = PlannedOut(condition(16, context=8192), WHY)
    return conclude(map_cells(), [], planned_out=[out])


def _spoil(cell: CellStats) -> CellStats:
    at = (cell.key.condition.context, cell.key.condition.concurrency)
    if at == (2048, 16):
        return replace(cell, findings=VOID)
    if at == (8192, 4) and cell.key.arm != BASELINE:
        return replace(cell, waiting=3.0)
    return cell
