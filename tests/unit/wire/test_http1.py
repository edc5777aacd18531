"""One HTTP/1.1 response from stamped reads."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specbench.wire.http1 import MAX_LINE_BYTES, ResponseReader, WireError
from tests.unit.wire.pieces import cut, mutate, single_bytes

CHUNKED = (
    b"HTTP/1.1 200 OK\r\nServer: uvicorn\r\nContent-Type: text/event-stream\r\n"
    b"Transfer-Encoding: chunked\r\nX-A: 1\r\nx-a:2\r\n\r\n"
    b"7\r\ndata: a\r\nA;ext=1\r\n\n\ndata: \r\n\r\n0003\r\n\r\n\n\r\n0\r\nT: x\r\n\r\n"
)
CHUNKED_BODY = b"data: a\n\ndata: \r\n\r\n\n"
SIZED = b"HTTP/1.1 404 Not Found\r\nContent-Length: 5\r\n\r\nhello"
OPEN_ENDED = b"HTTP/1.1 200\r\nContent-Type: text/plain\r\n\r\nuntil the end"

RESPONSES = st.sampled_from([CHUNKED, SIZED])


def read(pieces: list[bytes]) -> ResponseReader:
    """Each piece is a read; its index is its stamp."""
    reader = ResponseReader()
    for index, piece in enumerate(pieces):
        reader.feed(index, piece)
    return reader


def body(reader: ResponseReader) -> bytes:
    return b"".join(piece for _, piece in reader.body)


def test_chunked_response_is_taken_apart() -> None:
    reader = read([CHUNKED])
    assert reader.is_complete
    assert reader.is_chunked
    assert reader.status == 200
    assert reader.headers["content-type"] == "text/event-stream"
    assert reader.headers["x-a"] == "1, 2"
    assert reader.keep_alive
    assert reader.body == [(0, CHUNKED_BODY)]


@given(cut(CHUNKED))
def test_any_split_gives_the_same_bytes(pieces: list[bytes]) -> None:
    reader = read(pieces)
    assert reader.is_complete
    assert body(reader) == CHUNKED_BODY
    assert (reader.status, reader.keep_alive) == (200, True)


@given(RESPONSES.flatmap(cut))
def test_each_byte_has_the_stamp_of_its_read(pieces: list[bytes]) -> None:
    """Feeding the same bytes one at a time tells which byte of the wire brought which
    byte of the body; a coarser cut must agree."""
    fine = read(single_bytes(b"".join(pieces)))
    read_of_byte = [index for index, piece in enumerate(pieces) for _ in piece]
    expected = [read_of_byte[stamp] for stamp, piece in fine.body for _ in piece]
    got = [stamp for stamp, piece in read(pieces).body for _ in piece]
    assert got == expected


@given(cut(CHUNKED))
def test_a_read_gives_one_piece_at_most(pieces: list[bytes]) -> None:
    stamps = [stamp for stamp, _ in read(pieces).body]
    assert stamps == sorted(set(stamps))


@given(st.lists(st.binary(min_size=1, max_size=50), max_size=5), st.data())
def test_any_body_comes_back(chunks: list[bytes], data: st.DataObject) -> None:
    framed = b"".join(b"%x\r\n%b\r\n" % (len(chunk), chunk) for chunk in chunks)
    head = b"HTTP/1.1 200 OK\r\ntransfer-encoding: Chunked\r\n\r\n"
    reader = read(data.draw(cut(head + framed + b"0\r\n\r\n")))
    assert reader.is_complete
    assert body(reader) == b"".join(chunks)


def test_sized_response_ends_with_its_last_byte() -> None:
    reader = read([SIZED[:-1]])
    was_complete = reader.is_complete
    reader.feed(7, SIZED[-1:])
    assert (was_complete, reader.is_complete) == (False, True)
    assert reader.end_ns == 7
    assert body(reader) == b"hello"
    assert not reader.is_chunked


@pytest.mark.parametrize(
    "head",
    [
        b"HTTP/1.1 204 No Content\r\n\r\n",
        b"HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 0, 0\r\n\r\n",
    ],
)
def test_response_without_a_body_ends_with_its_head(head: bytes) -> None:
    reader = read([head])
    assert reader.is_complete
    assert reader.body == []
    assert reader.keep_alive


def test_response_without_a_length_ends_with_the_connection() -> None:
    reader = read([OPEN_ENDED])
    was_complete = reader.is_complete
    reader.eof(9)
    assert (was_complete, reader.is_complete) == (False, True)
    assert reader.end_ns == 9
    assert body(reader) == b"until the end"
    assert not reader.keep_alive


def test_interim_response_is_passed_over() -> None:
    reader = read([b"HTTP/1.1 100 Continue\r\nA: b\r\n\r\n" + SIZED])
    assert reader.status == 404
    assert "a" not in reader.headers


@pytest.mark.parametrize(
    ("version", "connection", "keep_alive"),
    [
        (b"1.1", None, True),
        (b"1.1", b"close", False),
        (b"1.1", b"Keep-Alive, Close", False),
        (b"1.0", None, False),
        (b"1.0", b"keep-alive", True),
    ],
)
def test_connection_is_kept_as_the_server_says(
    version: bytes, connection: bytes | None, *, keep_alive: bool
) -> None:
    said = b"" if connection is None else b"Connection: " + connection + b"\r\n"
    head = b"HTTP/" + version + b" 200 OK\r\n" + said
    reader = read([head + b"Content-Length: 0\r\n\r\n"])
    assert reader.keep_alive is keep_alive


@pytest.mark.parametrize("is_one_read", [True, False])
def test_bytes_after_the_end_spoil_the_connection_but_not_the_response(
    *, is_one_read: bool
) -> None:
    pieces = [SIZED + b"HTTP"] if is_one_read else [SIZED, b"HTTP"]
    reader = read(pieces)
    assert reader.is_complete
    assert body(reader) == b"hello"
    assert not reader.keep_alive


def test_length_beside_chunks_spoils_the_connection() -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n"
    reader = read([head + b"1\r\nx\r\n0\r\n\r\n"])
    assert body(reader) == b"x"
    assert not reader.keep_alive


@pytest.mark.parametrize(
    ("broken", "what"),
    [
        (b"SSH-2.0-OpenSSH\r\n", "not a status line"),
        (b"HTTP/2 200\r\n", "not a status line"),
        (b"HTTP/1.1 200 OK\r\nno colon\r\n", "not a header line"),
        (b"HTTP/1.1 200 OK\r\na: b\r\n folded\r\n", "not a header line"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", "not a content length"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 1, 2\r\n\r\n", "not a content length"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n", "transfer coding"),
        (CHUNKED[: CHUNKED.index(b"7\r\n")] + b"0x7\r\n", "not a chunk size"),
        (CHUNKED[: CHUNKED.index(b"7\r\n")] + b"+7\r\n", "not a chunk size"),
        (CHUNKED[: CHUNKED.index(b"7\r\n")] + b"1_0\r\n", "not a chunk size"),
        (CHUNKED[: CHUNKED.index(b"7\r\n")] + b"1\r\nxy\r\n", "longer than its size"),
        (b"HTTP/1.1 200 OK\r\nA: " + b"b" * MAX_LINE_BYTES, "a line of over"),
    ],
)
def test_broken_framing_is_an_error(broken: bytes, what: str) -> None:
    with pytest.raises(WireError, match=what):
        read([broken])


@pytest.mark.parametrize(
    ("sent", "what"),
    [
        (b"", "closed without an answer"),
        (b"HTTP/1.1 2", "inside the head"),
        (b"HTTP/1.1 200 OK\r\nServer: x\r\n", "inside the head"),
        (SIZED[:-2], "after 3 body bytes; 2 more were announced"),
        (CHUNKED[:-4], "after 20 body bytes, before the last chunk"),
    ],
)
def test_closing_too_early_is_an_error_with_the_place(sent: bytes, what: str) -> None:
    reader = read([sent])
    assert not reader.is_complete
    with pytest.raises(WireError, match=what):
        reader.eof(1)


def test_body_before_the_break_is_kept() -> None:
    reader = ResponseReader()
    head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    with pytest.raises(WireError):
        reader.feed(5, head + b"3\r\nabc\r\nzzz\r\n")
    assert reader.body == [(5, b"abc")]


def test_closing_after_the_end_changes_nothing() -> None:
    reader = read([SIZED])
    reader.eof(5)
    assert reader.end_ns == 0


@given(RESPONSES.flatmap(mutate).flatmap(cut))
def test_mutated_response_is_read_or_refused(pieces: list[bytes]) -> None:
    with contextlib.suppress(WireError):
        read(pieces).eof(99)
