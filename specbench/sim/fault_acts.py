"""Makes faults happen: to a stream, to the process, to the counters. Which one hits
what is decided in `faults`."""

import asyncio
import dataclasses
import os
import random
import signal
import subprocess
import sys
from collections import deque
from collections.abc import Callable
from enum import Enum, auto
from typing import NoReturn

from specbench.errors import InputError
from specbench.sim.counters import SimCounters
from specbench.sim.faults import (
    CrashAtStart,
    OutlivingWorker,
    RequestFault,
    RequestFaultKind,
)
from specbench.sim.http1 import STREAM_END, chunk
from specbench.sim.outlet import Outlet
from specbench.sim.stream_events import DONE, StreamEvents


class Aftermath(Enum):
    """What is left of a stream after its fault struck."""

    GOES_ON = auto()
    SILENT = auto()
    """Nothing more is sent; the connection stays as it is."""
    ENDED = auto()
    """Its last byte has left; the connection can take the next request."""


def strike(
    fault: RequestFault, outlet: Outlet, events: StreamEvents, die: Callable[[], object]
) -> Aftermath:
    """Let a fault of a stream happen, now. `die` is called before the process ends."""
    match fault.kind:
        case RequestFaultKind.ERROR_EVENT:
            outlet.send(chunk(events.error(fault.text)) + chunk(DONE) + STREAM_END)
            return Aftermath.ENDED
        case RequestFaultKind.GARBAGE:
            garbage = random.Random(events.response_id).randbytes(fault.size)
            outlet.send(garbage if fault.breaks_framing else chunk(garbage))
            return Aftermath.GOES_ON
        case RequestFaultKind.RESET:
            outlet.reset()
        case RequestFaultKind.CUT:
            outlet.cut()
        case RequestFaultKind.DEATH:
            die()
            end_process(fault.exit_code)
        case _:  # a hang; the others do not strike at a point of the stream
            pass
    return Aftermath.SILENT


def end_process(exit_code: int | None) -> NoReturn:
    """At once, with nothing closed or flushed; None = by SIGKILL."""
    if exit_code is None:
        os.kill(os.getpid(), signal.SIGKILL)
    os._exit(exit_code or 0)


class SlowLane:
    """Lets pieces out one by one, at least `gap_s` apart."""

    def __init__(self, gap_s: float, send: Callable[[bytes, int | None], None]) -> None:
        self._gap_s = gap_s
        self._send = send
        self._pieces: deque[tuple[bytes, int | None]] = deque()
        self._timer: asyncio.TimerHandle | None = None

    def put(self, data: bytes, tokens: int | None) -> None:
        """The next piece."""
        self._pieces.append((data, tokens))
        if self._timer is None:
            self._let_out()

    def close(self) -> None:
        """Forget what is left."""
        if self._timer is not None:
            self._timer.cancel()
        self._pieces.clear()

    def _let_out(self) -> None:
        self._timer = None
        if self._pieces:
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(self._gap_s, self._let_out)
            self._send(*self._pieces.popleft())


def reset_counters(counters: SimCounters) -> None:
    """All begin anew, in place: whoever holds them goes on counting."""
    fresh = SimCounters(accepted_by_position=[0] * len(counters.accepted_by_position))
    for field in dataclasses.fields(SimCounters):
        setattr(counters, field.name, getattr(fresh, field.name))


def crash_text(crash: CrashAtStart) -> str:
    """What a crash at the start prints. Raises InputError for a log that cannot be
    read."""
    if crash.log is None:
        return crash.text
    try:
        return crash.text + crash.log.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise InputError(
            f"sim: --fault: crash-at-start: `log` {crash.log}:"
            f" {error.strerror or error}",
            hint="name a text file that can be read",
        ) from error


def start_worker(worker: OutlivingWorker) -> subprocess.Popen[bytes]:
    """Start a child that outlives this process; returns once its number stands in the
    file and no signal but SIGKILL can end it. Raises InputError where the file cannot
    be written."""
    module = "specbench.sim.outliving_worker"
    process = subprocess.Popen(
        [sys.executable, "-m", module, worker.pid_file, str(worker.seconds)],
        start_new_session=True,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        # Whoever waits for the end of the server's own output does not wait for it.
        stderr=subprocess.DEVNULL,
    )
    assert process.stdout is not None
    with process.stdout as announcement:
        is_up = announcement.readline() != b""
    if not is_up:
        process.wait()
        raise InputError(
            f"sim: --fault: outliving-worker: `pid_file` {worker.pid_file} cannot be"
            " written",
            hint="name a file in a folder that exists",
        )
    return process
