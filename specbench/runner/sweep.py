"""A sweep: wave after wave of launches, each with cell after cell. One launch at a time
runs in the main thread; launches side by side get a thread each, and wait for one
another: none measures while another starts, and all end before the next wave."""

from collections.abc import Generator, Iterable, Sequence

from specbench.clock import monotonic_ns
from specbench.runner.events import LaunchFailed
from specbench.runner.interruption import Actions, Together, side_by_side
from specbench.runner.launch_run import LaunchRun
from specbench.runner.progress import SweepProgress
from specbench.runner.sweep_job import SweepJob
from specbench.schema.plan import LaunchPlan, SweepPlan, Wave
from specbench.schema.record import LaunchRecord
from specbench.units import seconds_between

Batch = Sequence[Wave]
"""Waves that are chosen at once: a whole grid, or one round of a search."""


def grid_batches(plan: SweepPlan) -> Generator[Batch, None, None]:
    """All of the plan at once."""
    yield plan.waves


def run_sweep(job: SweepJob, progress: SweepProgress, batches: Iterable[Batch]) -> None:
    """Do wave after wave, as long as there are batches of them; the next batch is asked
    for when the last one is done. An arm that did not start is not tried again; the
    others go on. Nothing begins once the budget is spent."""
    lost: dict[tuple[str, str], int] = {}
    for batch in batches:
        for wave in batch:
            if not job.budget.is_spent:
                _do_wave(job, progress, wave, lost)


def _do_wave(
    job: SweepJob,
    progress: SweepProgress,
    wave: Wave,
    lost: dict[tuple[str, str], int],
) -> None:
    began = monotonic_ns()
    runs = []
    for launch in wave:
        failed = lost.get((launch.target.label, launch.arm))
        if failed is None:
            runs.append(LaunchRun(job, launch, progress))
        else:
            _skip(job, progress, launch, failed)
    if job.plan.is_side_by_side:
        with side_by_side(job.interruption) as together:
            freezing_s = _run_wave(runs, together)
    else:
        freezing_s = _run_wave(runs, _one_by_one)
    for run in runs:
        if not run.is_serving:
            lost[run.launch.target.label, run.launch.arm] = run.launch.index
        assert run.record is not None
        job.writer.write_launch(run.record)
        progress.note_end(run.launch, run.record)
    if served := tuple(run.launch for run in runs if run.is_serving):
        progress.note_freezing(served[0].target.label, freezing_s)
        lasted = seconds_between(began, monotonic_ns())
        progress.note_wave(served, lasted - freezing_s)


def _run_wave(runs: Sequence[LaunchRun], together: Together) -> float:
    """Seconds that went into freezing first answers, which happens once a run."""
    try:
        together([run.start for run in runs])
        serving = [run for run in runs if run.is_serving]
        # the same first answers for all arms: those of a baseline where there is one
        serving.sort(key=lambda run: run.launch.speculative is not None)
        began = monotonic_ns()
        together([run.freeze for run in serving[:1]])
        freezing_s = seconds_between(began, monotonic_ns())
        together([run.measure for run in serving])
    finally:
        together([run.end for run in runs])
    return freezing_s


def _one_by_one(actions: Actions) -> None:
    for action in actions:
        action()


def _skip(
    job: SweepJob, progress: SweepProgress, launch: LaunchPlan, failed: int
) -> None:
    reason = f"not launched: launch {failed} of this arm had failed"
    record = LaunchRecord(
        index=launch.index,
        target=launch.target.label,
        arm=launch.arm,
        replicate=launch.replicate,
        command=(),
        error=reason,
        place=launch.place,
    )
    job.writer.write_launch(record)
    progress.begin_cells(launch.cells)
    progress.note_end(launch, record)
    job.listener(LaunchFailed(launch, reason, None))
