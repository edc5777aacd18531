"""The load processes of a run: started once, given one cell after another, ended with
the run. Each has a socket pair for messages and one for lag probes; all share a pipe
that holds the indices of the requests still to be sent."""

import asyncio
import contextlib
import fcntl
import os
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from typing import Any, Self

from specbench.errors import ExitCode, SpecbenchError
from specbench.load.frames import READ_AHEAD_BYTES, pack, read_frame
from specbench.load.pacing import STREAMS_PER_PROCESS
from specbench.load.worker import INDEX

PIPE_BYTES = 1 << 20
"""Room for 262,144 requests; Linux allows a user so much by default, and 16,384 where
not."""
WRITE_ENTRIES = 1024
"""A write of a page is whole or not at all, so that no entry is ever cut."""
END_S = 5.0


class LoadProcessError(SpecbenchError):
    """A load process ended or failed: the cell has no figures."""

    exit_code = ExitCode.ENGINE_FAILED


@dataclass(slots=True)
class LoadProcess:
    """One child and the parent's ends of its sockets."""

    popen: subprocess.Popen[bytes]
    control: socket.socket
    probe: socket.socket

    @property
    def is_alive(self) -> bool:
        """Whether it can take a cell."""
        return self.popen.poll() is None

    def end(self) -> None:
        """It ends when its control socket closes; firmly if it does not."""
        with contextlib.suppress(OSError):
            # also for the copies that a cell's event loop may still hold
            self.control.shutdown(socket.SHUT_RDWR)
        self.control.close()
        self.probe.close()
        try:
            self.popen.wait(END_S)
        except subprocess.TimeoutExpired:
            self.popen.kill()
            self.popen.wait()


@dataclass(frozen=True, slots=True)
class Link:
    """A load process as a cell's event loop talks to it."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    pid: int

    def send(self, message: object) -> None:
        """Queue a message."""
        self.writer.write(pack(message))

    async def receive(self) -> Any:
        """The next message. Raises LoadProcessError when the process is gone."""
        try:
            return await read_frame(self.reader)
        except EOFError as error:
            raise LoadProcessError(
                f"load process {self.pid} ended while a cell ran",
                hint="it was killed from outside, perhaps for lack of memory",
            ) from error


class LoadCrew:
    """`with LoadCrew.start(n) as crew`; `drive_cell` uses it."""

    def __init__(self, count: int, streams_per_process: int) -> None:
        self._count = count
        self._streams_per_process = streams_per_process
        self._processes: list[LoadProcess] = []
        self._unqueued = b""
        self._queue_end, self._queue = os.pipe()
        os.set_blocking(self._queue, False)
        os.set_blocking(self._queue_end, False)
        with contextlib.suppress(OSError):
            fcntl.fcntl(self._queue, fcntl.F_SETPIPE_SZ, PIPE_BYTES)

    @classmethod
    @contextlib.contextmanager
    def start(
        cls, count: int, streams_per_process: int = STREAMS_PER_PROCESS
    ) -> Iterator[Self]:
        """A crew of `count` processes; a cell uses as many as its streams need."""
        crew = cls(count, streams_per_process)
        try:
            crew._fill_up()
            yield crew
        finally:
            crew.end()
            os.close(crew._queue)
            os.close(crew._queue_end)

    def __len__(self) -> int:
        return self._count

    @property
    def queue_end(self) -> int:
        """The descriptor that the processes read the queue from."""
        return self._queue_end

    @property
    def processes(self) -> tuple[LoadProcess, ...]:
        """Those that have been started."""
        return tuple(self._processes)

    @contextlib.asynccontextmanager
    async def links(self, concurrency: int) -> AsyncIterator[tuple[Link, ...]]:
        """As many processes as this load needs, on the running event loop. Whatever
        goes wrong inside ends the processes; the next cell gets fresh ones."""
        self._fill_up()
        wanted = min(self._count, -(-concurrency // self._streams_per_process))
        links: list[Link] = []
        try:
            for process in self._processes[:wanted]:
                links.append(await _link(process))
            yield tuple(links)
        except BaseException:
            self.end()
            raise
        finally:
            for link in links:
                link.writer.close()

    def probes(self, count: int) -> list[socket.socket]:
        """The probe sockets of the first processes."""
        return [process.probe for process in self._processes[:count]]

    def queue_requests(self, count: int) -> None:
        """Put the indices 0 to count - 1 into the emptied queue, as far as they fit;
        `refill` adds the rest."""
        self.empty_queue()
        self._unqueued = b"".join(INDEX.pack(index) for index in range(count))
        self.refill()

    def refill(self) -> None:
        """Add what did not fit; called as requests end, long before the queue, which
        holds thousands, could run out."""
        with contextlib.suppress(BlockingIOError):
            while self._unqueued:
                whole = self._unqueued[: WRITE_ENTRIES * INDEX.size]
                self._unqueued = self._unqueued[os.write(self._queue, whole) :]

    def empty_queue(self) -> None:
        """Leave no request to send: slots run dry as their requests end."""
        self._unqueued = b""
        with contextlib.suppress(BlockingIOError):
            while os.read(self._queue_end, PIPE_BYTES):
                pass

    def end(self) -> None:
        """End all processes."""
        for process in self._processes:
            process.end()
        self._processes.clear()

    def _fill_up(self) -> None:
        for process in [p for p in self._processes if not p.is_alive]:
            process.end()
            self._processes.remove(process)
        while len(self._processes) < self._count:
            self._processes.append(_start(self._queue_end))


def _start(queue_end: int) -> LoadProcess:
    control, their_control = socket.socketpair()
    probe, their_probe = socket.socketpair()
    probe.setblocking(False)
    with their_control, their_probe:
        given = (their_control.fileno(), their_probe.fileno(), queue_end)
        try:
            popen = subprocess.Popen(
                # -P: a file in the working folder must not stand in for a module
                [sys.executable, "-P", "-m", "specbench.load.worker", *map(str, given)],
                stdin=subprocess.DEVNULL,
                pass_fds=given,
                # Ctrl-C goes to the parent, which ends its cell and then the processes
                process_group=0,
            )
        except OSError:
            control.close()
            probe.close()
            raise
    return LoadProcess(popen, control, probe)


async def _link(process: LoadProcess) -> Link:
    """Streams over a copy of the socket: closing them leaves the socket open for the
    event loop of the next cell."""
    copy = process.control.dup()
    reader, writer = await asyncio.open_connection(sock=copy, limit=READ_AHEAD_BYTES)
    return Link(reader, writer, process.popen.pid)
