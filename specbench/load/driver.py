"""The closed loop: `concurrency` slots, each sends its next request the moment the
last one ended, until the list is used up. Says when the window opens (every slot has
turned over) and closes (the first slot runs dry), so that others can act then."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field

import httpx

from specbench.clock import monotonic_ns
from specbench.load.client import PreparedRequest, RawExchange, ask
from specbench.load.lag import LagProbe
from specbench.load.pacing import stagger_delays
from specbench.load.transport import StampingTransport
from specbench.schema.record import ClientHealth
from specbench.schema.snapshot import Phase
from specbench.units import NS_PER_S

SCRAPE_S = 1.0
FIRST_SCRAPE_S = 0.1
"""Readings come densely at first, with doubling pauses, so that a short window has
some too."""
STALL_S = 120.0
GIVE_UP_FAILURES = 3
GIVE_UP_SHARE = 0.2
"""A cell with more failures than this is void for certain: it is not fed any longer, so
that a server that hangs costs minutes and not hours."""


@dataclass(frozen=True, slots=True)
class CellLoad:
    """What one cell sends, and where to."""

    base_url: str
    path: str
    requests: tuple[PreparedRequest, ...]
    """Warm-up requests first."""
    concurrency: int
    request_s: float
    """About how long one request takes; starts are spread over it. 0 = at once."""
    headers: dict[str, str] = field(default_factory=dict)
    stall_s: float = STALL_S


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

    exchanges: tuple[RawExchange, ...]
    client: ClientHealth


async def drive_cell(load: CellLoad, hooks: CellHooks) -> DrivenCell:
    """Run one cell to its end, drain included."""
    transport = StampingTransport(load.base_url)
    async with httpx.AsyncClient(
        transport=transport,
        base_url=load.base_url,
        # a compressed stream could be neither stamped nor cut at its events
        headers={"accept-encoding": "identity", **load.headers},
        timeout=httpx.Timeout(load.stall_s),
        trust_env=False,
    ) as client:
        # A server that is gone fails each request, which is data; it is no error here.
        with contextlib.suppress(httpx.ConnectError):
            await transport.open(load.concurrency)
        await hooks.on_phase(Phase.BEFORE)
        loop = _ClosedLoop(client, load, hooks)
        probe = LagProbe()
        probe.start()
        try:
            exchanges = await loop.run()
        finally:
            health = probe.stop()
        await hooks.on_phase(Phase.AFTER)
    return DrivenCell(exchanges, health)


class _ClosedLoop:
    """State of one cell while it runs."""

    def __init__(
        self, client: httpx.AsyncClient, load: CellLoad, hooks: CellHooks
    ) -> None:
        self._client = client
        self._load = load
        self._hooks = hooks
        self._queue: Iterator[PreparedRequest] = iter(load.requests)
        self._ended: list[RawExchange] = []
        self._turned_over = 0
        self._failed = 0
        self._opened = asyncio.Event()
        self._closed = asyncio.Event()

    async def run(self) -> tuple[RawExchange, ...]:
        delays = stagger_delays(self._load.concurrency, self._load.request_s)
        watcher = asyncio.create_task(self._watch())
        try:
            async with asyncio.TaskGroup() as slots:
                for slot, delay in enumerate(delays):
                    slots.create_task(self._run_slot(slot, delay))
        finally:
            self._opened.set()
            self._closed.set()
            await watcher
        return tuple(sorted(self._ended, key=lambda e: e.request.index))

    async def _run_slot(self, slot: int, delay: float) -> None:
        due = monotonic_ns() + int(delay * NS_PER_S)
        if delay > 0:
            await asyncio.sleep(delay)
        is_first = True
        for request in self._queue:
            if self._failed > GIVE_UP_FAILURES + GIVE_UP_SHARE * len(self._ended):
                break
            exchange = await ask(self._client, self._load.path, request, slot, due)
            due = exchange.end_ns
            self._ended.append(exchange)
            self._failed += exchange.status != httpx.codes.OK
            self._hooks.on_progress(len(self._ended))
            if is_first and exchange.status == httpx.codes.OK:
                is_first = False
                self._turned_over += 1
                if self._turned_over == self._load.concurrency:
                    self._opened.set()
        self._closed.set()

    async def _watch(self) -> None:
        """Metrics at the window's edges and about once a second inside."""
        await self._opened.wait()
        if not self._closed.is_set():
            await self._hooks.on_phase(Phase.OPEN)
        pause = FIRST_SCRAPE_S
        while not self._closed.is_set():
            try:
                await asyncio.wait_for(self._closed.wait(), pause)
            except TimeoutError:
                await self._hooks.on_phase(Phase.INSIDE)
                pause = min(2 * pause, SCRAPE_S)
        await self._hooks.on_phase(Phase.CLOSE)
