"""A whole run: cells to curves to break-evens."""

from collections.abc import Sequence

from specbench.analysis.break_even import find_break_even
from specbench.analysis.launch_checks import add_launch_findings
from specbench.analysis.speedup import find_curves
from specbench.schema.findings import CellStats, RunFindings
from specbench.schema.record import LaunchRecord


def conclude(
    cells: Sequence[CellStats], launches: Sequence[LaunchRecord]
) -> RunFindings:
    """Everything that a report shows."""
    cells = add_launch_findings(cells, launches)
    curves = find_curves(cells)
    return RunFindings(
        cells=tuple(sorted(cells, key=lambda c: c.key)),
        curves=curves,
        break_evens=tuple(find_break_even(curve) for curve in curves),
        failed_launches=tuple(
            f"launch {r.index} ({r.arm} on {r.target}): {r.error}"
            + (f" (log: {r.log_path})" if r.log_path and "log: " not in r.error else "")
            for r in launches
            if r.error is not None
        ),
    )
