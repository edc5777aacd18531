"""A sweep: wave after wave of launches, each with cell after cell. One launch at a time
runs in the main thread; launches side by side get a thread each, and wait for one
another: none measures while another starts, and all end before the next wave."""

from collections.abc import Sequence

from specbench.runner.events import LaunchFailed
from specbench.runner.interruption import Actions, Together, side_by_side
from specbench.runner.launch_run import LaunchRun
from specbench.runner.progress import SweepProgress
from specbench.runner.sweep_job import SweepJob
from specbench.schema.plan import LaunchPlan
from specbench.schema.record import LaunchRecord


def run_sweep(job: SweepJob) -> None:
    """Do all waves in order. An arm that did not start is not tried again; the others
    go on."""
    progress = SweepProgress(job.plan)
    lost: dict[tuple[str, str], int] = {}
    for wave in job.plan.waves:
        runs = []
        for launch in wave:
            failed = lost.get((launch.target.label, launch.arm))
            if failed is None:
                runs.append(LaunchRun(job, launch, progress))
            else:
                _skip(job, progress, launch, failed)
        if job.plan.is_side_by_side:
            with side_by_side(job.interruption) as together:
                _run_wave(runs, together)
        else:
            _run_wave(runs, _one_by_one)
        for run in runs:
            if not run.is_serving:
                lost[run.launch.target.label, run.launch.arm] = run.launch.index
            assert run.record is not None
            job.writer.write_launch(run.record)
            progress.note_end(run.launch)


def _run_wave(runs: Sequence[LaunchRun], together: Together) -> None:
    try:
        together([run.start for run in runs])
        serving = [run for run in runs if run.is_serving]
        # the same first answers for all arms: those of a baseline where there is one
        serving.sort(key=lambda run: run.launch.speculative is not None)
        together([run.freeze for run in serving[:1]])
        together([run.measure for run in serving])
    finally:
        together([run.end for run in runs])


def _one_by_one(actions: Actions) -> None:
    for action in actions:
        action()


def _skip(
    job: SweepJob, progress: SweepProgress, launch: LaunchPlan, failed: int
) -> None:
    reason = f"not launched: launch {failed} of this arm had failed"
    job.writer.write_launch(
        LaunchRecord(
            index=launch.index,
            target=launch.target.label,
            arm=launch.arm,
            replicate=launch.replicate,
            command=(),
            error=reason,
            place=launch.place,
        )
    )
    progress.begin_cells(launch.cells)
    progress.note_end(launch)
    job.listener(LaunchFailed(launch, reason, None))
