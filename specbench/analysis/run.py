"""A whole run: cells to curves to break-evens."""

from collections.abc import Mapping, Sequence

from specbench.analysis.arm_checks import add_arm_findings
from specbench.analysis.arms import Traits
from specbench.analysis.contexts import conclude_family, find_families
from specbench.analysis.decide import decide
from specbench.analysis.graph_checks import add_graph_findings
from specbench.analysis.launch_checks import add_launch_findings
from specbench.analysis.launch_noise import find_noise
from specbench.analysis.outputs import Outputs
from specbench.analysis.prior import find_prior
from specbench.analysis.speedup import Comparison, find_comparisons
from specbench.schema.cell import CellKey
from specbench.schema.comparison import BreakEven, NoiseRecord, SpeedupCurve
from specbench.schema.context import PlannedOut
from specbench.schema.findings import CellStats, RunFindings
from specbench.schema.record import LaunchRecord


def conclude(
    cells: Sequence[CellStats],
    launches: Sequence[LaunchRecord],
    traits: Traits | None = None,
    outputs: Mapping[CellKey, Outputs] | None = None,
    prior: Sequence[NoiseRecord] = (),
    planned_out: Sequence[PlannedOut] = (),
) -> RunFindings:
    """Everything that a report shows. `traits` and `outputs` are what is known of the
    arms and of the cells' answers; what is not known is not judged. `prior`: launch
    noise of this machine from A/A runs, used where launches are few. `planned_out`:
    what was not measured since it does not fit."""
    traits = traits or {}
    cells = add_launch_findings(cells, launches)
    cells = add_arm_findings(cells, traits, outputs or {})
    cells = add_graph_findings(cells, launches, traits)
    comparisons = find_comparisons(cells)
    families = find_families(comparisons)
    answers = len(comparisons) + sum(len(family.over) for family in families)
    decided = [_decide(c, prior, answers) for c in comparisons]
    return RunFindings(
        cells=tuple(sorted(cells, key=lambda c: c.key)),
        curves=tuple(curve for curve, _ in decided),
        break_evens=tuple(answer for _, answer in decided),
        noise=find_noise(comparisons),
        prior=tuple(prior),
        failed_launches=tuple(
            f"launch {r.index} ({r.arm} on {r.target}): {r.error}"
            + (f" (log: {r.log_path})" if r.log_path and "log: " not in r.error else "")
            for r in launches
            if r.error is not None
        ),
        over_context=tuple(
            conclude_family(
                family,
                find_prior(prior, frame.target, frame.metric),
                answers,
            )
            for family in families
            for frame in (family.by_context[0].frame,)
        ),
        planned_out=tuple(planned_out),
    )


def _decide(
    comparison: Comparison, prior: Sequence[NoiseRecord], answers: int
) -> tuple[SpeedupCurve, BreakEven]:
    frame = comparison.frame
    return decide(
        frame,
        comparison.baseline,
        comparison.arm,
        find_prior(prior, frame.target, frame.metric),
        answers,
    )
