"""The three places at which bytes are read, each as one function from reads to what was
understood. The n-th read (from 0) has the instant n. The only file of these tests that
knows how the load path is put together."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, Protocol
from unittest.mock import patch

from specbench.load import connection as connection_module
from specbench.load.client import (
    RawExchange,
    RequestSettings,
    prepare_request,
    read_exchange,
)
from specbench.load.connection import StreamConnection
from specbench.schema.prompt import Message, Prompt
from specbench.schema.sample import Chunk, RequestSample, Role
from specbench.wire.completions import read_stream
from specbench.wire.http1 import ResponseReader, WireError

PROMPT = Prompt("q/1", "", 1, (Message("user", "?"),))
SETTINGS = RequestSettings(model="m", max_tokens=8, temperature=0.0, extras={})
REQUEST = prepare_request(0, PROMPT, Role.MEASURED, SETTINGS)


class Read(Protocol):
    """What all levels have to say of a stream."""

    @property
    def chunks(self) -> tuple[Chunk, ...]: ...
    @property
    def prompt_tokens(self) -> int | None: ...
    @property
    def output_tokens(self) -> int | None: ...
    @property
    def finish_reason(self) -> str | None: ...
    @property
    def error(self) -> str | None: ...
    @property
    def speculation(self) -> dict[str, Any] | None: ...


class HangsError(AssertionError):
    """The peer has closed, and somebody still waits."""


def read_body(reads: Sequence[bytes]) -> Read:
    """Body bytes to a reading."""
    return read_stream(list(enumerate(reads)))


def read_response(reads: Sequence[bytes]) -> tuple[RequestSample, bool]:
    """Response bytes to a sample, and whether it was whole before the closing."""
    reader = ResponseReader()
    error = None
    was_complete = False
    try:
        for instant, data in enumerate(reads):
            reader.feed(instant, data)
        was_complete = reader.is_complete
        reader.eof(len(reads))
    except WireError as broken:
        error = str(broken)
    else:
        if not reader.is_complete:
            raise HangsError("neither complete nor refused after the closing")
    pieces = tuple((instant, bytes(data)) for instant, data in reader.body)
    sample = make_sample(pieces, reader.status, error, len(reads) - 1)
    return sample, was_complete


def make_sample(
    pieces: tuple[tuple[int, bytes], ...],
    status: int | None,
    error: str | None,
    end_ns: int,
) -> RequestSample:
    """What the client keeps of an exchange, read."""
    return read_exchange(
        RawExchange(
            request=REQUEST,
            slot=0,
            scheduled_ns=0,
            sent_ns=0,
            end_ns=end_ns,
            status=status,
            pieces=pieces,
            error=error,
        )
    )


class _Transport(asyncio.Transport):
    """Delivers nothing any more once it was dropped, like a real one."""

    def __init__(self) -> None:
        super().__init__()
        self.is_dropped = False

    def write(self, data: bytes | bytearray | memoryview) -> None:
        pass

    def abort(self) -> None:
        self.is_dropped = True

    def close(self) -> None:
        self.is_dropped = True

    def is_closing(self) -> bool:
        return self.is_dropped


class Line:
    """Connections with a clock that stands at the index of the read."""

    def __init__(self) -> None:
        self.now_ns = 0

    def _clock(self) -> int:
        return self.now_ns

    def read(self, reads: Sequence[bytes]) -> tuple[RequestSample, bool]:
        """Reads to a sample, and whether it was there before the closing."""
        transport = _Transport()
        connection = StreamConnection()
        connection.connection_made(transport)
        self.now_ns = 0
        exchange = connection.begin(b"GET / HTTP/1.1\r\n\r\n")
        for instant, data in enumerate(reads):
            if transport.is_dropped:
                break
            self.now_ns = instant
            connection.data_received(data)
        was_done = exchange.done.done()
        if not transport.is_dropped:
            self.now_ns = len(reads)
            connection.eof_received()
        connection.connection_lost(None)
        if not exchange.done.done():
            raise HangsError("the exchange is not done after the connection was lost")
        failure = exchange.done.exception()
        error = None if failure is None else str(failure)
        pieces = tuple((at, bytes(data)) for at, data in exchange.reader.body)
        status = exchange.reader.status
        return make_sample(pieces, status, error, exchange.end_ns), was_done


def on_line(use: Callable[[Line], None]) -> None:
    """Run `use` inside an event loop; no socket, and nothing to wait for."""

    async def play() -> None:
        line = Line()
        with patch.object(connection_module, "monotonic_ns", line._clock):
            use(line)

    asyncio.run(play())
