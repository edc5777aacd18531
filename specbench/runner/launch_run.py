"""One launch from its start to its end, in steps that several launches can take side by
side: start, freeze, measure, end. A launch or cell that fails is a record."""

import contextlib
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from dataclasses import replace
from functools import partial

from specbench.analysis.cell import CellObservations, summarise_cell
from specbench.analysis.request_drafts import read_drafts
from specbench.clock import monotonic_ns
from specbench.load.crew import LoadProcessError
from specbench.planning.arrivals import arrival_times
from specbench.planning.known_times import Speed
from specbench.planning.size import cell_size
from specbench.runner.cell import (
    CellTask,
    Client,
    Endpoint,
    MeasuredCell,
    measure_cell,
)
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
)
from specbench.runner.flushing import flush
from specbench.runner.freezing import answers_file, freeze_answers
from specbench.runner.limits import plan_out
from specbench.runner.pace import Pace, pace_of
from specbench.runner.progress import SweepProgress
from specbench.runner.prompts import is_caching_wanted
from specbench.runner.serving import LaunchFailedError, Served, serve, take_up
from specbench.runner.sweep_job import SweepJob
from specbench.schema.cell import CellKey, Condition
from specbench.schema.findings import CellStats
from specbench.schema.plan import CellSize, LaunchPlan
from specbench.schema.record import LaunchRecord
from specbench.store.layout import safe_name
from specbench.store.manifest import add_notes
from specbench.units import seconds_between

WARMUP_REQUESTS = 2
"""Sent one after the other to a fresh engine; the second one sets the pace."""


class LaunchRun:
    """Steps of one launch. Each may run in another thread, one after the other; `end`
    always has to."""

    def __init__(
        self, job: SweepJob, launch: LaunchPlan, progress: SweepProgress
    ) -> None:
        self.launch = launch
        self.record: LaunchRecord | None = None
        """What became of it; None while it is under way."""
        self._job = job
        self._client = Client(job.crews[launch.place], job.interruption)
        self._progress = progress
        self._server = ExitStack()
        self._served: Served | None = None

    @property
    def is_serving(self) -> bool:
        """Whether it got ready."""
        return self._served is not None

    def start(self) -> None:
        """Launch the engine and wait for it, or take up the server that runs."""
        job, launch = self._job, self.launch
        log_path = job.writer.log_path(launch.index)
        job.listener(LaunchStarted(launch, None if job.urls else str(log_path)))
        try:
            self._served = served = self._server.enter_context(self._serve())
        except LaunchFailedError as failure:
            self.record = failure.record
            job.listener(LaunchFailed(launch, failure.message, failure.record.log_path))
            return
        job.writer.write_launch(served.record)
        job.listener(LaunchReady(launch, served.record.ready_s, served.facts))
        plan_out(job, self._progress, launch, served.facts)

    def freeze(self) -> None:
        """Freeze the first answers that second turns need, once a run."""
        launch, served = self.launch, self._serving()
        if not launch.cells:
            return
        first = launch.cells[0]
        for dataset, questions in self._job.prompts.unanswered().items():
            alone = replace(one_at_a_time(first.condition), dataset=dataset)
            answers = freeze_answers(
                self._client,
                served.endpoint,
                replace(first, condition=alone),
                questions,
                self._job.plan.spec.workload.max_tokens,
                partial(self._tell_freezing, len(questions)),
            )
            writer = self._job.writer
            left_out = self._job.prompts.keep_answers(dataset, answers)
            writer.write_manifest(add_notes(writer.manifest, left_out))
            writer.write_bytes(
                f"frozen/{safe_name(dataset)}.json", answers_file(answers)
            )

    def measure(self) -> None:
        """All cells, each stored as soon as it is there."""
        served = self._serving()
        pace = self._warm_up(served)
        speed = None
        if pace is not None and pace.ttft_s is not None and pace.tpot_s is not None:
            speed = Speed(pace.ttft_s, pace.tpot_s)
        self._progress.note_start(self.launch, served.record, speed)
        cells = self._cells()
        if left_out := set(self.launch.cells) - set(cells):
            self._progress.begin_cells(tuple(left_out))
        for key in cells:
            if self._job.budget.is_spent:
                break
            cell = self._measure_cell(served, key, pace)
            if isinstance(cell, str):
                self._job.listener(CellFailed(key, cell, self.launch.place))
                self.record = replace(served.record, error=cell)
                return
            pace = pace_of(cell.samples) or pace
        self.record = served.record

    def end(self) -> None:
        """End the engine, also where it was never ready."""
        self._server.close()

    def _cells(self) -> tuple[CellKey, ...]:
        """The launch's cells but for those that no arm can serve."""
        impossible = self._progress.done().impossible
        return tuple(k for k in self.launch.cells if k.condition not in impossible)

    def _serving(self) -> Served:
        assert self._served is not None
        return self._served

    def _serve(self) -> AbstractContextManager[Served]:
        job, launch = self._job, self.launch
        site = job.sites[launch.target.label][launch.place]
        if job.urls:
            return take_up(launch, job.urls[launch.arm], site.host)
        return serve(launch, site, job.writer.log_path(launch.index), job.listener)

    def _measure_cell(
        self, served: Served, key: CellKey, pace: Pace | None
    ) -> MeasuredCell | str:
        """Measure and store one cell; or why the launch ends with it."""
        job, place = self._job, self.launch.place
        size = cell_size(job.plan.spec.measure, key.condition)
        outlook = self._progress.begin_cells((key,))
        job.listener(
            CellStarted(
                key=key,
                requests=size.warmup + size.measured,
                number=outlook.number,
                total=outlook.total,
                remaining_s=outlook.remaining_s,
                basis=outlook.basis,
                place=place,
            )
        )
        began = monotonic_ns()
        task = self._task(key, size, pace.request_s if pace else 0.0)
        try:
            cell = _measure_again(lambda: self._measure_flushed(served.endpoint, task))
        except LoadProcessError as error:
            return f"the client: {error.message}"
        job.writer.write_cell(cell.record, cell.samples, cell.snapshots)
        stats = self._summarise(served, cell, size)
        seconds = seconds_between(began, monotonic_ns())
        self._progress.note_cell(stats, seconds)
        job.listener(CellEnded(stats, seconds, place))
        death = served.why_dead()
        if death is None and stats.failed and not stats.completed:
            death = f"no request ended well: {stats.errors[0]}"
        return death or cell

    def _measure_flushed(self, endpoint: Endpoint, task: CellTask) -> MeasuredCell:
        """Begin with an engine that has forgotten the cells before."""
        not_flushed = flush(endpoint)
        cell = measure_cell(self._client, endpoint, task, self._tell_progress)
        return replace(cell, record=replace(cell.record, not_flushed=not_flushed))

    def _summarise(
        self, served: Served, cell: MeasuredCell, size: CellSize
    ) -> CellStats:
        adapter = served.endpoint.adapter
        return summarise_cell(
            CellObservations(
                key=cell.record.key,
                samples=cell.samples,
                readings=translate(adapter, cell.snapshots),
                drafts=read_drafts(cell.samples, adapter.read_request),
                counts_at_request_end=adapter.counts_at_request_end,
                drafter=served.facts.drafter,
                client=cell.record.client,
                expects_speculation=self.launch.speculative is not None,
                is_caching_wanted=is_caching_wanted(self.launch.target),
                not_flushed=cell.record.not_flushed,
                learns_from_traffic=adapter.learns_from_traffic(
                    self.launch.speculative or {}
                ),
                gpu=cell.record.gpu,
                planned=size.warmup + size.measured,
                slo=self._job.plan.spec.slo,
            )
        )

    def _task(
        self,
        key: CellKey,
        size: CellSize,
        request_s: float,
        *,
        is_first_look: bool = False,
    ) -> CellTask:
        warmup, measured = self._job.prompts.for_cell(
            key, size, is_first_look=is_first_look
        )
        return CellTask(
            key=key,
            launch_index=self.launch.index,
            warmup=warmup,
            measured=measured,
            max_tokens=self._job.plan.spec.workload.max_tokens,
            request_s=request_s,
            arrivals=self._arrivals(key.condition, size),
        )

    def _arrivals(self, condition: Condition, size: CellSize) -> tuple[float, ...]:
        """The same for every arm and launch."""
        if not condition.is_open:
            return ()
        spec = self._job.plan.spec
        return arrival_times(
            size,
            condition.request_rate,
            spec.workload.seed,
            spec.load.arrivals,
        )

    def _warm_up(self, served: Served) -> Pace | None:
        """A first request compiles and allocates; the second one shows the pace."""
        cells = self._cells()
        if not cells:
            return None
        first = cells[0]
        task = self._task(first, CellSize(WARMUP_REQUESTS, 1), 0.0, is_first_look=True)
        alone = replace(first, condition=one_at_a_time(first.condition))
        cell = measure_cell(
            self._client,
            served.endpoint,
            replace(task, key=alone, measured=(), arrivals=()),
            lambda _: None,
        )
        return pace_of(cell.samples[-1:])

    def _tell_progress(self, done: int) -> None:
        self._job.listener(CellProgress(done, self.launch.place))

    def _tell_freezing(self, total: int, done: int) -> None:
        self._job.listener(Freezing(done, total, self.launch.place))


def one_at_a_time(condition: Condition) -> Condition:
    """The same prompts, each asked when the one before has ended."""
    return replace(condition, concurrency=1, request_rate=0.0)


def _measure_again(measure: Callable[[], MeasuredCell]) -> MeasuredCell:
    """A cell whose load process was killed is measured once more, by fresh ones: the
    engine is not to blame."""
    with contextlib.suppress(LoadProcessError):
        return measure()
    return measure()
