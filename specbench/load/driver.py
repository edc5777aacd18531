"""The load of one cell, over all load processes: deals the slots of a closed loop, or
the arrivals of an open one, says when the window opens (every slot has turned over; the
last request before the measured ones is due) and closes (the first slot runs dry; the
last request is due), so that the engine's metrics are read at its edges, and collects
what came back."""

import asyncio
import math
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from specbench.clock import monotonic_ns
from specbench.load.cell_load import CellLoad
from specbench.load.columns import unpack_sample
from specbench.load.crew import Link, LoadCrew, LoadProcessError
from specbench.load.health import summarise_watches
from specbench.load.lag import STUCK_S, LagSender
from specbench.load.memory import no_collection
from specbench.load.messages import (
    Broken,
    CellJob,
    Done,
    Drained,
    Dry,
    Ended,
    FromProcess,
    Go,
    GoOpen,
    Ready,
    Results,
    SendResults,
)
from specbench.load.open_loop import IDLE_S, Arrival
from specbench.load.pacing import deal_slots, is_hopeless, scrape_pause, stagger_delays
from specbench.load.sleeping import sleep_until
from specbench.load.slots import SlotStart
from specbench.schema.record import ClientHealth
from specbench.schema.sample import RequestSample
from specbench.schema.snapshot import Phase
from specbench.units import NS_PER_S

FIRST_SCRAPE_S = 0.1
"""Readings come densely at first, with doubling pauses, so that a short window has
some too."""
PREPARE_S = 300.0
"""Building a cell's requests and connections takes seconds."""
HEAD_START_S = 0.02
"""From `Go` to the first request: the message has to arrive everywhere."""
OPEN_HEAD_START_S = 0.5
"""The same of an open loop, whose message holds all of its instants."""


@dataclass(frozen=True, slots=True)
class CellHooks:
    """What else happens at known moments of the cell."""

    on_phase: Callable[[Phase], Awaitable[None]]
    """Read the engine's metrics; must not raise."""
    on_progress: Callable[[int], None]
    """Called with the count of ended requests."""


@dataclass(frozen=True, slots=True)
class DrivenCell:
    """What the cell brought."""

    samples: tuple[RequestSample, ...] = field(repr=False)
    """In the order of their requests. Not in the representation: asyncio.Runner makes
    one of a task's result, through signal.getsignal (Python 3.11), and drops it."""
    client: ClientHealth


async def drive_cell(crew: LoadCrew, load: CellLoad, hooks: CellHooks) -> DrivenCell:
    """Run one cell to its end, drain included. Raises LoadProcessError when a load
    process of ours fails; what fails at the server is in the samples."""
    async with crew.links(load.most_streams) as links:
        cell = _Cell(crew, links, load, hooks)
        await cell.prepare()
        await hooks.on_phase(Phase.BEFORE)
        lag = LagSender(crew.probes(len(links)))
        await cell.run(lag)
        await hooks.on_phase(Phase.AFTER)
        with no_collection():
            samples, done = await cell.collect()
    health = summarise_watches([end.watch for end in done], lag.expected)
    return DrivenCell(samples, health)


class _Cell:
    """State of one cell while it runs."""

    def __init__(
        self,
        crew: LoadCrew,
        links: tuple[Link, ...],
        load: CellLoad,
        hooks: CellHooks,
    ) -> None:
        self._crew = crew
        self._links = links
        self._load = load
        self._hooks = hooks
        self._ended = 0
        self._failed = 0
        self._turned_over = 0
        self._opened = asyncio.Event()
        self._closed = asyncio.Event()

    async def prepare(self) -> None:
        """Every process has its requests ready and its connections open."""
        load = self._load
        self._crew.queue_requests(len(load.requests))
        ahead = load.connections_ahead
        for place, link in enumerate(self._links):
            link.send(
                CellJob(
                    base_url=load.base_url,
                    path=load.path,
                    headers=load.headers,
                    requests=load.requests,
                    connections=len(range(place, ahead, len(self._links))),
                    stall_s=load.patience_s,
                    idle_s=IDLE_S if load.is_open else math.inf,
                )
            )
        try:
            async with asyncio.timeout(PREPARE_S):
                for link in self._links:
                    _expect(await link.receive(), Ready)
        except TimeoutError as error:
            raise LoadProcessError(
                f"a load process was not ready after {PREPARE_S:g} s",
                hint="it is stopped, or the server's address takes no connection",
            ) from error

    async def run(self, lag: LagSender) -> None:
        """From the first request to the last answer, watched."""
        edges: asyncio.Task[None] | None = None
        if self._load.is_open:
            start_ns = monotonic_ns() + int(OPEN_HEAD_START_S * NS_PER_S)
            self._begin_open(start_ns)
            edges = asyncio.create_task(self._tell_edges(start_ns))
        else:
            self._begin_closed(monotonic_ns() + int(HEAD_START_S * NS_PER_S))
        watcher = asyncio.create_task(self._watch())
        lag.start()
        following = [asyncio.create_task(self._follow(link)) for link in self._links]
        stuck = asyncio.create_task(lag.stuck.wait())
        all_followed = asyncio.gather(*following)
        all_followed.add_done_callback(_look_at)
        try:
            await asyncio.wait(
                (all_followed, stuck), return_when=asyncio.FIRST_COMPLETED
            )
            if not all_followed.done():
                raise LoadProcessError(
                    f"a load process has not read for {STUCK_S:g} s",
                    hint="it is stopped, or this machine gives it no CPU time",
                )
            await all_followed
        finally:
            # not only after the last reading of the metrics, which can take its time
            lag.stop()
            for task in (stuck, all_followed, edges):
                if task is not None:
                    task.cancel()
            self._opened.set()
            self._closed.set()
            await watcher

    def _begin_closed(self, start_ns: int) -> None:
        delays = stagger_delays(self._load.concurrency, self._load.request_s)
        dealt = deal_slots(self._load.concurrency, len(self._links))
        for link, slots in zip(self._links, dealt, strict=True):
            starts = (SlotStart(s, start_ns + int(delays[s] * NS_PER_S)) for s in slots)
            link.send(Go(tuple(starts)))

    def _begin_open(self, start_ns: int) -> None:
        """Dealt in turn, so that a burst falls on all processes."""
        arrivals = [
            Arrival(index, start_ns + round(due_s * NS_PER_S))
            for index, due_s in enumerate(self._load.arrivals)
        ]
        count = len(self._links)
        for place, link in enumerate(self._links):
            link.send(GoOpen(tuple(arrivals[place::count])))

    async def _tell_edges(self, start_ns: int) -> None:
        """The window of an open loop is known before it begins."""
        edges = zip((self._opened, self._closed), self._load.window_edges, strict=True)
        for reached, edge_s in edges:
            await sleep_until(start_ns + round(edge_s * NS_PER_S))
            reached.set()

    async def collect(self) -> tuple[tuple[RequestSample, ...], list[Done]]:
        """What all processes have kept, parsed."""
        for link in self._links:
            link.send(SendResults())
        samples: list[RequestSample] = []
        done: list[Done] = []
        for link in self._links:
            while not isinstance(message := await link.receive(), Done):
                packed = _expect(message, Results).samples
                samples.extend(unpack_sample(sample) for sample in packed)
            done.append(message)
        return tuple(sorted(samples, key=lambda sample: sample.index)), done

    async def _follow(self, link: Link) -> None:
        """Take what one process reports, until its slots are dry."""
        while not isinstance(message := await link.receive(), Drained):
            match message:
                case Ended():
                    self._note_end(message)
                case Dry():
                    self._closed.set()
                case _:
                    _expect(message, Ended)

    def _note_end(self, message: Ended) -> None:
        self._ended += message.answered + message.failed
        self._failed += message.failed
        self._turned_over += message.turned_over
        self._hooks.on_progress(self._ended)
        if self._turned_over == self._load.concurrency and not self._load.is_open:
            self._opened.set()
        self._crew.refill()
        if is_hopeless(self._failed, self._ended):
            self._crew.empty_queue()

    async def _watch(self) -> None:
        """Metrics at the window's edges and at intervals inside."""
        await self._opened.wait()
        if not self._closed.is_set():
            await self._hooks.on_phase(Phase.OPEN)
        longest = scrape_pause(self._load.window_s)
        pause = min(FIRST_SCRAPE_S, longest)
        while not self._closed.is_set():
            try:
                await asyncio.wait_for(self._closed.wait(), pause)
            except TimeoutError:
                await self._hooks.on_phase(Phase.INSIDE)
                pause = min(2 * pause, longest)
        await self._hooks.on_phase(Phase.CLOSE)


def _expect(message: FromProcess, kind: type[Any]) -> Any:
    if isinstance(message, Broken):
        raise LoadProcessError(f"a load process failed:\n{message.trace}")
    if not isinstance(message, kind):
        raise LoadProcessError(f"a load process said {message!r} out of turn")
    return message


def _look_at(future: asyncio.Future[list[None]]) -> None:
    """An error that nobody asked for any more, as after Ctrl-C, is no message to a
    user."""
    if not future.cancelled():
        future.exception()
