"""A real process and a real port: ready, late, dead, never ready, and taken."""

import sys
from pathlib import Path

import pytest

from specbench.errors import EngineError, InputError
from specbench.launch.health import HealthProbe
from specbench.launch.ports import check_port_free, find_free_port
from specbench.launch.process import EngineProcess
from specbench.launch.readiness import StartupRules, wait_until_ready
from specbench.launch.startup_clock import StartupClock
from tests.loopback.launching import list_remaining, stand_in_command, start_stand_in

HOST = "127.0.0.1"


def find_cause(log: str) -> str:
    return next((line for line in log.splitlines() if "Error" in line), "no error")


def launch_and_wait(
    folder: Path, *arguments: str, timeout_s: float = 30.0
) -> StartupClock:
    port = find_free_port(HOST)
    log = folder / "engine.log"
    process = EngineProcess.start(
        stand_in_command("--port", str(port), *arguments), log, marker=str(folder)
    )
    try:
        with HealthProbe(f"http://{HOST}:{port}", "/health") as probe:
            return wait_until_ready(
                process, probe, StartupRules(log, timeout_s, find_cause)
            )
    finally:
        process.stop(is_starting=True)
        assert list_remaining((process.pid,)) == []


def test_engine_that_answers_late_is_waited_for(tmp_path: Path) -> None:
    startup = launch_and_wait(tmp_path, "--health", "late", "--late-s", "0.6")
    assert startup.elapsed_s >= 0.6
    assert startup.downloading_s == 0


def test_engine_that_dies_is_reported_with_its_cause(tmp_path: Path) -> None:
    text = tmp_path / "text"
    text.write_text(
        "loading\nValueError: 14 attention heads\nsee the root cause above\n"
    )
    with pytest.raises(EngineError) as caught:
        launch_and_wait(tmp_path, "--crash", str(text))
    assert "exit code 1" in caught.value.message
    assert "ValueError: 14 attention heads" in caught.value.message
    assert str(tmp_path / "engine.log") in caught.value.message


def test_engine_that_never_answers_is_given_up(tmp_path: Path) -> None:
    with pytest.raises(EngineError, match="not ready after") as caught:
        launch_and_wait(tmp_path, "--health", "never", timeout_s=1.2)
    assert "stand-in: serving" in caught.value.message
    assert "target.startup_timeout_s" in caught.value.hint


def test_port_of_a_running_server_is_refused_and_its_owner_named(
    tmp_path: Path,
) -> None:
    port = find_free_port(HOST)
    started = start_stand_in(tmp_path, "--port", str(port))
    try:
        with pytest.raises(InputError) as caught:
            check_port_free(HOST, port)
    finally:
        started.process.stop(is_starting=False)
    assert str(port) in caught.value.message
    assert f"process {started.process.pid}: {sys.executable}" in caught.value.message
    check_port_free(HOST, port)
