"""A client that is deliberately slowed voids its cells: it never reports a figure as
good. One that is left alone does not."""

import json
import os
import signal
import subprocess
import sys
import threading
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from specbench.load.crew import LoadCrew
from tests.truth.by_hand import HandCell, drive, log_file, until_not_void
from tests.truth.compare import tell
from tests.truth.servers import serving
from tests.truth.slowing import slow_client
from tests.truth.sweeping import report_of, run_sweep, void_codes

pytestmark = pytest.mark.truth

LIMIT_S = 60
SERVER = ("--step-base-ms=10", "--step-per-token-ms=0.01", "--output-tokens=60")
PAUSES = pytest.mark.parametrize(
    "pause_s",
    [pytest.param("0", id="always"), pytest.param("0.27", id="a tenth of the time")],
)


def _client_codes(cell: dict[str, Any]) -> set[str]:
    return {code for code in void_codes(cell) if code.startswith("client-")}


@PAUSES
def test_measure_voids_every_cell_of_a_slowed_client(
    pause_s: str, tmp_path: Path
) -> None:
    with serving(log_file(tmp_path), *SERVER) as server:
        done = subprocess.run(
            [sys.executable, "-m", "specbench", "measure", server.url, "--engine=sim",
             "-c1", "-c4", "-n16", "--format=json"],
            capture_output=True,
            text=True,
            cwd=tmp_path,
            env=slow_client(pause_s),
            timeout=LIMIT_S,
            check=False,
        )  # fmt: skip
    cells = json.loads(done.stdout)["cells"]
    assert len(cells) == 2, done.stderr
    for cell in cells:
        tell("%s", {f["code"]: f["message"] for f in cell["findings"]})
        assert cell["completed"] == 16
        assert cell["is_void"]
        assert _client_codes(cell)


def test_a_run_of_a_slowed_client_concludes_nothing(tmp_path: Path) -> None:
    run = run_sweep(tmp_path / "run", [8], slow_client("0.27"))
    report = report_of(run)
    assert {cell["key"]["arm"] for cell in report["cells"]} == {"baseline", "k3"}
    for cell in report["cells"]:
        assert cell["is_void"]
        assert _client_codes(cell)
    for curve in report["curves"]:
        for point in curve["points"]:
            assert point["speedup"]["value"] is None
            assert point["running_batch"] is None
            assert point["arm_running_batch"] is None
    for answer in report["break_evens"]:
        assert answer["outcome"] == "undecided"
        assert answer["crossings"] == []


def test_a_load_process_that_stood_still_several_times_voids_the_cell(
    tmp_path: Path,
) -> None:
    flags = (*SERVER, "--output-tokens-spread=0.3")
    with serving(log_file(tmp_path), *flags) as server, LoadCrew.start(1) as crew:
        (process,) = crew.processes
        pid = process.popen.pid

        left = [12, 20, 28, 36]
        threads = []

        def stop_now_and_then(ended: int) -> None:
            # 4 stops of 0.2 s in about 4.5 s, each once so many requests have ended
            if left and ended >= left[0]:
                left.pop(0)
                os.kill(pid, signal.SIGSTOP)
                threads.append(threading.Timer(0.2, os.kill, (pid, signal.SIGCONT)))
                threads[-1].start()

        cell = HandCell(server.url, concurrency=8, requests=48)
        driven = drive(crew, cell, stop_now_and_then)
        for thread in threads:
            thread.join()
    assert not left
    tell("lag p99 %s s: %s", driven.figures["client_lag_p99"], driven.codes)
    assert {code for code in driven.void_codes if code.startswith("client-")}


def test_a_client_that_is_left_alone_is_not_void(tmp_path: Path) -> None:
    with serving(log_file(tmp_path), *SERVER) as server, LoadCrew.start(1) as crew:
        for concurrency in (1, 8):
            cell = HandCell(server.url, concurrency, 3 * concurrency + 5)
            driven = until_not_void(partial(drive, crew, cell))
            assert not driven.void_codes
