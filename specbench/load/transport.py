"""httpx's transport interface over our own connections: httpx builds the request, we
put it on the wire and stamp what comes back. The response is handed over when it is
whole, with its stamped pieces in `extensions`."""

import asyncio
import contextlib
import ssl
from collections import deque

import httpx

from specbench.clock import monotonic_ns
from specbench.load.connection import Exchange, ExchangeError, StreamConnection
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


class BrokenExchangeError(httpx.ReadError):
    """The response did not come to its end; carries what had arrived."""

    def __init__(
        self, message: str, exchange: Exchange, request: httpx.Request
    ) -> None:
        super().__init__(message, request=request)
        self.exchange = exchange


class StampingTransport(httpx.AsyncBaseTransport):
    """Keep-alive connections to one origin."""

    def __init__(self, origin: str) -> None:
        self._origin = httpx.URL(origin)
        self._idle: deque[StreamConnection] = deque()

    async def open(self, count: int) -> None:
        """Make connections ahead, so that none is made while it counts."""
        made = await asyncio.gather(
            *(self._connect() for _ in range(count - len(self._idle)))
        )
        self._idle.extend(made)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send and wait for the whole response."""
        body = await request.aread()
        raw = _head(request) + body
        stall = request.extensions.get("timeout", {}).get("read") or DEFAULT_STALL_S
        exchange = await self._exchange(raw, stall, request)
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

    async def _exchange(
        self, raw: bytes, stall_s: float, request: httpx.Request
    ) -> Exchange:
        """One exchange, asked once: a request that failed is a result, and whether the
        server has seen it cannot be known."""
        connection = self._take_idle() or await self._connect(request)
        exchange = connection.begin(raw)
        try:
            await _wait(exchange, stall_s)
        except ExchangeError as error:
            connection.close()
            raise BrokenExchangeError(str(error), exchange, request) from error
        except TimeoutError as error:
            connection.give_up()
            message = f"no byte for {stall_s:g} s, or no end after {LONGEST_S:g} s"
            raise BrokenExchangeError(message, exchange, request) from error
        except asyncio.CancelledError:
            connection.close()
            raise
        if connection.is_open:
            self._idle.append(connection)
        return exchange

    def _take_idle(self) -> StreamConnection | None:
        while self._idle:
            connection = self._idle.popleft()
            if connection.is_open:
                return connection
        return None

    async def _connect(self, request: httpx.Request | None = None) -> StreamConnection:
        url = self._origin
        port = url.port or (443 if url.scheme == "https" else 80)
        context = ssl.create_default_context() if url.scheme == "https" else None
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(CONNECT_S):
                _, connection = await loop.create_connection(
                    StreamConnection, url.host, port, ssl=context
                )
        except OSError as error:
            message = f"cannot connect to {url.host}:{port}: {error}"
            raise httpx.ConnectError(message, request=request) from error
        return connection

    async def aclose(self) -> None:
        """Close the idle connections."""
        while self._idle:
            self._idle.pop().close()


async def _wait(exchange: Exchange, stall_s: float) -> None:
    """Until the exchange has ended; TimeoutError when nothing came for too long."""
    started = monotonic_ns()
    while not exchange.done.done():
        if seconds_between(started, monotonic_ns()) > LONGEST_S:
            raise TimeoutError
        before = exchange.last_read_ns
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(asyncio.shield(exchange.done), stall_s)
        if not exchange.done.done() and exchange.last_read_ns == before:
            raise TimeoutError
    exchange.done.result()


def _head(request: httpx.Request) -> bytes:
    lines = [
        b"%b %b HTTP/1.1" % (request.method.encode(), request.url.raw_path),
        *(b"%b: %b" % (name, value) for name, value in request.headers.raw),
    ]
    return b"\r\n".join(lines) + b"\r\n\r\n"
