"""One cell against one endpoint: prompts become requests, the load is driven, the
metrics are read beside it, and what came back is parsed after the drain."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import uvloop

from specbench.clock import monotonic_ns, utc_now
from specbench.engines.contract import EngineAdapter
from specbench.host.gpu_watch import GpuWatch
from specbench.load.cell_load import CellLoad
from specbench.load.client import (
    PreparedRequest,
    RequestSettings,
    prepare_request,
)
from specbench.load.crew import LoadCrew
from specbench.load.driver import CellHooks, DrivenCell, drive_cell
from specbench.runner.interruption import Interruption
from specbench.schema.cell import CellKey
from specbench.schema.plan import CellSize
from specbench.schema.prompt import Prompt
from specbench.schema.record import CellRecord, GpuReading
from specbench.schema.sample import RequestSample, Role
from specbench.schema.snapshot import (
    EngineCounters,
    EngineGauges,
    EngineReading,
    MetricsSnapshot,
    Phase,
)
from specbench.scrape.snapshots import SnapshotReader
from specbench.units import seconds_between
from specbench.wire.errors import WireError

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A server to measure."""

    url: str
    adapter: EngineAdapter
    model_id: str
    headers: dict[str, str]
    gpu: GpuWatch | None = None
    """Of the engine's GPUs; None where nobody knows on what it computes."""


@dataclass(frozen=True, slots=True)
class Client:
    """What drives one server at a time."""

    crew: LoadCrew
    interruption: Interruption = field(default_factory=Interruption)
    """Ends a cell from another thread."""


@dataclass(frozen=True, slots=True)
class CellTask:
    """What to measure."""

    key: CellKey
    launch_index: int
    warmup: tuple[Prompt, ...]
    measured: tuple[Prompt, ...]
    max_tokens: int
    request_s: float
    """About how long one request takes at this load."""
    arrivals: tuple[float, ...] = ()
    """Seconds after the start at which each request of an open loop is due."""

    @property
    def size(self) -> CellSize:
        """How many requests."""
        return CellSize(len(self.warmup), len(self.measured))


@dataclass(frozen=True, slots=True)
class MeasuredCell:
    """What was seen of a cell."""

    record: CellRecord
    samples: tuple[RequestSample, ...]
    snapshots: tuple[MetricsSnapshot, ...]


def measure_cell(
    client: Client,
    endpoint: Endpoint,
    task: CellTask,
    on_progress: Callable[[int], None],
) -> MeasuredCell:
    """Measure one cell; blocks until it has drained. Raises KeyboardInterrupt when it
    is to end before that."""
    requests = _prepare(endpoint, task)
    started = utc_now()
    began = monotonic_ns()
    driven, seen = run_loop(
        _drive_and_scrape(client.crew, endpoint, task, requests, on_progress),
        client.interruption,
    )
    record = CellRecord(
        key=task.key,
        launch_index=task.launch_index,
        size=task.size,
        started_utc=started.isoformat(timespec="milliseconds"),
        duration_s=seconds_between(began, monotonic_ns()),
        client=driven.client,
        gpu=tuple(seen.gpu),
    )
    return MeasuredCell(record, driven.samples, tuple(seen.snapshots))


def _prepare(endpoint: Endpoint, task: CellTask) -> tuple[PreparedRequest, ...]:
    settings = RequestSettings(
        model=endpoint.model_id,
        max_tokens=task.max_tokens,
        temperature=task.key.condition.temperature,
        extras=endpoint.adapter.request_extras(),
    )
    roles = [(p, Role.WARMUP) for p in task.warmup]
    roles += [(p, Role.MEASURED) for p in task.measured]
    return tuple(
        prepare_request(index, prompt, role, settings)
        for index, (prompt, role) in enumerate(roles)
    )


@dataclass(slots=True)
class _Seen:
    """What was read beside a cell while it ran."""

    snapshots: list[MetricsSnapshot] = field(default_factory=list, repr=False)
    gpu: list[GpuReading] = field(default_factory=list, repr=False)


async def _drive_and_scrape(
    crew: LoadCrew,
    endpoint: Endpoint,
    task: CellTask,
    requests: tuple[PreparedRequest, ...],
    on_progress: Callable[[int], None],
) -> tuple[DrivenCell, _Seen]:
    seen = _Seen()
    adapter = endpoint.adapter
    async with SnapshotReader(
        endpoint.url, adapter.metrics_path, adapter.series_prefix, endpoint.headers
    ) as reader:

        async def read_metrics(phase: Phase) -> None:
            seen.snapshots.append(await reader.take(phase))
            if endpoint.gpu is not None:
                # NVML answers within milliseconds, but it blocks
                seen.gpu += await asyncio.to_thread(endpoint.gpu.read, phase)

        load = CellLoad(
            base_url=endpoint.url,
            path=adapter.chat_path,
            requests=requests,
            concurrency=task.key.condition.concurrency,
            request_s=task.request_s,
            headers=endpoint.headers,
            arrivals=task.arrivals,
        )
        hooks = CellHooks(on_phase=read_metrics, on_progress=on_progress)
        driven = await drive_cell(crew, load, hooks)
    return driven, seen


def translate_snapshots(
    adapter: EngineAdapter, snapshots: Sequence[MetricsSnapshot]
) -> tuple[EngineReading, ...]:
    """Readings of the pages that could be read."""
    readings = []
    for snapshot in snapshots:
        if snapshot.text is None:
            continue
        try:
            counters, gauges = adapter.read_metrics(snapshot.text)
        except WireError:
            counters, gauges = NO_COUNTERS, NO_GAUGES
        readings.append(
            EngineReading(snapshot.phase, snapshot.instant_ns, counters, gauges)
        )
    return tuple(readings)


NO_COUNTERS = EngineCounters(*(None,) * 11)
NO_GAUGES = EngineGauges(None, None, None)


def run_loop(main: Awaitable[T], interruption: Interruption | None = None) -> T:
    """Run a coroutine on an event loop of its own, in whatever thread. Ctrl-C ends it
    in the main thread, and `interruption` in any other: KeyboardInterrupt."""
    interruption = interruption or Interruption()
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        try:
            return runner.run(_cancellable(main, interruption))
        except asyncio.CancelledError:
            if interruption.is_asked:
                raise KeyboardInterrupt from None
            raise


async def _cancellable(main: Awaitable[T], interruption: Interruption) -> T:
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    assert task is not None
    with interruption.cancelling(lambda: loop.call_soon_threadsafe(task.cancel)):
        try:
            return await main
        except asyncio.CancelledError:
            if interruption.is_asked:
                # what was under way is given up, and its end is nobody's business
                loop.set_exception_handler(lambda *_: None)
            raise
