"""The simulated server as a process: its start, its end, and faults of both."""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

_LONG_S = 30


def _fault(**keys: Any) -> str:
    return f"--fault={json.dumps(keys)}"


@contextlib.contextmanager
def _server(*flags: str) -> Iterator[subprocess.Popen[str]]:
    """A server process; whatever happens it is gone afterwards."""
    fast = ("--port=0", "--step-base-ms=1", "--step-per-token-ms=0")
    with subprocess.Popen(
        [sys.executable, "-m", "specbench.sim", *fast, *flags],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def _url(process: subprocess.Popen[str]) -> str:
    """Where it listens, once it does."""
    assert process.stdout is not None
    line = process.stdout.readline()
    assert line.startswith("listening on "), line
    return line.removeprefix("listening on ").partition(" ")[0]


def _complete(url: str, max_tokens: int) -> bytes:
    """One chat, as far as it comes; raises OSError where it is cut short."""
    call = {
        "messages": [{"role": "user", "content": "one"}],
        "stream": True,
        "max_tokens": max_tokens,
    }
    request = urllib.request.Request(
        f"{url}/v1/chat/completions", json.dumps(call).encode()
    )
    with urllib.request.urlopen(request, timeout=_LONG_S) as answer:
        return bytes(answer.read())


@pytest.mark.parametrize(
    ("keys", "code"), [({}, -signal.SIGKILL), ({"exit_code": 3}, 3)]
)
def test_a_server_dies_in_the_middle_of_a_stream_and_its_log_is_kept(
    keys: dict[str, int], code: int, tmp_path: Path
) -> None:
    fault = _fault(kind="death", request=2, after_tokens=3, **keys)
    with _server(fault, f"--truth-log={tmp_path}") as process:
        url = _url(process)
        assert b"[DONE]" in _complete(url, 5)
        with pytest.raises(Exception, match="IncompleteRead"):
            _complete(url, 500)
        assert process.wait(_LONG_S) == code
    lines = (tmp_path / f"{process.pid}.jsonl").read_text().splitlines()
    requests = [line for line in map(json.loads, lines) if line["kind"] == "request"]
    assert [(r["output_tokens"], r["finish_reason"]) for r in requests] == [
        (5, "length"),
        (3, "abort"),
    ]


def test_a_crash_at_the_start_prints_its_log_and_never_listens(tmp_path: Path) -> None:
    log = tmp_path / "engine.log"
    log.write_text("loading\nRuntimeError: out of memory\n")
    fault = _fault(kind="crash-at-start", text="begin\n", log=str(log), exit_code=7)
    with _server(fault) as process:
        said, _ = process.communicate(timeout=_LONG_S)
    assert process.returncode == 7
    assert said == "begin\nloading\nRuntimeError: out of memory\n"


def test_a_crash_log_that_is_not_there_is_bad_input(tmp_path: Path) -> None:
    fault = _fault(kind="crash-at-start", log=str(tmp_path / "absent.log"))
    with _server(fault) as process:
        _, complaint = process.communicate(timeout=_LONG_S)
    assert process.returncode == 2
    assert "absent.log" in complaint


def test_a_port_stays_closed_until_a_slow_start_is_over() -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    fault = _fault(kind="slow-start", seconds=1.0, port="closed")
    began = time.monotonic()
    with _server(f"--port={port}", fault) as process:
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.1", port)).close()
        url = _url(process)
        assert time.monotonic() - began >= 1.0
        assert b"[DONE]" in _complete(url, 3)


def test_a_worker_outlives_the_server_and_ignores_signals(tmp_path: Path) -> None:
    pid_file = tmp_path / "worker.pid"
    fault = _fault(kind="outliving-worker", pid_file=str(pid_file), seconds=60)
    with _server(fault) as process:
        _url(process)
        worker = int(pid_file.read_text())
        try:
            assert os.getsid(worker) == worker != os.getsid(process.pid)
            process.send_signal(signal.SIGTERM)
            assert process.wait(_LONG_S) == 0
            for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
                os.kill(worker, number)
            command = Path(f"/proc/{worker}/cmdline").read_bytes()
            assert b"outliving_worker" in command
        finally:
            os.kill(worker, signal.SIGKILL)


def test_a_worker_ends_by_itself(tmp_path: Path) -> None:
    module = "specbench.sim.outliving_worker"
    pid_file = tmp_path / "worker.pid"
    command = [sys.executable, "-m", module, str(pid_file), "0.1"]
    done = subprocess.run(command, timeout=_LONG_S, check=True, stdout=subprocess.PIPE)
    assert done.stdout == b"up\n"
    assert pid_file.read_text().strip().isdigit()


def test_a_worker_without_a_place_for_its_number_is_bad_input(tmp_path: Path) -> None:
    pid_file = tmp_path / "absent" / "worker.pid"
    fault = _fault(kind="outliving-worker", pid_file=str(pid_file))
    with _server(fault) as process:
        _, complaint = process.communicate(timeout=_LONG_S)
    assert process.returncode == 2
    assert str(pid_file) in complaint
