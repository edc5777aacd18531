"""What the first baseline that is ready says about the sweep's conditions: those that
it cannot serve are left out of the whole run, and the run says so."""

from collections.abc import Iterator
from dataclasses import replace

from specbench.planning.capacity import beyond_length, cannot_fit
from specbench.report.context_words import planned_out_lines
from specbench.runner.events import Remark
from specbench.runner.progress import SweepProgress
from specbench.runner.sweep_job import SweepJob
from specbench.schema.context import PlannedOut
from specbench.schema.plan import LaunchPlan
from specbench.schema.record import EngineFacts
from specbench.schema.sweep import BASELINE, SweepSpec
from specbench.search.grid import grid_conditions
from specbench.store.manifest import add_notes


def plan_out(
    job: SweepJob, progress: SweepProgress, launch: LaunchPlan, facts: EngineFacts
) -> None:
    """Leave out what no arm can serve: note it for the search, keep it with the run,
    tell it. Only a baseline's first launch says so; a later one with a slightly smaller
    cache must not take away what has been measured."""
    if launch.arm != BASELINE or launch.replicate != 1:
        return
    found = tuple(find_impossible(job.plan.spec, launch.target.label, facts))
    if not found:
        return
    for out in found:
        progress.note_impossible(out.condition)
    writer, lines = job.writer, planned_out_lines(found)
    manifest = add_notes(writer.manifest, lines)
    writer.write_manifest(
        replace(manifest, planned_out=(*manifest.planned_out, *found))
    )
    for line in lines:
        job.listener(Remark(line))


def find_impossible(
    spec: SweepSpec, target: str, facts: EngineFacts
) -> Iterator[PlannedOut]:
    """Conditions of a target that its baseline cannot serve, with the reason."""
    most = spec.workload.max_tokens
    for condition in grid_conditions(target, spec.workload, spec.load):
        why = beyond_length(condition, most, facts.max_model_len) or cannot_fit(
            condition, most, facts.kv_capacity_tokens
        )
        if why is not None:
            yield PlannedOut(condition, why)
