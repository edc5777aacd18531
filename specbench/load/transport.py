"""httpx's transport interface over our own connections: httpx builds the request, we
put it on the wire and stamp what comes back. The response is handed over when it is
whole, with its stamped pieces in `extensions`. The load itself calls `exchange` with
bytes that were made ahead, so that nothing is built while it counts."""

import asyncio
import math
import ssl
from collections import deque

import httpx

from specbench.clock import monotonic_ns
from specbench.load.connection import (
    MAX_RESPONSE_BYTES,
    Exchange,
    ExchangeError,
    StreamConnection,
)
from specbench.units import seconds_between

PIECES = "specbench.pieces"
"""Extension: list of (instant ns, body bytes), transfer coding taken off."""
SENT_NS = "specbench.sent_ns"
END_NS = "specbench.end_ns"

DEFAULT_STALL_S = 120.0
"""Without a byte for so long, an exchange has failed."""


CONNECT_S = 10.0
LONGEST_S = 1800.0
"""A request that takes longer has failed, however it trickles."""
LOOK_S = 1.0
"""Stalled exchanges are looked for so often, or more often where a stall is shorter."""


class BrokenExchangeError(httpx.ReadError):
    """The response did not come to its end; carries what had arrived."""

    def __init__(self, message: str, exchange: Exchange) -> None:
        super().__init__(message)
        self.exchange = exchange


class StampingTransport(httpx.AsyncBaseTransport):
    """Keep-alive connections to one origin."""

    def __init__(
        self,
        origin: str,
        stall_s: float = DEFAULT_STALL_S,
        idle_s: float = math.inf,
    ) -> None:
        """`idle_s`: a connection that nothing used for so long is not used again."""
        self._origin = httpx.URL(origin)
        self._stall_s = stall_s
        self._idle_s = idle_s
        is_tls = self._origin.scheme == "https"
        self._trust = ssl.create_default_context() if is_tls else None
        self._idle: deque[tuple[int, StreamConnection]] = deque()
        """Each with the instant since which it is idle, so the oldest first."""
        self._busy: set[StreamConnection] = set()
        self._next_look: asyncio.TimerHandle | None = None

    async def open(self, count: int) -> None:
        """Make connections ahead, so that none is made while it counts."""
        wanted = count - self.ready_count
        made = await asyncio.gather(
            *(self._connect() for _ in range(wanted)), return_exceptions=True
        )
        for connection in made:
            if isinstance(connection, StreamConnection):
                self._keep(connection)
        for failure in made:
            if isinstance(failure, BaseException):
                raise failure

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send and wait for the whole response."""
        await request.aread()
        try:
            exchange = await self.exchange(request_bytes(request))
        except httpx.RequestError as error:
            error.request = request
            raise
        reader = exchange.reader
        return httpx.Response(
            status_code=reader.status or 0,
            headers=list(reader.headers.items()),
            content=b"".join(piece for _, piece in reader.body),
            extensions={
                PIECES: reader.body,
                SENT_NS: exchange.sent_ns,
                END_NS: exchange.end_ns,
            },
        )

    async def exchange(self, raw: bytes) -> Exchange:
        """One exchange, asked once: a request that failed is a result, and whether the
        server has seen it cannot be known. Raises ConnectError, BrokenExchangeError."""
        connection = self._take_idle() or await self._connect()
        exchange = connection.begin(raw)
        self._busy.add(connection)
        self._watch()
        try:
            await exchange.done
        except ExchangeError as error:
            connection.close()
            raise BrokenExchangeError(str(error), exchange) from error
        except asyncio.CancelledError:
            connection.close()
            raise
        finally:
            self._busy.discard(connection)
        if connection.is_open:
            self._keep(connection)
        return exchange

    @property
    def ready_count(self) -> int:
        """Connections at hand; those that are of no more use are dropped."""
        while self._idle and not self._is_of_use(*self._idle[0]):
            self._idle.popleft()[1].close()
        return len(self._idle)

    def _keep(self, connection: StreamConnection) -> None:
        self._idle.append((monotonic_ns(), connection))

    def _is_of_use(self, since_ns: int, connection: StreamConnection) -> bool:
        is_fresh = seconds_between(since_ns, monotonic_ns()) <= self._idle_s
        return connection.is_open and is_fresh

    def _watch(self) -> None:
        """One timer for all exchanges: one for each would cost the timing path."""
        if self._next_look is None:
            pause = min(LOOK_S, self._stall_s / 4)
            loop = asyncio.get_running_loop()
            self._next_look = loop.call_later(pause, self._end_stalled)

    def _end_stalled(self) -> None:
        self._next_look = None
        now = monotonic_ns()
        for connection in list(self._busy):
            exchange = connection.exchange
            if exchange is None:
                continue
            if seconds_between(exchange.last_sign_ns, now) > self._stall_s:
                connection.give_up(f"no byte for {self._stall_s:g} s")
            elif exchange.is_endless:
                size = f"{MAX_RESPONSE_BYTES >> 20} MiB"
                connection.give_up(f"the answer is over {size}")
            elif seconds_between(exchange.sent_ns, now) > LONGEST_S:
                connection.give_up(f"no end after {LONGEST_S:g} s")
        if self._busy:
            self._watch()

    def _take_idle(self) -> StreamConnection | None:
        if self.ready_count == 0:
            return None
        return self._idle.popleft()[1]

    async def _connect(self) -> StreamConnection:
        url = self._origin
        port = url.port or (443 if url.scheme == "https" else 80)
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(CONNECT_S):
                _, connection = await loop.create_connection(
                    StreamConnection, url.host, port, ssl=self._trust
                )
        except OSError as error:
            reason = str(error) or f"no answer in {CONNECT_S:g} s"
            message = f"cannot connect to {url.host}:{port}: {reason}"
            raise httpx.ConnectError(message) from error
        return connection

    async def aclose(self) -> None:
        """Close the idle connections."""
        if self._next_look is not None:
            self._next_look.cancel()
            self._next_look = None
        while self._idle:
            self._idle.pop()[1].close()


def request_bytes(request: httpx.Request) -> bytes:
    """A request whose body is at hand, as it goes over the wire."""
    lines = [
        b"%b %b HTTP/1.1" % (request.method.encode(), request.url.raw_path),
        *(b"%b: %b" % (name, value) for name, value in request.headers.raw),
    ]
    return b"\r\n".join(lines) + b"\r\n\r\n" + request.content
