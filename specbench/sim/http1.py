"""The server side of HTTP/1.1 as far as the simulator needs it: bytes in any split
become requests, answers become bytes. Sans-I/O; a body comes with a content length or
not at all."""

from dataclasses import dataclass
from http import HTTPStatus

_MAX_HEAD = 65536
_HEAD_END = b"\r\n\r\n"

STREAM_HEAD = (
    b"HTTP/1.1 200 OK\r\n"
    b"content-type: text/event-stream; charset=utf-8\r\n"
    b"transfer-encoding: chunked\r\n\r\n"
)
"""Opens a stream of `chunk` pieces."""

STREAM_END = b"0\r\n\r\n"
"""Closes it."""


class RequestError(ValueError):
    """Bytes that are no request; the connection cannot be used any further."""


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """One complete request."""

    method: str
    path: str
    """Without the query."""
    headers: dict[str, str]
    """Names in lower case; of repeated ones the last."""
    body: bytes
    keep_alive: bool
    """Whether the client wants to go on using the connection."""


class RequestReader:
    """Collects bytes; a request comes out as soon as its last byte is in."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    def feed(self, data: bytes) -> None:
        """Take bytes as they arrived."""
        self._buffer += data

    def next_request(self) -> HttpRequest | None:
        """The next complete request; None = more bytes are needed.

        Raises RequestError.
        """
        head_end = self._buffer.find(_HEAD_END)
        if head_end < 0:
            if len(self._buffer) > _MAX_HEAD:
                raise RequestError("the request head is too long")
            return None
        head = bytes(self._buffer[:head_end])
        method, target, version, headers = _parse_head(head)
        body_start = head_end + len(_HEAD_END)
        body_end = body_start + _body_length(headers)
        if len(self._buffer) < body_end:
            return None
        body = bytes(self._buffer[body_start:body_end])
        del self._buffer[:body_end]
        connection = headers.get("connection", "").lower()
        is_kept = connection != "close" and (
            version != "HTTP/1.0" or connection == "keep-alive"
        )
        return HttpRequest(method, target.partition("?")[0], headers, body, is_kept)


def _parse_head(head: bytes) -> tuple[str, str, str, dict[str, str]]:
    lines = head.decode("latin-1").split("\r\n")
    parts = lines[0].split(" ")
    if len(parts) != 3 or not parts[2].startswith("HTTP/1."):
        raise RequestError(f"not an HTTP/1 request line: {lines[0][:80]!r}")
    headers = {}
    for line in lines[1:]:
        name, colon, value = line.partition(":")
        if not colon or not name:
            raise RequestError(f"not a header line: {line[:80]!r}")
        headers[name.lower()] = value.strip(" \t")
    return parts[0], parts[1], parts[2], headers


def _body_length(headers: dict[str, str]) -> int:
    if "transfer-encoding" in headers:
        raise RequestError("send the body with a content-length, not in chunks")
    length = headers.get("content-length", "0")
    if not (length.isascii() and length.isdigit()):
        raise RequestError(f"not a content-length: {length[:80]!r}")
    return int(length)


def response(
    status: HTTPStatus, body: bytes, content_type: str = "application/json"
) -> bytes:
    """A whole answer with a content length."""
    head = (
        f"HTTP/1.1 {status.value} {status.phrase}\r\n"
        f"content-length: {len(body)}\r\n"
        f"content-type: {content_type}\r\n\r\n"
    )
    return head.encode("ascii") + body


def chunk(data: bytes) -> bytes:
    """One piece of a chunked body; `data` must not be empty."""
    return b"%x\r\n%b\r\n" % (len(data), data)
