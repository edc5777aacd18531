"""Requests come out of bytes in any split."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specbench.sim.http1 import HttpRequest, RequestError, RequestReader, chunk

_TWO_REQUESTS = (
    b"POST /v1/completions?x=1 HTTP/1.1\r\nHost: a\r\nContent-Length: 8\r\n\r\n"
    b'{"a": 1}'
    b"GET /health HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
)


def _read(pieces: list[bytes]) -> list[HttpRequest]:
    reader = RequestReader()
    requests = []
    for piece in pieces:
        reader.feed(piece)
        while (request := reader.next_request()) is not None:
            requests.append(request)
    return requests


def test_a_request_has_its_parts() -> None:
    post, get = _read([_TWO_REQUESTS])
    assert (post.method, post.path, post.body) == (
        "POST",
        "/v1/completions",
        b'{"a": 1}',
    )
    assert post.headers == {"host": "a", "content-length": "8"}
    assert (post.keep_alive, get.keep_alive) == (True, False)


@given(st.sets(st.integers(1, len(_TWO_REQUESTS) - 1)))
def test_any_split_gives_the_same_requests(cuts: set[int]) -> None:
    edges = [0, *sorted(cuts), len(_TWO_REQUESTS)]
    pieces = [_TWO_REQUESTS[a:b] for a, b in itertools.pairwise(edges)]
    assert _read(pieces) == _read([_TWO_REQUESTS])


def test_a_request_comes_with_its_last_byte_and_no_earlier() -> None:
    reader = RequestReader()
    reader.feed(b"GET / HTTP/1.1\r\n\r")
    assert reader.next_request() is None
    reader.feed(b"\n")
    assert reader.next_request() is not None


@pytest.mark.parametrize(
    ("version", "connection", "is_kept"),
    [
        ("HTTP/1.1", "keep-alive", True),
        ("HTTP/1.1", "Close", False),
        ("HTTP/1.0", "x", False),
        ("HTTP/1.0", "Keep-Alive", True),
    ],
)
def test_a_connection_is_kept_as_the_version_says(
    version: str, connection: str, is_kept: bool
) -> None:
    head = f"GET / {version}\r\nConnection: {connection}\r\n\r\n"
    (request,) = _read([head.encode()])
    assert request.keep_alive is is_kept


@pytest.mark.parametrize(
    "data",
    [
        b"nonsense\r\n\r\n",
        b"GET / SPDY/3\r\n\r\n",
        b"GET / HTTP/1.1\r\nno colon\r\n\r\n",
        b"POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
        b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n",
        b"G" * 100_000,
    ],
)
def test_bytes_that_are_no_request_are_refused(data: bytes) -> None:
    with pytest.raises(RequestError):
        _read([data])


def test_a_chunk_carries_its_length_in_hex() -> None:
    assert chunk(b"x" * 26) == b"1a\r\n" + b"x" * 26 + b"\r\n"
