"""One keep-alive HTTP/1.1 connection. Each read is stamped before anything else is
done with it; then the transfer coding is taken off, for a read that is one whole chunk
by a way that costs under half a microsecond. What the body says is read after the
cell."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import cast

from specbench.clock import monotonic_ns
from specbench.wire.http1 import ResponseReader, WireError

MAX_RESPONSE_BYTES = 256 << 20
"""No answer is so long; an endless one must not fill the memory."""
LATEST = 8


class ExchangeError(Exception):
    """The exchange did not come to its end; the message says why. What had arrived is
    in the exchange."""


@dataclass(slots=True)
class Exchange:
    """A request on the wire and what has come back so far."""

    done: asyncio.Future[None]
    sent_ns: int = 0
    end_ns: int = 0
    reader: ResponseReader = field(default_factory=ResponseReader)
    last_read_ns: int = 0
    """Of the reads that were no whole chunk; at first, of the sending."""

    @property
    def last_sign_ns(self) -> int:
        """When the last byte came, or the request was sent."""
        body = self.reader.body
        return max(self.last_read_ns, body[-1][0]) if body else self.last_read_ns

    @property
    def is_endless(self) -> bool:
        """Its body is over the limit. The sum is made only where the latest pieces
        let expect that: this is looked at beside the stamping."""
        body = self.reader.body
        largest = max((len(piece) for _, piece in body[-LATEST:]), default=0)
        if largest * len(body) <= MAX_RESPONSE_BYTES:
            return False
        return sum(len(piece) for _, piece in body) > MAX_RESPONSE_BYTES


class StreamConnection(asyncio.Protocol):
    """Carries one exchange at a time."""

    def __init__(self) -> None:
        self._transport: asyncio.Transport | None = None
        self._exchange: Exchange | None = None
        self._take_chunk: Callable[[int, bytes], bool] = _nobody_waits
        self.is_open = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Called by the event loop."""
        # uvloop's transports are no subclass of asyncio's, so this cannot be checked
        self._transport = cast(asyncio.Transport, transport)
        self.is_open = True

    def data_received(self, data: bytes) -> None:
        """Called by the event loop; stamps first."""
        now = monotonic_ns()
        if not self._take_chunk(now, data):
            self._take_read(now, data)

    def _take_read(self, now: int, data: bytes) -> None:
        """A read that is no whole chunk."""
        exchange = self._exchange
        if exchange is None:
            # bytes that nobody asked for: the connection is of no more use
            self.close()
            return
        exchange.last_read_ns = now
        reader = exchange.reader
        try:
            reader.feed(now, data)
        except WireError as error:
            self._fail(f"broken HTTP response: {error}")
            return
        if reader.is_complete:
            self._finish(exchange)

    def eof_received(self) -> bool:
        """Called by the event loop when the peer has closed its side."""
        self.is_open = False
        self._lost("the server closed the connection")
        return False

    def connection_lost(self, exc: Exception | None) -> None:
        """Called by the event loop."""
        self.is_open = False
        self._lost(f"connection lost: {exc}" if exc else "connection closed")

    def _lost(self, reason: str) -> None:
        exchange = self._exchange
        if exchange is None:
            return
        now = monotonic_ns()
        try:
            exchange.reader.eof(now)
        except WireError as error:
            self._fail(f"{reason}: {error}")
            return
        if exchange.reader.is_complete:
            self._finish(exchange)
        else:
            self._fail(reason)

    def give_up(self, reason: str) -> None:
        """Stop waiting: what has arrived is read, and the connection dropped."""
        if self._exchange is not None:
            self._fail(reason)

    @property
    def exchange(self) -> Exchange | None:
        """What it carries now."""
        return self._exchange

    def begin(self, request: bytes) -> Exchange:
        """Send a whole request; `done` of the result says when it has ended."""
        if self._transport is None or self._exchange is not None:
            raise ExchangeError("the connection is not free")
        loop = asyncio.get_running_loop()
        exchange = Exchange(done=loop.create_future())
        exchange.done.add_done_callback(_take_note)
        self._exchange = exchange
        self._take_chunk = exchange.reader.feed_chunk
        exchange.sent_ns = exchange.last_read_ns = monotonic_ns()
        self._transport.write(request)
        return exchange

    def close(self) -> None:
        """Drop the connection, whatever it carries."""
        self.is_open = False
        if self._transport is not None:
            self._transport.abort()

    def _forget(self) -> None:
        self._exchange = None
        self._take_chunk = _nobody_waits

    def _finish(self, exchange: Exchange) -> None:
        exchange.end_ns = exchange.last_sign_ns
        self._forget()
        if not exchange.reader.keep_alive:
            self.close()
        if not exchange.done.done():
            exchange.done.set_result(None)

    def _fail(self, reason: str) -> None:
        exchange = self._exchange
        self._forget()
        self.close()
        if exchange is not None and not exchange.done.done():
            exchange.end_ns = monotonic_ns()
            exchange.done.set_exception(ExchangeError(reason))


def _nobody_waits(_instant_ns: int, _data: bytes) -> bool:
    return False


def _take_note(done: asyncio.Future[None]) -> None:
    """Look at the outcome: where the waiter was cancelled nobody else does, and
    asyncio would complain of an exception that was never retrieved."""
    if not done.cancelled():
        done.exception()
