"""The client watches itself, in two ways, since a late client would be late for one arm
only: speculation sends fewer chunks.

Stamps: some twenty times a second the parent sends its clock's reading to each load
process, which stamps it in a socket callback, as it stamps a chunk. The difference is
what stamps are late by. A process that is blocked finds all probes of that time
waiting, so a long stall counts for long and not once.

Loop: each load process notes by how much its own event loop wakes late. Coarser, but it
also sees what stops parent and process together, as on a CPU that both share."""

import array
import asyncio
import math
import socket
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count

from specbench.clock import monotonic_ns
from specbench.units import NS_PER_S

PROBE_S = 0.05
"""Mean gap between two probes. Each costs some 0.1 ms of CPU where it wakes an idle
process, which is why there are no more: half a percent of a core in all."""
STUCK_S = 30.0
"""A process that has not read for so long, with its buffer full, is stopped."""
_GOLDEN = (5**0.5 - 1) / 2
LOOP_GRAIN_S = 0.001
"""By so much a timer of the loop is late when idle: libuv counts whole milliseconds."""
_INSTANT = struct.Struct("<q")


class LagReceiver(asyncio.Protocol):
    """The load process's end: notes by how much each probe was stamped late."""

    def __init__(self) -> None:
        self._lags = array.array("q")
        self._rest = b""

    def data_received(self, data: bytes) -> None:
        """Called by the event loop; stamps first."""
        now = monotonic_ns()
        data = self._rest + data
        whole = len(data) - len(data) % _INSTANT.size
        self._rest = data[whole:]
        self._lags.extend(now - sent for (sent,) in _INSTANT.iter_unpack(data[:whole]))

    def take(self) -> list[float]:
        """Lags since the last call, in seconds."""
        lags = [lag / NS_PER_S for lag in self._lags]
        self._lags = array.array("q")
        return lags


class LagSender:
    """The parent's end, for all load processes of a cell."""

    def __init__(self, sockets: Sequence[socket.socket]) -> None:
        self._sockets = sockets
        self._full_since: dict[socket.socket, int] = {}
        self.stuck = asyncio.Event()
        """A process has read nothing for a long time."""
        self._task: asyncio.Task[None] | None = None
        self._began_ns = 0
        self._ended_ns = 0

    def start(self) -> None:
        """Begin; needs a running event loop."""
        self._began_ns = self._ended_ns = monotonic_ns()
        self._task = asyncio.get_running_loop().create_task(self._send())

    def stop(self) -> None:
        """End."""
        if self._task is not None:
            self._task.cancel()
            self._ended_ns = monotonic_ns()
        self._task = None

    @property
    def expected(self) -> int:
        """Probes that would have been sent had nothing held them up."""
        elapsed = (self._ended_ns - self._began_ns) / NS_PER_S
        return int(elapsed / PROBE_S) * len(self._sockets)

    async def _send(self) -> None:
        due = self._began_ns
        for gap in probe_gaps():
            due += int(gap * NS_PER_S)
            # early by a timer's grain does no harm: a probe carries its own instant
            await asyncio.sleep(max(0.0, (due - monotonic_ns()) / NS_PER_S))
            for end in self._sockets:
                self._send_one(end)
            # what was held up is not made up for
            due = max(due, monotonic_ns() - int(PROBE_S * NS_PER_S))

    def _send_one(self, end: socket.socket) -> None:
        now = monotonic_ns()
        try:
            end.send(_INSTANT.pack(now))
        except BlockingIOError:
            # full of waiting probes: enough to show the lag of a process that reads on
            since = self._full_since.setdefault(end, now)
            if now - since > STUCK_S * NS_PER_S:
                self.stuck.set()
        except OSError:
            return  # it ended: its control socket says so
        else:
            self._full_since.pop(end, None)


class LoopWatch:
    """Sleeps for some 50 ms again and again and notes by how much it woke late."""

    def __init__(self) -> None:
        self._lags: list[float] = []
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin to watch; needs a running event loop."""
        self._task = asyncio.get_running_loop().create_task(self._watch())

    def stop(self) -> list[float]:
        """End; the lags in seconds, as evenly spaced probes would have seen them."""
        if self._task is not None:
            self._task.cancel()
        return lags_over_time(self._lags, PROBE_S)

    async def _watch(self) -> None:
        for gap in probe_gaps():
            due = monotonic_ns() + int(gap * NS_PER_S)
            await asyncio.sleep(gap)
            self._lags.append(max(0, monotonic_ns() - due) / NS_PER_S)


def probe_gaps() -> Iterator[float]:
    """Seconds from one probe to the next, for ever: between half and three halves of
    the mean, never in step with anything (multiples of the golden ratio), so that what
    disturbs the client in a rhythm of its own cannot fall between the probes."""
    for number in count():
        yield PROBE_S * (0.5 + number * _GOLDEN % 1.0)


def lags_over_time(lags: Sequence[float], every_s: float) -> list[float]:
    """Lags as evenly spaced probes would have seen them, ascending: a loop that was
    blocked for long counts for long, not once. (The correction for coordinated
    omission that HdrHistogram makes.)"""
    seen: list[float] = []
    for lag in lags:
        # a hair under a whole number of probes is that number
        probes = max(1, math.ceil(lag / every_s - 1e-9))
        seen.extend(max(0.0, lag - probe * every_s) for probe in range(probes))
    return sorted(seen)


@dataclass(frozen=True, slots=True)
class ProcessWatch:
    """What was seen of one load process over a cell; lags in seconds."""

    stamp_lags: tuple[float, ...]
    loop_lags: tuple[float, ...]
    cpu_share: float
    """CPU seconds per second."""


async def receive_lags(end: socket.socket) -> LagReceiver:
    """Begin to note the probes that come through a socket."""
    loop = asyncio.get_running_loop()
    _, receiver = await loop.create_connection(LagReceiver, sock=end)
    return receiver
