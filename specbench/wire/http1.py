"""One HTTP/1.1 response from stamped reads (RFC 9112, what an LLM server sends of it:
chunked, with a length, or ended by closing). The body keeps the stamp of the read that
brought each byte. Framing that is broken raises WireError: a response whose end is
guessed would be a wrong measurement."""

import re
from collections.abc import Callable
from enum import Enum, auto

from specbench.wire.errors import WireError

__all__ = ["ResponseReader", "WireError"]

_STATUS_LINE = re.compile(rb"HTTP/1\.([01]) ([1-9]\d\d)(?: [^\r\n]*)?\Z")
_HEADER_NAME = re.compile(rb"[!#$%&'*+\-.^_`|~0-9A-Za-z]+\Z")
_HEX_SIZE = re.compile(rb"[0-9A-Fa-f]{1,15}\Z")
_DECIMAL_SIZE = re.compile(r"[0-9]{1,18}\Z")
_BODYLESS = frozenset({204, 304})

MAX_LINE_BYTES = 64 * 1024
"""A line that is longer belongs to no sane response."""


class _State(Enum):
    """What the next byte belongs to."""

    STATUS = auto()
    HEADERS = auto()
    SIZED_BODY = auto()
    BODY_TO_CLOSE = auto()
    CHUNK_SIZE = auto()
    CHUNK = auto()
    CHUNK_END = auto()
    TRAILERS = auto()
    DONE = auto()


_CHUNK_SIZE = _State.CHUNK_SIZE


class ResponseReader:
    """Fed with reads until `is_complete`."""

    def __init__(self) -> None:
        self.status: int | None = None
        self.headers: dict[str, str] = {}
        """Names in lower case; values of a repeated name joined by `, `."""
        self.body: list[tuple[int, bytes]] = []
        """(instant ns, bytes): one piece for each read that brought body bytes."""
        self.is_chunked = False
        """The head has been read and says so."""
        self.keep_alive = False
        """Whether the connection may carry another request, once complete."""
        self.end_ns: int | None = None
        """Stamp of the read, or of the closing, that completed the response."""
        self._state = _State.STATUS
        self._buffer = bytearray()
        self._is_between_chunks = False
        self._is_http_1_1 = False
        self._left = 0

    @property
    def is_complete(self) -> bool:
        """The whole response is here."""
        return self._state is _State.DONE

    def feed_chunk(self, instant_ns: int, data: bytes) -> bool:
        """Take a read that is one whole chunk, as nearly every read of a stream is:
        servers write an event as a chunk. False = it is not, and nothing was taken.
        This way is part of what a stamp costs."""
        if not self._is_between_chunks:
            return False
        size_line = data[: data.find(b"\r\n")]
        size = _SIZES.get(size_line)
        if size is None:
            size = _remember_size(size_line)
        start = len(size_line) + 2
        if len(data) != start + size + 2 or not data.endswith(b"\r\n"):
            return False
        self.body.append((instant_ns, data[start:-2]))
        return True

    def feed(self, instant_ns: int, data: bytes) -> None:
        """Take one read, whatever it is."""
        if self.feed_chunk(instant_ns, data):
            return
        self._buffer += data
        parts: list[bytes] = []
        try:
            while self._advance(parts):
                pass
        finally:
            if parts:
                self.body.append((instant_ns, b"".join(parts)))
            self._is_between_chunks = self._state is _CHUNK_SIZE and not self._buffer
            self._note_end(instant_ns)

    def eof(self, instant_ns: int) -> None:
        """The peer has closed. Completes a body without a length; raises WireError
        where bytes are missing."""
        if self._state is _State.BODY_TO_CLOSE:
            self._state = _State.DONE
            self._note_end(instant_ns)
        elif self._state is not _State.DONE:
            raise WireError(f"the connection was closed {self._describe_place()}")

    def _note_end(self, instant_ns: int) -> None:
        if self.is_complete and self.end_ns is None:
            self.end_ns = instant_ns

    def _advance(self, parts: list[bytes]) -> bool:
        """One step; False when it needs more bytes or there is nothing to do."""
        if not self._buffer:
            return False
        take = _LINE_TAKERS.get(self._state)
        if take is not None:
            line = self._take_line()
            if line is None:
                return False
            take(self, line)
            return True
        if self._state is _State.DONE:
            # bytes after the end: the next response would start in the middle
            self.keep_alive = False
            self._buffer.clear()
            return False
        self._take_body(parts)
        return True

    def _take_line(self) -> bytes | None:
        end = self._buffer.find(b"\n")
        if end > MAX_LINE_BYTES or (end < 0 and len(self._buffer) > MAX_LINE_BYTES):
            raise WireError(f"a line of over {MAX_LINE_BYTES} bytes")
        if end < 0:
            return None
        line = bytes(self._buffer[:end])
        del self._buffer[: end + 1]
        return line.removesuffix(b"\r")

    def _take_status_line(self, line: bytes) -> None:
        match = _STATUS_LINE.match(line)
        if match is None:
            raise WireError(f"not a status line: {line[:80]!r}")
        self._is_http_1_1 = match[1] == b"1"
        self.status = int(match[2])
        self._state = _State.HEADERS

    def _take_header_line(self, line: bytes) -> None:
        if not line:
            self._end_head()
            return
        raw_name, colon, raw_value = line.partition(b":")
        if not colon or not _HEADER_NAME.match(raw_name):
            raise WireError(f"not a header line: {line[:80]!r}")
        name = raw_name.decode("ascii").lower()
        value = raw_value.strip(b" \t").decode("latin-1")
        before = self.headers.get(name)
        self.headers[name] = value if before is None else f"{before}, {value}"

    def _end_head(self) -> None:
        """Which framing the body has, in the order of RFC 9112, section 6.3."""
        if self.status is not None and self.status < 200:
            # an interim response; the real one follows
            self.headers = {}
            self._state = _State.STATUS
            return
        self.keep_alive = self._wants_keep_alive()
        coding = self.headers.get("transfer-encoding")
        length = self.headers.get("content-length")
        if self.status in _BODYLESS:
            self._state = _State.DONE
        elif coding is not None:
            self._begin_chunked(coding, length)
        elif length is not None:
            self._left = _read_length(length)
            self._state = _State.SIZED_BODY if self._left else _State.DONE
        else:
            self.keep_alive = False
            self._state = _State.BODY_TO_CLOSE

    def _wants_keep_alive(self) -> bool:
        words = {
            word.strip().lower()
            for word in self.headers.get("connection", "").split(",")
        }
        return "close" not in words if self._is_http_1_1 else "keep-alive" in words

    def _begin_chunked(self, coding: str, length: str | None) -> None:
        if coding.strip().lower() != "chunked":
            raise WireError(f"transfer coding {coding!r} is not supported")
        if length is not None:
            # both: chunked wins, but somebody on the way may see it otherwise
            self.keep_alive = False
        self.is_chunked = True
        self._state = _State.CHUNK_SIZE

    def _take_chunk_size(self, line: bytes) -> None:
        size = line.partition(b";")[0].strip(b" \t")
        if not _HEX_SIZE.match(size):
            raise WireError(f"not a chunk size: {line[:80]!r}")
        self._left = int(size, 16)
        self._state = _State.CHUNK if self._left else _State.TRAILERS

    def _take_body(self, parts: list[bytes]) -> None:
        if self._state is _State.BODY_TO_CLOSE:
            parts.append(bytes(self._buffer))
            self._buffer.clear()
            return
        taken = bytes(self._buffer[: self._left])
        del self._buffer[: len(taken)]
        parts.append(taken)
        self._left -= len(taken)
        if self._left == 0:
            is_chunk = self._state is _State.CHUNK
            self._state = _State.CHUNK_END if is_chunk else _State.DONE

    def _take_chunk_end(self, line: bytes) -> None:
        if line:
            raise WireError(f"a chunk is longer than its size says: {line[:80]!r}")
        self._state = _State.CHUNK_SIZE

    def _take_trailer(self, line: bytes) -> None:
        if not line:
            self._state = _State.DONE

    def _describe_place(self) -> str:
        body_bytes = sum(len(piece) for _, piece in self.body)
        if self._state is _State.STATUS and not self._buffer and self.status is None:
            return "without an answer"
        if self._state in (_State.STATUS, _State.HEADERS):
            return "inside the head of the answer"
        if self._state is _State.SIZED_BODY:
            return f"after {body_bytes} body bytes; {self._left} more were announced"
        return f"after {body_bytes} body bytes, before the last chunk"


_LINE_TAKERS: dict[_State, Callable[[ResponseReader, bytes], None]] = {
    _State.STATUS: ResponseReader._take_status_line,
    _State.HEADERS: ResponseReader._take_header_line,
    _State.CHUNK_SIZE: ResponseReader._take_chunk_size,
    _State.CHUNK_END: ResponseReader._take_chunk_end,
    _State.TRAILERS: ResponseReader._take_trailer,
}
"""States in which the next bytes are a line, and who takes it."""


_SIZES: dict[bytes, int] = {}
"""Size lines of chunks that have been seen, and what they say."""
_MOST_SIZES = 4096
_NO_CHUNK = -10
"""Fits no read."""


def _remember_size(line: bytes) -> int:
    size = int(line, 16) if _HEX_SIZE.match(line) else 0
    if not size:
        return _NO_CHUNK  # not a size, or the last chunk
    if len(_SIZES) < _MOST_SIZES:
        _SIZES[line] = size
    return size


def _read_length(value: str) -> int:
    """A repeated header with one value is one length."""
    lengths = {part.strip() for part in value.split(",")}
    first = lengths.pop()
    if lengths or not _DECIMAL_SIZE.match(first):
        raise WireError(f"not a content length: {value!r}")
    return int(first)
