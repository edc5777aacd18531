"""A metronome in a process of its own, and a client of plain sockets."""

import contextlib
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from specbench.store.selftest_file import ServerLog, read_server_log
from specbench.wire.completions import StreamReading, read_stream
from specbench.wire.http1 import ResponseReader

LIMIT_S = 30.0
"""A server that hangs is a failure, not a hanging test run."""


@dataclass
class Served:
    """A running metronome; its log is there after the block."""

    process: subprocess.Popen[str]
    address: tuple[str, int]
    folder: Path
    log: ServerLog | None = None

    def noted(self) -> ServerLog:
        """What it noted."""
        assert self.log is not None
        return self.log


@contextlib.contextmanager
def metronome(*flags: str) -> Iterator[Served]:
    """Start one with quick answers and end it with SIGTERM."""
    with tempfile.TemporaryDirectory() as name:
        command = [sys.executable, "-m", "specbench.sim.metronome", f"--log={name}"]
        command += ["--ttft-ms=5", "--gap-ms=1", "--chunks=8", *flags]
        with subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as process:
            try:
                assert process.stdout is not None
                url = process.stdout.readline().split()[2]
                host, _, port = url.removeprefix("http://").rpartition(":")
                served = Served(process, (host, int(port)), Path(name))
                yield served
                if process.poll() is None:
                    process.send_signal(signal.SIGTERM)
                assert process.wait(LIMIT_S) == 0
                served.log = read_server_log(served.folder)
            finally:
                process.kill()


def connect(served: Served, receive_buffer: int | None = None) -> socket.socket:
    """A socket with a time limit."""
    sock = socket.socket()
    sock.settimeout(LIMIT_S)
    if receive_buffer is not None:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
    try:
        sock.connect(served.address)
    except OSError:
        sock.close()
        raise
    return sock


def request_bytes(number: int, extra: str = "") -> bytes:
    """A request that names its number."""
    body = f'{{"messages": [{{"role": "user", "content": "request {number}"}}]}}'
    head = (
        "POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\n"
        f"{extra}content-length: {len(body)}\r\n\r\n"
    )
    return (head + body).encode()


def read_response(sock: socket.socket) -> ResponseReader:
    """One whole response, each read stamped."""
    reader = ResponseReader()
    while not reader.is_complete:
        data = sock.recv(65536)
        assert data, "the server closed the connection"
        reader.feed(time.monotonic_ns(), data)
    return reader


def ask(sock: socket.socket, number: int) -> StreamReading:
    """One answer, read to its end."""
    sock.sendall(request_bytes(number))
    reader = read_response(sock)
    assert reader.status == 200
    return read_stream(reader.body)
