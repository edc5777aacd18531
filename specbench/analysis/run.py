"""A whole run: cells to curves to break-evens."""

from collections.abc import Mapping, Sequence

from specbench.analysis.arm_checks import add_arm_findings
from specbench.analysis.arms import Traits
from specbench.analysis.break_even import find_break_even
from specbench.analysis.graph_checks import add_graph_findings
from specbench.analysis.launch_checks import add_launch_findings
from specbench.analysis.outputs import Outputs
from specbench.analysis.speedup import find_curves
from specbench.schema.cell import CellKey
from specbench.schema.findings import CellStats, RunFindings
from specbench.schema.record import LaunchRecord


def conclude(
    cells: Sequence[CellStats],
    launches: Sequence[LaunchRecord],
    traits: Traits | None = None,
    outputs: Mapping[CellKey, Outputs] | None = None,
) -> RunFindings:
    """Everything that a report shows. `traits` and `outputs` are what is known of the
    arms and of the cells' answers; what is not known is not judged."""
    traits = traits or {}
    cells = add_launch_findings(cells, launches)
    cells = add_arm_findings(cells, traits, outputs or {})
    cells = add_graph_findings(cells, launches, traits)
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
