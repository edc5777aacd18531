"""One keep-alive HTTP/1.1 connection. Each read is stamped before anything else is
done with it. While a chunked body streams in, a read costs a stamp, an append and a
comparison of its last bytes; the transfer coding is taken off now and then and at the
end. What the body says is read after the cell."""

import asyncio
import contextlib
from dataclasses import dataclass, field
from typing import cast

from specbench.clock import monotonic_ns
from specbench.wire.http1 import ResponseReader, WireError

MAX_RESPONSE_BYTES = 256 << 20
"""No answer is so long; an endless one must not fill the memory."""
LATEST = 8

USUAL_END = b"\n\n\r\n"
"""An event's blank line and the end of its chunk. A read that ends so cannot be the
last one of a chunked response, so that nothing has to be looked at."""
MOST_UNREAD = 64
"""Then the reader takes them, so that no long answer is read in one go: in a tight loop
a read costs it half a microsecond, and much more in the callback of each read."""


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
    """Of those that it has seen; at first, of the sending."""

    @property
    def last_sign_ns(self) -> int:
        """When the last byte came, or the request was sent."""
        return self.unread[-1][0] if self.unread else self.last_read_ns

    def read_on(self) -> None:
        """Give the reader what it has not seen, each read once, also where it breaks
        on one of them. Raises WireError."""
        unread, self.unread = self.unread, []
        if not unread:
            return
        self.last_read_ns = unread[-1][0]
        reader = self.reader
        for instant, data in unread:
            if not reader.feed_chunk(instant, data):
                reader.feed(instant, data)

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
        unread = exchange.unread
        unread.append((now, data))
        if (
            data.endswith(USUAL_END)
            and exchange.reader.is_chunked
            and len(unread) < MOST_UNREAD
        ):
            return
        self.catch_up()

    def catch_up(self) -> None:
        """Take the transfer coding off what has come in; end the exchange if it is
        whole."""
        exchange = self._exchange
        if exchange is None:
            return
        try:
            exchange.read_on()
        except WireError as error:
            self._fail(f"broken HTTP response: {error}")
            return
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
            exchange.read_on()
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
                exchange.read_on()
        self.close()
        if exchange is not None and not exchange.done.done():
            exchange.end_ns = monotonic_ns()
            exchange.done.set_exception(ExchangeError(reason))


def _take_note(done: asyncio.Future[None]) -> None:
    """Look at the outcome: where the waiter was cancelled nobody else does, and
    asyncio would complain of an exception that was never retrieved."""
    if not done.cancelled():
        done.exception()
