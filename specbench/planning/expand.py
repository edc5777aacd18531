"""From a checked sweep to its plan: every launch in the order in which it will run,
with the caps that its engine gets and the cells that it measures."""

from specbench.planning.engine_args import (
    MAX_NUM_BATCHED_TOKENS,
    MAX_NUM_SEQS,
    read_option,
    without_options,
)
from specbench.planning.order import launch_order
from specbench.schema.cell import CellKey
from specbench.schema.plan import AdmissionCaps, LaunchPlan, SweepPlan
from specbench.schema.sweep import BASELINE, SweepSpec, Target
from specbench.search.grid import grid_conditions


def plan_sweep(spec: SweepSpec) -> SweepPlan:
    """The whole sweep. Targets run one after the other, since only arms of the same
    target are compared; inside a target the arms alternate."""
    speculative = {arm.name: arm.speculative for arm in spec.arms}
    launches: list[LaunchPlan] = []
    for target in spec.targets:
        conditions = grid_conditions(target.label, spec.workload, spec.load)
        order = launch_order([BASELINE, *speculative], spec.measure.replicates)
        launches += [
            LaunchPlan(
                index=len(launches) + i,
                target=without_caps(target),
                arm=arm,
                speculative=speculative.get(arm),
                replicate=replicate,
                caps=admission_caps(target, spec.load.concurrency),
                cells=tuple(CellKey(c, arm, replicate) for c in conditions),
            )
            for i, (arm, replicate) in enumerate(order, start=1)
        ]
    return SweepPlan(spec=spec, launches=tuple(launches))


def admission_caps(target: Target, concurrency: list[int]) -> AdmissionCaps:
    """The caps that the sweep file gives, else one that admits the highest load.
    Always explicit: an engine's default may differ with and without speculation."""
    sequences = read_option(target.args, MAX_NUM_SEQS)
    return AdmissionCaps(
        max_num_seqs=max(concurrency) if sequences is None else sequences,
        max_num_batched_tokens=read_option(target.args, MAX_NUM_BATCHED_TOKENS),
    )


def without_caps(target: Target) -> Target:
    """The target with the caps taken out of its args, so that they have one source."""
    args = without_options(target.args, (MAX_NUM_SEQS, MAX_NUM_BATCHED_TOKENS))
    return target.model_copy(update={"args": args})
