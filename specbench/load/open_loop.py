"""The open loop of one load process: each of its requests leaves at the instant when
it is due, whatever became of those before it. Nothing waits for an answer, so a server
that falls behind is not spared."""

import asyncio
import contextlib
from collections.abc import Callable, Sequence
from typing import NamedTuple

import httpx

from specbench.load.client import PreparedRequest, RawExchange, ask
from specbench.load.pacing import is_hopeless, watch_s
from specbench.load.sleeping import sleep_until
from specbench.load.transport import StampingTransport
from specbench.units import NS_PER_S

CONNECT_AHEAD_S = 0.1
"""A request's connection is made so long before it is due, so that it leaves on time
where the server is some way off."""
IDLE_S = 3.0
"""A connection that nothing used for so long is not used again: servers close theirs
after a while (uvicorn after 5 s), and a request that meets that fails."""


class Arrival(NamedTuple):
    """When a request is to leave."""

    number: int
    """Of the cell's requests, from 0."""
    due_ns: int


class OpenLoop:
    """State of one process's part of a cell."""

    def __init__(
        self,
        transport: StampingTransport,
        requests: Sequence[tuple[PreparedRequest, bytes]],
        may_send: Callable[[], bool],
        on_ended: Callable[[bool, bool], None],
    ) -> None:
        """`requests`: all of the cell's, each with its bytes for the wire, by index;
        `may_send` says whether the cell still goes on; `on_ended` is told of each
        request whether it was answered."""
        self._transport = transport
        self._requests = requests
        self._may_send = may_send
        self._on_ended = on_ended
        self._sent = 0
        self._ended: list[RawExchange] = []
        self._failed = 0

    async def run(self, arrivals: Sequence[Arrival]) -> list[RawExchange]:
        """Until the last answer is there; what ended, in order of ending."""
        connecting = asyncio.create_task(self._connect_ahead(arrivals))
        try:
            await self._send_all(arrivals)
        finally:
            connecting.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await connecting
        return self._ended

    async def _send_all(self, arrivals: Sequence[Arrival]) -> None:
        awake_s = watch_s([arrival.due_ns for arrival in arrivals])
        async with asyncio.TaskGroup() as exchanges:
            for arrival in arrivals:
                await sleep_until(arrival.due_ns, awake_s)
                # the parent decides over all processes, but refusals can outrun its
                # word
                is_over = is_hopeless(self._failed, len(self._ended))
                if is_over or not self._may_send():
                    return
                self._sent += 1
                exchanges.create_task(self._ask(arrival))

    async def _ask(self, arrival: Arrival) -> None:
        number, due_ns = arrival
        request, raw = self._requests[number]
        exchange = await ask(self._transport, raw, request, number, due_ns)
        self._ended.append(exchange)
        self._failed += not exchange.is_answered
        self._on_ended(exchange.is_answered, False)

    async def _connect_ahead(self, arrivals: Sequence[Arrival]) -> None:
        """A connection for each request that is due soon. What cannot be made is tried
        again, and told, by the request itself."""
        ahead_ns = int(CONNECT_AHEAD_S * NS_PER_S)
        async with asyncio.TaskGroup() as connections:
            for place, arrival in enumerate(arrivals):
                await sleep_until(arrival.due_ns - ahead_ns)
                wanted = place + 1 - self._sent
                if wanted > self._transport.ready_count:
                    connections.create_task(self._open(wanted))

    async def _open(self, wanted: int) -> None:
        with contextlib.suppress(httpx.TransportError, TimeoutError, OSError):
            await self._transport.open(wanted)
