"""`python -m specbench.load.worker CONTROL PROBE QUEUE` (file descriptors): one load
process. It runs its part of one cell after another and nothing else: no metrics, no
display, no parsing while a cell runs. It ends when its parent does."""

import asyncio
import contextlib
import os
import resource
import socket
import struct
import sys
import time
import traceback
from collections.abc import Coroutine, Sequence
from typing import Any

import httpx
import uvloop

from specbench.clock import monotonic_ns
from specbench.load.client import RawExchange, read_exchange, wire_bytes
from specbench.load.columns import pack_sample
from specbench.load.frames import READ_AHEAD_BYTES, pack, read_frame
from specbench.load.lag import (
    LagReceiver,
    LoopWatch,
    ProcessWatch,
    receive_lags,
)
from specbench.load.memory import no_collection
from specbench.load.messages import (
    Broken,
    CellJob,
    Done,
    Drained,
    Dry,
    Ended,
    Go,
    GoOpen,
    Ready,
    Results,
)
from specbench.load.open_loop import OpenLoop
from specbench.load.slots import SlotEvents, SlotLoop
from specbench.load.transport import StampingTransport
from specbench.units import seconds_between

INDEX = struct.Struct("<I")
"""An entry of the queue of requests, a pipe that all processes read from. Reads of a
pipe are served one at a time, so that no two get the same entry."""
SAMPLES_A_FRAME = 32
TELL_S = 0.5


async def work(control: socket.socket, probe: socket.socket, queue: int) -> None:
    """Serve the parent until it is gone."""
    reader, writer = await asyncio.open_connection(sock=control, limit=READ_AHEAD_BYTES)
    lags = await receive_lags(probe)
    parent = _Parent(reader, writer)
    while True:
        job = await read_frame(reader)
        try:
            with no_collection():
                await _run_cell(job, parent, lags, queue)
        except EOFError:
            raise
        except Exception:  # noqa: BLE001 - told to the parent, which raises it
            parent.send(Broken(traceback.format_exc()))


class _Parent:
    """The other end of the control socket."""

    def __init__(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self.reader = reader
        self._writer = writer
        self._untold = Ended(0, 0, 0)
        self._telling: asyncio.TimerHandle | None = None

    def send(self, message: object) -> None:
        self._writer.write(pack(message))

    async def flush(self) -> None:
        await self._writer.drain()

    def events(self) -> SlotEvents:
        """What a slot loop reports, as messages."""
        return SlotEvents(on_ended=self._note_end, on_dry=self._note_dry)

    def _note_end(self, is_answered: bool, is_turn_over: bool) -> None:
        """What decides something is told at once; the rest is for the display only,
        and each message would wake the parent beside the stamping."""
        answered, failed, turned_over = self._untold
        self._untold = Ended(
            answered + is_answered,
            failed + (not is_answered),
            turned_over + is_turn_over,
        )
        if is_turn_over or not is_answered:
            self.tell()
        elif self._telling is None:
            loop = asyncio.get_running_loop()
            self._telling = loop.call_later(TELL_S, self.tell)

    def _note_dry(self) -> None:
        self.tell()
        self.send(Dry())

    def tell(self) -> None:
        """What the parent has not been told yet."""
        if self._telling is not None:
            self._telling.cancel()
            self._telling = None
        if any(self._untold):
            self.send(self._untold)
            self._untold = Ended(0, 0, 0)


async def _run_cell(
    job: CellJob, parent: _Parent, lags: LagReceiver, queue: int
) -> None:
    requests = [
        (request, wire_bytes(job.base_url, job.path, job.headers, request.body))
        for request in job.requests
    ]
    transport = StampingTransport(job.base_url, job.stall_s, job.idle_s)
    try:
        # A server that is gone fails each request, which is data; it is no error here.
        with contextlib.suppress(httpx.TransportError, TimeoutError):
            await transport.open(job.connections)
        parent.send(Ready())
        go: Go | GoOpen = await read_frame(parent.reader)
        events = parent.events()
        running: Coroutine[Any, Any, list[RawExchange]]
        if isinstance(go, GoOpen):
            running = OpenLoop(
                transport,
                requests,
                # an entry is the leave to send one more, whichever it names
                lambda: _take_index(queue) is not None,
                events.on_ended,
            ).run(go.arrivals)
        else:
            running = SlotLoop(
                transport, requests, lambda: _take_index(queue), events
            ).run(go.starts)
        loop_watch = LoopWatch()
        lags.take()
        loop_watch.start()
        began_ns, began_cpu = monotonic_ns(), time.process_time()
        exchanges = await _until_parent_ends(running, parent)
        wall = seconds_between(began_ns, monotonic_ns())
        cpu = time.process_time() - began_cpu
        watch = ProcessWatch(
            stamp_lags=tuple(lags.take()),
            loop_lags=tuple(loop_watch.stop()),
            cpu_share=cpu / wall if wall > 0 else 0.0,
        )
    finally:
        await transport.aclose()
    parent.tell()
    parent.send(Drained())
    await read_frame(parent.reader)
    await _send_results(exchanges, parent)
    parent.send(Done(watch))


async def _until_parent_ends(
    loop: Coroutine[Any, Any, list[RawExchange]], parent: _Parent
) -> list[RawExchange]:
    """The parent says nothing while a cell runs: what can be read is its end."""
    running = asyncio.ensure_future(loop)
    end = asyncio.ensure_future(parent.reader.read(1))
    await asyncio.wait((running, end), return_when=asyncio.FIRST_COMPLETED)
    if not running.done():
        running.cancel()
        raise EOFError("the parent is gone")
    end.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await end
    return running.result()


def _take_index(queue: int) -> int | None:
    try:
        entry = os.read(queue, INDEX.size)
    except BlockingIOError:
        return None
    return int(INDEX.unpack(entry)[0]) if entry else None


async def _send_results(exchanges: list[RawExchange], parent: _Parent) -> None:
    """Parse and send, a few at a time, so that nothing is held twice."""
    while exchanges:
        part = [exchanges.pop() for _ in exchanges[:SAMPLES_A_FRAME]]
        parent.send(Results(tuple(pack_sample(read_exchange(raw)) for raw in part)))
        await parent.flush()


def main(argv: Sequence[str]) -> None:
    """Take over the three descriptors and work."""
    control, probe, queue = (int(text) for text in argv)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != hard:
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    os.set_blocking(queue, False)
    runner = asyncio.Runner(loop_factory=uvloop.new_event_loop)
    with runner, contextlib.suppress(EOFError):
        runner.run(
            work(socket.socket(fileno=control), socket.socket(fileno=probe), queue)
        )


if __name__ == "__main__":
    main(sys.argv[1:])
