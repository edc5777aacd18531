"""Server-sent events from bytes in any split, by the rules of the HTML standard
("Parsing an event stream"). Lines are cut as bytes, before decoding: a character that
arrives in two reads stays whole, and U+2028 inside a text ends no line."""

import re
from typing import NamedTuple

_LINE_END = re.compile(rb"\r\n|\n|\r")
_BOM = b"\xef\xbb\xbf"
DATA = b"data: "
_END = b"\n\n"


class SseEvent(NamedTuple):
    """One event that had data."""

    data: str
    """Its data lines, joined by a line feed."""
    event: str | None = None
    """Value of its last `event:` line; None where it had none."""


class SseDecoder:
    """Keeps what is not complete yet. An event comes out of the feed that completed
    its blank line; one that the stream leaves unfinished never comes out."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._is_first_line = True
        self._skips_line_feed = False
        self._data: list[bytes] = []
        self._event: bytes | None = None

    @property
    def is_inside_event(self) -> bool:
        """Whether the stream, if it ended here, would lose something."""
        return bool(self._parts or self._data)

    def feed(self, data: bytes) -> list[SseEvent]:
        """Events that these bytes complete."""
        if is_one_plain_event(data) and self.is_between_events:
            # What nearly every read of a stream is: by far the shortest way.
            self._is_first_line = False
            return [SseEvent(data[len(DATA) : -len(_END)].decode("utf-8", "replace"))]
        if self._skips_line_feed and data:
            # the carriage return before it has ended the line already
            data = data.removeprefix(b"\n")
            self._skips_line_feed = False
        if not data:
            return []
        self._skips_line_feed = data.endswith(b"\r")
        first, *lines = _LINE_END.split(data)
        if first:
            self._parts.append(first)
        if not lines:
            return []
        lines.insert(0, b"".join(self._parts))
        rest = lines.pop()
        self._parts = [rest] if rest else []
        events = []
        for line in lines:
            event = self._take_line(line)
            if event is not None:
                events.append(event)
        return events

    @property
    def is_between_events(self) -> bool:
        """Whether the next byte begins a line outside any event."""
        is_clean = self._event is None and not self._skips_line_feed
        return is_clean and not self._parts and not self._data

    def note_event(self) -> None:
        """An event was read without this decoder: what follows is not the start."""
        self._is_first_line = False

    def _take_line(self, line: bytes) -> SseEvent | None:
        if self._is_first_line:
            line = line.removeprefix(_BOM)
            self._is_first_line = False
        if not line:
            return self._end_event()
        name, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if name == b"data":
            self._data.append(value)
        elif name == b"event":
            self._event = value
        # a comment has an empty name; `id` and `retry` are for reconnecting
        return None

    def _end_event(self) -> SseEvent | None:
        data, name = self._data, self._event
        self._data, self._event = [], None
        if not data:
            return None
        return SseEvent(
            data=b"\n".join(data).decode("utf-8", "replace"),
            event=None if name is None else name.decode("utf-8", "replace"),
        )


def is_one_plain_event(data: bytes) -> bool:
    """One data line and the blank line behind it, nothing else."""
    return (
        data.startswith(DATA)
        and data.find(b"\n") == len(data) - len(_END)
        and data.endswith(_END)
        and b"\r" not in data
    )
