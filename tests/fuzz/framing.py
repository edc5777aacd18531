"""HTTP/1.1 responses around a body (RFC 9112): which bytes of the wire are body."""

from collections.abc import Callable
from dataclasses import dataclass

from tests.fuzz.streams import Stream

HEAD = b"HTTP/1.1 200 OK\r\nserver: uvicorn\r\n"


@dataclass(frozen=True, slots=True)
class Response:
    """Bytes of one response."""

    wire: bytes
    body_at: list[int]
    """Place on the wire of each byte of the body."""
    ends_itself: bool
    """The response says where it ends; else the closing of the connection does."""


def _chunked(pieces: list[bytes], size: str, end: bytes) -> Response:
    wire = bytearray(HEAD + b"Transfer-Encoding: Chunked\r\n\r\n")
    places: list[int] = []
    for piece in pieces:
        wire += size.format(len(piece)).encode() + b"\r\n"
        places += range(len(wire), len(wire) + len(piece))
        wire += piece + b"\r\n"
    return Response(bytes(wire + end), places, ends_itself=True)


def event_chunks(stream: Stream) -> Response:
    """As uvicorn sends: a chunk for each event."""
    pieces = [part.sent for part in stream.parts]
    return _chunked(pieces, "{:x}", b"0\r\n\r\n")


def odd_chunks(stream: Stream) -> Response:
    """Chunks that mind no event, with extensions, zeros before the size, trailers."""
    body = stream.body
    sizes = [1, 2, 3, 5, 8, 13, 21, 34]
    pieces: list[bytes] = []
    while body:
        size = sizes[len(pieces) % len(sizes)]
        pieces.append(body[:size])
        body = body[size:]
    return _chunked(pieces, '00{:X};x="a, b"', b"000;last\r\nX-Took: 3\r\na: b\r\n\r\n")


def sized(stream: Stream) -> Response:
    """With a length, after an interim response."""
    body = stream.body
    head = b"HTTP/1.1 100 Continue\r\n\r\n" + HEAD
    head += b"Content-Length:%d\r\n\r\n" % len(body)
    places = list(range(len(head), len(head) + len(body)))
    return Response(head + body, places, ends_itself=True)


def to_close(stream: Stream) -> Response:
    """Ended by closing the connection."""
    head = b"HTTP/1.0 200\r\ncontent-type: text/event-stream\r\n\r\n"
    places = list(range(len(head), len(head) + len(stream.body)))
    return Response(head + stream.body, places, ends_itself=False)


FRAMINGS: tuple[Callable[[Stream], Response], ...] = (
    event_chunks,
    odd_chunks,
    sized,
    to_close,
)
