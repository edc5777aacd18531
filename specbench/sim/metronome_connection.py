"""One client's socket as the metronome has it, the answer under way on it, and bytes
that the socket had no room for. A chunk's instant is that of its first byte's `send`,
whether that was at once or when there was room."""

import select
import socket
from array import array
from collections import deque
from dataclasses import dataclass, field

from specbench.clock import monotonic_ns
from specbench.sim.http1 import RequestReader
from specbench.sim.metronome_schedule import AnswerBytes

NO_CHUNK = -1
"""Bytes that begin no text chunk, or one whose instant is known."""
END = -2
"""The last bytes of an answer have left."""


@dataclass(slots=True)
class Stream:
    """One answer under way."""

    connection: "Connection"
    answer: AnswerBytes
    tokens: tuple[int, ...]
    ident: bytes
    request: int | None
    arrival_ns: int
    due_ns: int
    """Of the next text chunk."""
    sent: "array[int]"
    """Send instants, room for all of them."""
    keep_alive: bool
    place: int = 0
    """Text chunks sent or waiting to be sent."""
    role_ns: int = 0


@dataclass(slots=True)
class Connection:
    """One client's socket."""

    sock: socket.socket
    epoll: select.epoll
    reader: RequestReader = field(default_factory=RequestReader)
    stream: Stream | None = None
    waiting: deque[tuple[bytes, int]] = field(default_factory=deque)
    """Bytes without room yet, and which text chunk of `stream` they begin."""
    is_open: bool = True
    is_last: bool = False
    """Close when all is sent."""

    def send(self, data: bytes) -> None:
        """Bytes without an instant of their own. Raises OSError when the client is
        gone."""
        if self.waiting:
            self.waiting.append((data, NO_CHUNK))
            return
        try:
            count = self.sock.send(data)
        except BlockingIOError:
            count = 0
        if count != len(data):
            self.keep(data[count:], NO_CHUNK)

    def keep(self, data: bytes, place: int) -> None:
        """Keep bytes until there is room, the first that have to wait."""
        self.waiting.append((data, place))
        self.epoll.modify(self.sock, select.EPOLLIN | select.EPOLLOUT)

    def send_waiting(self) -> bool:
        """As much as there is room for; whether that was the end of an answer: then
        more may wait. Raises OSError when the client is gone."""
        waiting = self.waiting
        while waiting:
            data, place = waiting[0]
            if place == END:
                waiting.popleft()
                return True
            if place != NO_CHUNK and self.stream is not None:
                self.stream.sent[place] = monotonic_ns()
            try:
                count = self.sock.send(data)
            except BlockingIOError:
                return False
            if count != len(data):
                waiting[0] = (data[count:], NO_CHUNK)
                return False
            waiting.popleft()
        self.epoll.modify(self.sock, select.EPOLLIN)
        return False
