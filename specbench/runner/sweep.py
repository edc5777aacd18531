"""A sweep: launch after launch, cell after cell, each stored as soon as it is there.
A launch or cell that fails is a record; the sweep goes on with what is possible."""

import contextlib
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from functools import partial

from specbench.analysis.cell import CellObservations, summarise_cell
from specbench.clock import monotonic_ns
from specbench.load.crew import LoadCrew, LoadProcessError
from specbench.planning.duration import Known, Speed, estimate_remaining
from specbench.planning.size import cell_size
from specbench.runner.cell import CellTask, MeasuredCell, measure_cell
from specbench.runner.cell import translate_snapshots as translate
from specbench.runner.events import (
    CellEnded,
    CellFailed,
    CellProgress,
    CellStarted,
    Freezing,
    LaunchFailed,
    LaunchReady,
    LaunchStarted,
    Listener,
)
from specbench.runner.freezing import answers_file, freeze_answers
from specbench.runner.pace import Pace, pace_of
from specbench.runner.prompts import PromptSource, is_caching_wanted
from specbench.runner.serving import (
    LaunchFailedError,
    LaunchSite,
    Served,
    serve,
    take_up,
)
from specbench.schema.cell import CellKey
from specbench.schema.plan import CellSize, LaunchPlan, SweepPlan
from specbench.schema.record import LaunchRecord
from specbench.schema.sweep import BASELINE
from specbench.store.layout import safe_name
from specbench.store.manifest import add_notes
from specbench.store.writer import RunWriter
from specbench.units import seconds_between

WARMUP_REQUESTS = 2
"""Sent one after the other to a fresh engine; the second one sets the pace."""


@dataclass(slots=True)
class SweepProgress:
    """What has been done; what the findings are made of."""

    launches: list[LaunchRecord] = field(default_factory=list)
    cells_seen: int = 0
    seconds: dict[CellKey, float] = field(default_factory=dict)
    """Of each measured cell, whole."""
    startups: dict[int, float] = field(default_factory=dict)
    speeds: dict[int, Speed] = field(default_factory=dict)

    def known(self) -> Known:
        """What the estimate of the time left may use."""
        ended = tuple(record.index for record in self.launches)
        return Known(self.startups, self.speeds, ended)


@dataclass(frozen=True, slots=True)
class SweepJob:
    """Everything that a sweep needs."""

    plan: SweepPlan
    prompts: PromptSource
    writer: RunWriter
    site: LaunchSite
    listener: Listener
    crew: LoadCrew
    urls: Mapping[str, str]
    """Arm -> URL of a server that already runs; empty = launch engines."""


def run_sweep(job: SweepJob) -> SweepProgress:
    """Do all launches in order. An arm that did not start is not tried again."""
    progress = SweepProgress()
    lost: dict[tuple[str, str], int] = {}
    for launch in job.plan.launches:
        arm = (launch.target.label, launch.arm)
        if arm in lost:
            _skip(job, progress, launch, lost[arm])
            continue
        log_path = job.writer.log_path(launch.index)
        job.listener(
            LaunchStarted(
                launch,
                len(job.plan.launches),
                None if job.urls else str(log_path),
            )
        )
        try:
            with _server(job, launch) as served:
                job.writer.write_launch(served.record)
                job.listener(LaunchReady(launch, served.record.ready_s, served.facts))
                record = _measure_launch(job, launch, served, progress)
        except LaunchFailedError as failure:
            record = failure.record
            lost[arm] = launch.index
            job.listener(LaunchFailed(launch, failure.message, record.log_path))
        job.writer.write_launch(record)
        progress.launches.append(record)
    return progress


def _server(job: SweepJob, launch: LaunchPlan) -> AbstractContextManager[Served]:
    if job.urls:
        return take_up(launch, job.urls[launch.arm], job.site.host)
    return serve(launch, job.site, job.writer.log_path(launch.index), job.listener)


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
    )
    job.writer.write_launch(record)
    progress.launches.append(record)
    progress.cells_seen += len(launch.cells)
    job.listener(LaunchFailed(launch, reason, None))


def _measure_launch(
    job: SweepJob,
    launch: LaunchPlan,
    served: Served,
    progress: SweepProgress,
) -> LaunchRecord:
    """All cells of one launch; the launch's record, with what went wrong."""
    _freeze(job, launch, served)
    pace = _warm_up(job, launch, served)
    if served.record.ready_s is not None:
        progress.startups[launch.index] = served.record.ready_s
    if pace is not None and pace.ttft_s is not None and pace.tpot_s is not None:
        progress.speeds[launch.index] = Speed(pace.ttft_s, pace.tpot_s)
    for key in launch.cells:
        progress.cells_seen += 1
        size = cell_size(job.plan.spec.measure, key.condition.concurrency)
        left = estimate_remaining(job.plan, progress.seconds, progress.known())
        job.listener(
            CellStarted(
                key=key,
                requests=size.warmup + size.measured,
                number=progress.cells_seen,
                total=job.plan.cell_count,
                remaining_s=left.seconds,
                basis=left.basis,
            )
        )
        began = monotonic_ns()
        try:
            cell = _measure_again(
                partial(_measure, job, launch, served, key, size, pace)
            )
        except LoadProcessError as error:
            job.listener(CellFailed(key, error.message))
            return replace(served.record, error=f"the client: {error.message}")
        job.writer.write_cell(cell.record, cell.samples, cell.snapshots)
        stats = summarise_cell(
            CellObservations(
                key=key,
                samples=cell.samples,
                readings=translate(served.endpoint.adapter, cell.snapshots),
                client=cell.record.client,
                expects_speculation=launch.arm != BASELINE,
                is_caching_wanted=is_caching_wanted(launch.target),
                gpu=cell.record.gpu,
                planned=size.warmup + size.measured,
            )
        )
        seconds = seconds_between(began, monotonic_ns())
        progress.seconds[key] = seconds
        job.listener(CellEnded(stats, seconds))
        pace = pace_of(cell.samples) or pace
        death = served.why_dead()
        if death is None and stats.failed and not stats.completed:
            death = f"no request ended well: {stats.errors[0]}"
        if death is not None:
            job.listener(CellFailed(key, death))
            return replace(served.record, error=death)
    return served.record


def _measure_again(measure: Callable[[], MeasuredCell]) -> MeasuredCell:
    """A cell whose load process was killed is measured once more, by fresh ones: the
    engine is not to blame."""
    with contextlib.suppress(LoadProcessError):
        return measure()
    return measure()


def _measure(
    job: SweepJob,
    launch: LaunchPlan,
    served: Served,
    key: CellKey,
    size: CellSize,
    pace: Pace | None,
) -> MeasuredCell:
    warmup, measured = job.prompts.for_cell(key, size)
    task = CellTask(
        key=key,
        launch_index=launch.index,
        warmup=warmup,
        measured=measured,
        max_tokens=job.plan.spec.workload.max_tokens,
        request_s=pace.request_s if pace else 0.0,
    )
    return measure_cell(
        job.crew, served.endpoint, task, lambda done: job.listener(CellProgress(done))
    )


def _freeze(job: SweepJob, launch: LaunchPlan, served: Served) -> None:
    """Freeze the first answers that second turns need, once a run; the first launch
    is a baseline."""
    if not launch.cells:
        return
    for dataset, questions in job.prompts.unanswered().items():
        condition = replace(launch.cells[0].condition, dataset=dataset, concurrency=1)
        answers = freeze_answers(
            job.crew,
            served.endpoint,
            replace(launch.cells[0], condition=condition),
            questions,
            job.plan.spec.workload.max_tokens,
            partial(_tell_freezing, job.listener, len(questions)),
        )
        left_out = job.prompts.keep_answers(dataset, answers)
        job.writer.write_manifest(add_notes(job.writer.manifest, left_out))
        job.writer.write_bytes(
            f"frozen/{safe_name(dataset)}.json", answers_file(answers)
        )


def _tell_freezing(listener: Listener, total: int, done: int) -> None:
    listener(Freezing(done, total))


def _warm_up(job: SweepJob, launch: LaunchPlan, served: Served) -> Pace | None:
    """A first request compiles and allocates; the second one shows the pace."""
    if not launch.cells:
        return None
    first = launch.cells[0]
    alone = replace(first, condition=replace(first.condition, concurrency=1))
    prompts, _ = job.prompts.for_cell(first, CellSize(WARMUP_REQUESTS, 1))
    task = CellTask(
        key=alone,
        launch_index=launch.index,
        warmup=prompts,
        measured=(),
        max_tokens=job.plan.spec.workload.max_tokens,
        request_s=0.0,
    )
    cell = measure_cell(job.crew, served.endpoint, task, lambda _: None)
    return pace_of(cell.samples[-1:])
