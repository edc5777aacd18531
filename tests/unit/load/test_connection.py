"""The connection against a transport that is a list: whatever the split, the same
bytes, each with the stamp of the read that brought it."""

import asyncio
import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specbench.load import connection as module
from specbench.load.connection import Exchange, ExchangeError, StreamConnection

HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n"
CHUNKED = HEAD + b"transfer-encoding: chunked\r\n\r\n"
EVENTS = (
    b"data: {}\n\n",
    b"data: a\r\n\r\n",  # looks like the end of a chunked message, and is not
    b"\r\n\r\n",
    b"x",
    b"data: [DONE]\n\n",
)
READ_NS = 1_000
"""Time between two reads."""


class ListTransport(asyncio.Transport):
    """Keeps what was written and whether it was dropped."""

    def __init__(self) -> None:
        super().__init__()
        self.written: list[bytes] = []
        self.is_dropped = False

    def write(self, data: bytes | bytearray | memoryview) -> None:
        self.written.append(bytes(data))

    def abort(self) -> None:
        self.is_dropped = True


@dataclass
class Clock:
    """Stands still until it is moved."""

    now_ns: int = 0

    def __call__(self) -> int:
        return self.now_ns


@dataclass
class Line:
    """A connection with its other end and its clock."""

    clock: Clock = field(default_factory=Clock)
    transport: ListTransport = field(default_factory=ListTransport)
    connection: StreamConnection = field(default_factory=StreamConnection)

    def __post_init__(self) -> None:
        self.connection.connection_made(self.transport)

    def receive(self, reads: Sequence[bytes]) -> None:
        """Each read comes one tick after the last one."""
        for data in reads:
            self.clock.now_ns += READ_NS
            self.connection.data_received(data)


@dataclass
class Wire:
    """Response bytes, and which of them are body."""

    data: bytes
    body_at: list[int]

    @property
    def body(self) -> bytes:
        return bytes(self.data[place] for place in self.body_at)


def chunked(parts: Sequence[bytes], end: bytes = b"0\r\n\r\n") -> Wire:
    data = bytearray(CHUNKED)
    places: list[int] = []
    for part in parts:
        data += b"%x\r\n" % len(part)
        places += range(len(data), len(data) + len(part))
        data += part + b"\r\n"
    return Wire(bytes(data + end), places)


def sized(body: bytes, status: bytes = b"400 Bad Request") -> Wire:
    head = b"HTTP/1.1 %b\r\ncontent-length: %d\r\n\r\n" % (status, len(body))
    return Wire(head + body, list(range(len(head), len(head) + len(body))))


def split(data: bytes, cuts: Sequence[int]) -> list[bytes]:
    edges = [0, *sorted(set(cuts) & set(range(1, len(data)))), len(data)]
    return [data[a:b] for a, b in itertools.pairwise(edges)]


def exchanged(reads: Sequence[bytes], *, ends: bool = False) -> tuple[Exchange, Line]:
    """One exchange to its end; raises what the exchange raises."""

    async def play() -> tuple[Exchange, Line]:
        line = Line()
        with patch.object(module, "monotonic_ns", line.clock):
            exchange = line.connection.begin(b"GET")
            line.receive(reads)
            if ends:
                line.clock.now_ns += READ_NS
                line.connection.eof_received()
        async with asyncio.timeout(5):
            await exchange.done
        return exchange, line

    return asyncio.run(play())


def stamp_of_each_byte(wire: Wire, reads: Sequence[bytes]) -> list[int]:
    stamps = [READ_NS * (place + 1) for place, read in enumerate(reads) for _ in read]
    return [stamps[at] for at in wire.body_at]


WIRES = [
    pytest.param(chunked(EVENTS), id="chunked"),
    pytest.param(chunked(EVENTS, b"0\r\nx-took: 3\r\n\r\n"), id="trailer"),
    pytest.param(chunked([]), id="empty"),
    pytest.param(sized(b'{"error": "no"}\r\n\r\n'), id="content-length"),
    pytest.param(sized(b""), id="content-length 0"),
]


@pytest.mark.parametrize("wire", WIRES)
@given(st.data())
def test_any_split_gives_the_same_bytes_with_the_stamps_of_their_reads(
    wire: Wire, data: st.DataObject
) -> None:
    cuts = data.draw(st.lists(st.integers(1, len(wire.data) - 1), max_size=12))
    reads = split(wire.data, cuts)
    exchange, line = exchanged(reads)
    stamped = [(at, byte) for at, piece in exchange.reader.body for byte in piece]
    assert bytes(byte for _, byte in stamped) == wire.body
    assert [at for at, _ in stamped] == stamp_of_each_byte(wire, reads)
    assert exchange.end_ns == READ_NS * len(reads)
    assert line.connection.is_open


@pytest.mark.parametrize("wire", WIRES)
def test_one_byte_a_read_is_a_split_like_any_other(wire: Wire) -> None:
    reads = [bytes([byte]) for byte in wire.data]
    exchange, _ = exchanged(reads)
    assert b"".join(piece for _, piece in exchange.reader.body) == wire.body
    assert exchange.end_ns == READ_NS * len(reads)


@pytest.mark.parametrize("missing", range(1, 5))
def test_a_cut_inside_the_last_chunk_ends_the_exchange_with_its_last_byte(
    missing: int,
) -> None:
    wire = chunked(EVENTS)

    async def play() -> None:
        line = Line()
        with patch.object(module, "monotonic_ns", line.clock):
            exchange = line.connection.begin(b"GET")
            line.receive([wire.data[:-missing]])
            assert not exchange.done.done()
            line.receive([wire.data[-missing:]])
            assert exchange.done.done()
            assert exchange.end_ns == 2 * READ_NS

    asyncio.run(play())


def test_what_the_body_says_is_not_looked_at() -> None:
    pieces = [b"data: {broken", b"\xff\xfe\n", b"\n\ndata: [DONE]"]
    wire = chunked(pieces)
    reads = split(wire.data, [len(CHUNKED), *range(len(CHUNKED), len(wire.data), 14)])

    async def play() -> None:
        line = Line()
        exchange = line.connection.begin(b"GET")
        line.receive(reads)
        body = b"".join(piece for _, piece in exchange.reader.body)
        assert body == b"".join(pieces)
        assert exchange.done.exception() is None

    asyncio.run(play())


def test_sent_is_stamped_before_the_request_is_handed_over() -> None:
    async def play() -> None:
        line = Line(Clock(now_ns=77))

        def slow_write(data: bytes | bytearray | memoryview) -> None:
            line.clock.now_ns += 500

        with (
            patch.object(module, "monotonic_ns", line.clock),
            patch.object(line.transport, "write", slow_write),
        ):
            assert line.connection.begin(b"GET").sent_ns == 77

    asyncio.run(play())


def test_a_connection_carries_one_exchange_after_another() -> None:
    async def play() -> None:
        line = Line()
        for parts in ([b"first"], [], [b"third", b"\r\n\r\n"]):
            wire = chunked(parts)
            exchange = line.connection.begin(b"GET")
            line.receive(split(wire.data, [len(wire.data) - 2]))
            await exchange.done
            assert b"".join(p for _, p in exchange.reader.body) == b"".join(parts)
        assert line.connection.is_open

    asyncio.run(play())


def test_a_second_request_does_not_enter_a_busy_connection() -> None:
    async def play() -> None:
        line = Line()
        line.connection.begin(b"GET")
        with pytest.raises(ExchangeError, match="not free"):
            line.connection.begin(b"GET")
        assert line.transport.written == [b"GET"]

    asyncio.run(play())


def test_a_response_without_a_length_ends_when_the_server_closes() -> None:
    exchange, _ = exchanged([HEAD + b"\r\nall", b" of it"], ends=True)
    assert b"".join(piece for _, piece in exchange.reader.body) == b"all of it"
    # what was measured is the last byte, not the closing after it
    assert exchange.end_ns == 2 * READ_NS


@pytest.mark.parametrize("kept", [0, 10, len(CHUNKED), len(CHUNKED) + 20])
def test_a_server_that_closes_early_fails_the_exchange(kept: int) -> None:
    data = chunked(EVENTS).data[:kept]
    with pytest.raises(ExchangeError, match="closed"):
        exchanged([data] if data else [], ends=True)


def test_a_sized_body_that_ends_early_fails_the_exchange() -> None:
    with pytest.raises(ExchangeError, match="2 more were announced"):
        exchanged([sized(b"abcdef").data[:-2]], ends=True)


def test_broken_framing_fails_the_exchange_and_drops_the_connection() -> None:
    async def play() -> None:
        line = Line()
        exchange = line.connection.begin(b"GET")
        line.receive([CHUNKED + b"nonsense\r\n\r\n"])
        with pytest.raises(ExchangeError, match="broken HTTP response"):
            await exchange.done
        assert line.transport.is_dropped

    asyncio.run(play())


def test_a_server_that_asks_to_close_is_not_asked_again() -> None:
    head = b"HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 2\r\n\r\n"
    _, line = exchanged([head + b"ok"])
    assert line.transport.is_dropped
    assert not line.connection.is_open


def test_bytes_that_nobody_asked_for_drop_the_connection() -> None:
    line = Line()
    line.receive([b"HTTP/1.1 408 Request Timeout\r\n\r\n"])
    assert line.transport.is_dropped
    assert not line.connection.is_open


def test_a_lost_connection_fails_the_exchange_with_the_systems_reason() -> None:
    async def play() -> None:
        line = Line()
        exchange = line.connection.begin(b"GET")
        line.connection.connection_lost(ConnectionResetError("reset by peer"))
        with pytest.raises(ExchangeError, match="reset by peer"):
            await exchange.done
        assert not line.connection.is_open

    asyncio.run(play())


def test_an_idle_connection_whose_peer_has_closed_takes_no_request_any_more() -> None:
    line = Line()
    line.connection.eof_received()
    assert not line.connection.is_open
