"""Starting: what the engine gets, and what is said when it cannot be started."""

import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from specbench.engines.contract import LaunchCommand
from specbench.errors import EngineError, InputError
from specbench.launch.process import MARKER_VARIABLE, EngineProcess
from tests.loopback.launching import wait_for

SHELL = "/bin/sh"


def run_to_its_end(
    folder: Path,
    script: str,
    cpus: Sequence[int] | None = None,
    files: dict[str, str] | None = None,
) -> tuple[int, str]:
    """Exit code and log of a shell script that is launched as an engine."""
    log = folder / "launches" / "1" / "engine.log"
    process = EngineProcess.start(
        LaunchCommand((SHELL, "-c", script), {"GIVEN": "to the engine"}, files or {}),
        log,
        marker="run-1",
        cpus=cpus,
    )
    try:
        wait_for(lambda: process.poll() is not None)
        code = process.poll()
        assert code is not None
    finally:
        process.stop(is_starting=True)
    return code, log.read_text()


def start(executable: str, log: Path) -> EngineProcess:
    return EngineProcess.start(
        LaunchCommand(argv=(executable, "serve"), env={}), log, marker="m"
    )


def test_both_outputs_go_to_a_log_whose_folders_are_made(tmp_path: Path) -> None:
    code, log = run_to_its_end(tmp_path, "echo out; echo err >&2; exit 3")
    assert (code, log) == (3, "out\nerr\n")


def test_log_of_an_earlier_launch_is_kept(tmp_path: Path) -> None:
    run_to_its_end(tmp_path, "echo first")
    _, log = run_to_its_end(tmp_path, "echo second")
    assert log == "first\nsecond\n"


def test_engine_gets_the_environment_of_this_process_its_own_and_the_marker(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("INHERITED", "as it was")
    script = f'echo "$INHERITED, $GIVEN, ${MARKER_VARIABLE}"'
    _, log = run_to_its_end(tmp_path, script)
    assert log == "as it was, to the engine, run-1\n"


def test_files_of_the_launch_lie_beside_its_log_before_it_starts(
    tmp_path: Path,
) -> None:
    script = f"cat {tmp_path}/launches/1/steps.json"
    files = {"steps.json": "as given"}
    assert run_to_its_end(tmp_path, script, files=files) == (0, "as given")


def test_engine_cannot_read_the_terminal(tmp_path: Path) -> None:
    _, log = run_to_its_end(tmp_path, "wc -c")
    assert log.strip() == "0"


def test_engine_gets_the_given_cpus_and_this_process_keeps_its_own(
    tmp_path: Path,
) -> None:
    before = os.sched_getaffinity(0)
    cpu = min(before)
    script = "grep Cpus_allowed_list /proc/self/status"
    _, log = run_to_its_end(tmp_path, script, cpus=[cpu])
    assert log.split() == ["Cpus_allowed_list:", str(cpu)]
    assert os.sched_getaffinity(0) == before


def test_missing_file_names_key_and_path(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"target.executable: \S+/vllm does not exist"):
        start(str(tmp_path / "vllm"), tmp_path / "log")


def test_bare_name_that_is_not_on_path_says_where_was_looked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(InputError) as caught:
        start("vllm", tmp_path / "log")
    assert 'no "vllm" was found on PATH' in caught.value.message
    assert str(tmp_path) in caught.value.message


def test_file_that_is_not_executable_is_called_that(tmp_path: Path) -> None:
    script = tmp_path / "vllm"
    script.write_text("#!/bin/sh\n")
    with pytest.raises(InputError, match="exists but is not executable"):
        start(str(script), tmp_path / "log")


def test_script_of_a_moved_environment_shows_its_first_line(tmp_path: Path) -> None:
    script = tmp_path / "vllm"
    script.write_text("#!/no/such/python\n")
    script.chmod(0o755)
    with pytest.raises(InputError, match="#!/no/such/python"):
        start(str(script), tmp_path / "log")


def test_file_of_no_executable_format_is_an_engine_error(tmp_path: Path) -> None:
    broken = tmp_path / "vllm"
    broken.write_bytes(b"\x00\x01")
    broken.chmod(0o755)
    with pytest.raises(EngineError, match="Exec format error"):
        start(str(broken), tmp_path / "log")


def test_log_that_cannot_be_written_is_said_before_anything_starts(
    tmp_path: Path,
) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(EngineError, match="cannot write the log"):
        start(SHELL, tmp_path / "file" / "engine.log")
