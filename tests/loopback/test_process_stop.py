"""No process of a launch outlives `stop`, whatever its manners, and no other is hit."""

import os
import signal
import subprocess
from pathlib import Path

import pytest

from specbench.launch.ports import find_free_port
from specbench.launch.stopping import StopGraces
from tests.loopback.launching import (
    SHORT_GRACES,
    list_remaining,
    start_stand_in,
    wait_for,
)
from tests.loopback.stand_in import SECOND_SIGTERM_CODE


def test_obedient_engine_ends_by_its_first_sigterm(tmp_path: Path) -> None:
    started = start_stand_in(tmp_path)
    started.process.stop(is_starting=False)
    assert started.process.poll() == -signal.SIGTERM
    assert list_remaining(started.pids) == []


def test_engine_deaf_to_the_first_sigterm_gets_a_second_one(tmp_path: Path) -> None:
    started = start_stand_in(tmp_path, "--sigterm", "second")
    started.process.stop(
        is_starting=True,
        graces=StopGraces(asked_s=0.3, asked_again_s=10.0, killed_s=5.0),
    )
    assert started.process.poll() == SECOND_SIGTERM_CODE
    assert list_remaining(started.pids) == []


@pytest.mark.parametrize("kind", ["own-session", "no-marker"])
def test_workers_that_ignore_signals_do_not_outlive_the_engine(
    tmp_path: Path, kind: str
) -> None:
    started = start_stand_in(tmp_path, "--workers", kind, kind)
    started.process.stop(is_starting=False, graces=SHORT_GRACES)
    assert len(started.pids) == 3
    assert list_remaining(started.pids) == []


def test_workers_are_found_by_marker_when_their_parent_was_killed(
    tmp_path: Path,
) -> None:
    started = start_stand_in(tmp_path, "--workers", "own-session")
    os.kill(started.process.pid, signal.SIGKILL)
    wait_for(lambda: started.process.poll() is not None)
    started.process.stop(is_starting=False, graces=SHORT_GRACES)
    assert started.process.poll() == -signal.SIGKILL
    assert list_remaining(started.pids) == []


def test_orphans_without_marker_are_found_when_they_were_seen_before(
    tmp_path: Path,
) -> None:
    started = start_stand_in(tmp_path, "--workers", "no-marker")
    started.process.remember_family()
    os.kill(started.process.pid, signal.SIGKILL)
    wait_for(lambda: started.process.poll() is not None)
    started.process.stop(is_starting=False, graces=SHORT_GRACES)
    assert list_remaining(started.pids) == []


def test_interrupted_stop_kills_at_once_and_passes_the_interruption_on(
    tmp_path: Path,
) -> None:
    started = start_stand_in(tmp_path, "--workers", "own-session")

    def interrupt(_: float) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        started.process.stop(is_starting=False, sleep=interrupt)
    assert list_remaining(started.pids) == []


def test_stopping_twice_is_fine(tmp_path: Path) -> None:
    started = start_stand_in(tmp_path)
    started.process.stop(is_starting=False)
    started.process.stop(is_starting=False)
    assert started.process.poll() == -signal.SIGTERM


def test_stop_leaves_other_engines_and_other_children_alone(tmp_path: Path) -> None:
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
    first = start_stand_in(tmp_path / "first", "--workers", "own-session")
    second = start_stand_in(
        tmp_path / "second", "--port", str(find_free_port("127.0.0.1"))
    )
    bystander = subprocess.Popen(["/bin/cat"], stdin=subprocess.PIPE)
    try:
        first.process.stop(is_starting=False, graces=SHORT_GRACES)
        assert list_remaining(first.pids) == []
        assert second.process.poll() is None
        assert bystander.poll() is None
    finally:
        second.process.stop(is_starting=False)
        bystander.communicate()
