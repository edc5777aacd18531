"""One keep-alive HTTP/1.1 connection. Each read is stamped before anything else is
done with it. While a chunked body streams in, nothing is parsed: a read that cannot
be the last one costs a stamp, an append and a comparison of its last bytes. The frame
is looked at once, when the end seems to be there; events are read after the cell."""

import asyncio
import contextlib
from dataclasses import dataclass, field
from typing import cast

from specbench.clock import monotonic_ns
from specbench.wire.http1 import ResponseReader, WireError

LAST_BYTES = b"\r\n\r\n"
"""Every chunked message ends so: after the size 0, or after the last trailer."""


MAX_RESPONSE_BYTES = 256 << 20
"""No answer is so long; an endless one must not fill the memory."""


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
    unread: list[tuple[int, bytes]] = field(default_factory=list)
    """Stamped reads that the reader has not seen yet."""
    last_read_ns: int = 0
    size: int = 0
    """Bytes read so far."""


class StreamConnection(asyncio.Protocol):
    """Carries one exchange at a time."""

    def __init__(self) -> None:
        self._transport: asyncio.Transport | None = None
        self._exchange: Exchange | None = None
        self._tail = b""
        self.is_open = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Called by the event loop."""
        # uvloop's transports are no subclass of asyncio's, so this cannot be checked
        self._transport = cast(asyncio.Transport, transport)
        self.is_open = True

    def data_received(self, data: bytes) -> None:
        """Called by the event loop; stamps first."""
        now = monotonic_ns()
        exchange = self._exchange
        if exchange is None:
            # bytes that nobody asked for: the connection is of no more use
            self.close()
            return
        exchange.last_read_ns = now
        exchange.size += len(data)
        exchange.unread.append((now, data))
        tail = data if len(data) >= len(LAST_BYTES) else self._tail + data
        self._tail = tail[-len(LAST_BYTES) :]
        if self._tail != LAST_BYTES and exchange.reader.is_chunked:
            if exchange.size > MAX_RESPONSE_BYTES:
                self._fail(f"the response is over {MAX_RESPONSE_BYTES >> 20} MiB")
            return
        self._catch_up(exchange)

    def _catch_up(self, exchange: Exchange) -> None:
        """Let the reader see what has come in; end the exchange if it is whole."""
        if exchange.size > MAX_RESPONSE_BYTES:
            self._fail(f"the response is over {MAX_RESPONSE_BYTES >> 20} MiB")
            return
        try:
            for instant, data in exchange.unread:
                exchange.reader.feed(instant, data)
        except WireError as error:
            self._fail(f"broken HTTP response: {error}")
            return
        exchange.unread.clear()
        if exchange.reader.is_complete:
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
            for instant, data in exchange.unread:
                exchange.reader.feed(instant, data)
            exchange.unread.clear()
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
        self._tail = b""
        exchange.sent_ns = exchange.last_read_ns = monotonic_ns()
        self._transport.write(request)
        return exchange

    def close(self) -> None:
        """Drop the connection, whatever it carries."""
        self.is_open = False
        if self._transport is not None:
            self._transport.abort()

    def _finish(self, exchange: Exchange) -> None:
        exchange.end_ns = exchange.last_read_ns
        self._exchange = None
        if not exchange.reader.keep_alive:
            self.close()
        if not exchange.done.done():
            exchange.done.set_result(None)

    def _fail(self, reason: str) -> None:
        exchange = self._exchange
        self._exchange = None
        if exchange is not None:
            with contextlib.suppress(WireError):
                for instant, data in exchange.unread:
                    exchange.reader.feed(instant, data)
            exchange.unread.clear()
        self.close()
        if exchange is not None and not exchange.done.done():
            exchange.end_ns = monotonic_ns()
            exchange.done.set_exception(ExchangeError(reason))


def _take_note(done: asyncio.Future[None]) -> None:
    """Look at the outcome: where the waiter was cancelled nobody else does, and
    asyncio would complain of an exception that was never retrieved."""
    if not done.cancelled():
        done.exception()
