"""`python -m specbench.sim.metronome`: a server with a known schedule. Whatever is
asked at /v1/chat/completions, the head and a role chunk come at once, the first text
chunk after the TTFT, then one chunk each gap, then usage. It has no engine and no
batch: it exists so that a client's figures can be held against what was really sent
and when. Flags, processes and signals are here; the loop is in `metronome_loop`."""

import argparse
import contextlib
import gc
import os
import resource
import signal
import socket
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NoReturn

import orjson

from specbench.clock import monotonic_ns
from specbench.errors import ExitCode, InputError
from specbench.schema.selftest import ServerEffort
from specbench.sim.metronome_log import ScheduleLog
from specbench.sim.metronome_loop import Metronome
from specbench.sim.metronome_schedule import (
    MODEL,
    Schedule,
    even_traces,
    random_traces,
)
from specbench.units import seconds_between

BACKLOG = 4096
RANDOM = "random"


def main(argv: Sequence[str]) -> int:
    """Serve until SIGTERM or SIGINT; the exit code."""
    options = _parser().parse_args(argv)
    schedule = _schedule(options)
    try:
        if options.log is not None:
            _make_folder(options.log)
        listeners = _listen(options.host, options.port, options.processes)
    except InputError as error:
        sys.stderr.write(f"{error.message}\nhint: {error.hint}\n")
        return error.exit_code
    allow_open_files()
    _serve(schedule, listeners, options)
    return ExitCode.FINE


def _schedule(options: argparse.Namespace) -> Schedule:
    if options.tokens_per_chunk == RANDOM:
        traces = random_traces(options.chunks, options.seed)
    else:
        traces = even_traces(options.chunks, options.tokens_per_chunk)
    return Schedule(
        ttft_ns=round(options.ttft_ms * 1e6),
        gap_ns=round(options.gap_ms * 1e6),
        traces=traces,
        is_role_late=options.role_with_text,
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m specbench.sim.metronome",
        description="A server with a known schedule, to test clients with.",
        allow_abbrev=False,
    )
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=0, help="0 = one that is free")
    parser.add_argument("--ttft-ms", type=_positive, default=200.0, metavar="MS")
    parser.add_argument("--gap-ms", type=_positive, default=20.0, metavar="MS")
    parser.add_argument("--chunks", type=_count, default=100, help="of an answer")
    parser.add_argument(
        "--tokens-per-chunk", type=_tokens, default=1, metavar=f"N|{RANDOM}"
    )
    parser.add_argument(
        "--role-with-text",
        action="store_true",
        help="send the role chunk with the first text instead of at once",
    )
    parser.add_argument("--processes", type=_count, default=1)
    parser.add_argument("--seed", type=int, default=0, help="of random tokens")
    parser.add_argument(
        "--log", type=Path, metavar="FOLDER", help="one file a process: what was sent"
    )
    parser.add_argument(
        "--until-stdin-ends",
        action="store_true",
        help="end also when standard input does, and so with the process that holds it",
    )
    return parser


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a count from 1 up")
    return int(text)


def _positive(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < 1e9:
        raise argparse.ArgumentTypeError(f"{text!r} is not a time over 0 ms")
    return value


def _tokens(text: str) -> int | str:
    return text if text == RANDOM else _count(text)


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(
            f"metronome: cannot write to {folder}: {error.strerror}",
            hint="give another folder with --log",
        ) from error


def _listen(host: str, port: int, processes: int) -> list[socket.socket]:
    """A socket for each process on one port; the system deals out the connections."""
    sockets: list[socket.socket] = []
    for _ in range(processes):
        sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if processes > 1:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        try:
            sock.bind((host, sockets[0].getsockname()[1] if sockets else port))
            sock.listen(BACKLOG)
        except OSError as error:
            raise InputError(
                f"metronome: cannot listen on {host} port {port}: {error.strerror}",
                hint="end what uses the port, or give another one with --port",
            ) from error
        sockets.append(sock)
    return sockets


def _announcement(options: argparse.Namespace, listener: socket.socket) -> str:
    host, port = listener.getsockname()
    programmed = {
        "model": MODEL,
        "ttft_ms": options.ttft_ms,
        "gap_ms": options.gap_ms,
        "chunks": options.chunks,
        "tokens_per_chunk": options.tokens_per_chunk,
        "processes": options.processes,
    }
    return f"listening on http://{host}:{port} {orjson.dumps(programmed).decode()}\n"


def allow_open_files() -> None:
    """A socket a stream: as many as this user may have."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with contextlib.suppress(OSError, ValueError):  # macOS: not to its "infinity"
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def _serve(
    schedule: Schedule,
    listeners: Sequence[socket.socket],
    options: argparse.Namespace,
) -> None:
    """This process is worker 0 and parent of the others. All end when the pipe's
    writing end, which only this one holds, is closed: by a signal, or by its death."""
    stop_read, stop_write = os.pipe()
    announcement = _announcement(options, listeners[0])
    children = []
    for worker in range(1, len(listeners)):
        child = os.fork()
        if child == 0:
            os.close(stop_write)
            _be_child(schedule, listeners, worker, options.log, stop_read)
        children.append(child)
    for listener in listeners[1:]:
        listener.close()
    stop = _stop_on_signal(stop_write)
    sys.stdout.write(announcement)
    sys.stdout.flush()
    stop_fds = (stop_read, 0) if options.until_stdin_ends else (stop_read,)
    _work(schedule, listeners[0], 0, options.log, stop_fds)
    stop()
    for child in children:
        os.waitpid(child, 0)


def _be_child(
    schedule: Schedule,
    listeners: Sequence[socket.socket],
    worker: int,
    log: Path | None,
    stop_read: int,
) -> NoReturn:
    """Whatever happens, a child never goes on with its parent's code."""
    code = ExitCode.INTERNAL
    try:
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, signal.SIG_IGN)
        for place, listener in enumerate(listeners):
            if place != worker:
                listener.close()
        _work(schedule, listeners[worker], worker, log, (stop_read,))
        code = ExitCode.FINE
    finally:
        os._exit(code)


def _stop_on_signal(stop_write: int) -> Callable[[], None]:
    """Closes the pipe at SIGTERM, SIGINT, or when it is called."""
    ends = [stop_write]

    def stop(*_: object) -> None:
        while ends:
            os.close(ends.pop())

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, stop)
    return stop


def _work(
    schedule: Schedule,
    listener: socket.socket,
    worker: int,
    log: Path | None,
    stop_fds: tuple[int, ...],
) -> None:
    # nothing here is in a cycle that lives long, and a collection is a late chunk
    gc.freeze()
    gc.disable()
    notes = ScheduleLog(log)
    metronome = Metronome(schedule, listener, worker, notes)
    began_ns, cpu_began_s = monotonic_ns(), _cpu_s()
    metronome.run(stop_fds)
    effort = ServerEffort(
        worker=worker,
        cpu_s=_cpu_s() - cpu_began_s,
        wall_s=seconds_between(began_ns, monotonic_ns()),
        chunks=notes.chunks,
    )
    notes.close(effort)


def _cpu_s() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
