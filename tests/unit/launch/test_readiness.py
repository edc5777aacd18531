"""Waiting for an engine, on a clock that only sleeping moves."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from specbench.errors import EngineError
from specbench.launch.readiness import (
    StartupRules,
    StartupWatch,
    TimeSource,
    wait_until_ready,
)
from specbench.launch.startup_clock import StartupClock
from specbench.units import NS_PER_S


@dataclass
class World:
    """An engine that is ready at one time, or ends at another (seconds)."""

    ready_at_s: float = float("inf")
    ends_at_s: float = float("inf")
    exit_code: int = 1
    now_s: float = 0.0
    looks: int = 0
    told: list[tuple[float, str, bool]] = field(default_factory=list)

    def poll(self) -> int | None:
        return self.exit_code if self.now_s >= self.ends_at_s else None

    def remember_family(self) -> None:
        self.looks += 1

    def is_ready(self) -> bool:
        return self.now_s >= self.ready_at_s

    def sleep(self, seconds: float) -> None:
        self.now_s += seconds

    def tell(self, elapsed_s: float, line: str, is_downloading: bool) -> None:
        self.told.append((elapsed_s, line, is_downloading))

    def wait(
        self,
        log: Path,
        timeout_s: float = 60.0,
        is_downloading: Callable[[], bool] = lambda: False,
    ) -> StartupClock:
        rules = StartupRules(log, timeout_s, find_cause=lambda text: f"cause of {text}")
        return wait_until_ready(
            self,
            self.is_ready,
            rules,
            StartupWatch(is_downloading, self.tell),
            TimeSource(now_ns=lambda: int(self.now_s * NS_PER_S), sleep=self.sleep),
        )


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "engine.log"
    path.write_text("first\nlast\n")
    return path


def test_time_until_ready_is_returned(log: Path) -> None:
    assert World(ready_at_s=10.1).wait(log).elapsed_s == 10.25


def test_exit_ends_the_wait_at_once_with_cause_code_and_log(log: Path) -> None:
    world = World(ends_at_s=3.0)
    with pytest.raises(EngineError) as caught:
        world.wait(log)
    assert world.now_s == 3.0
    assert caught.value.message == (
        "the engine ended 3.0 s after its start, before it was ready (exit code 1):"
        f" cause of first\nlast\n\nlog: {log}"
    )


def test_answer_on_the_port_of_a_dead_engine_is_somebody_elses(log: Path) -> None:
    with pytest.raises(EngineError, match="before it was ready"):
        World(ready_at_s=3.0, ends_at_s=3.0).wait(log)


@pytest.mark.parametrize(
    ("exit_code", "words"),
    [(2, "exit code 2"), (-9, "ended by SIGKILL"), (-200, "ended by signal 200")],
)
def test_way_of_the_end_is_named(log: Path, exit_code: int, words: str) -> None:
    with pytest.raises(EngineError) as caught:
        World(ends_at_s=1.0, exit_code=exit_code).wait(log)
    assert f"({words})" in caught.value.message


def test_sigkill_points_to_memory(log: Path) -> None:
    with pytest.raises(EngineError) as caught:
        World(ends_at_s=1.0, exit_code=-9).wait(log)
    assert "memory" in caught.value.hint


def test_time_out_says_how_long_what_was_logged_and_which_key(log: Path) -> None:
    with pytest.raises(EngineError) as caught:
        World().wait(log, timeout_s=60.0)
    assert caught.value.message == (
        f"the engine was not ready after 60 s; its last log line: last\nlog: {log}"
    )
    assert "target.startup_timeout_s (now 60)" in caught.value.hint


def test_empty_log_is_said(tmp_path: Path) -> None:
    with pytest.raises(EngineError, match="its log is empty"):
        World().wait(tmp_path / "none.log")


def test_download_does_not_use_up_the_time(log: Path) -> None:
    world = World(ready_at_s=100.0)
    startup = world.wait(log, timeout_s=60.0, is_downloading=lambda: world.now_s < 50.0)
    assert startup.elapsed_s == 100.0
    assert startup.counted_s == pytest.approx(50.0, abs=1.0)


def test_time_out_names_the_download_that_did_not_count(log: Path) -> None:
    # Looked for once a second: the last look that finds one is at 50 s, and the time
    # until the next one counts as downloading.
    world = World()
    with pytest.raises(EngineError, match="51 s of downloading not counted"):
        world.wait(log, timeout_s=60.0, is_downloading=lambda: world.now_s <= 50.0)
    assert world.now_s == 110.75


def test_progress_is_told_once_a_second_with_the_last_line(log: Path) -> None:
    world = World(ready_at_s=3.5)
    world.wait(log)
    assert world.told == [(float(s), "last", False) for s in range(4)]


def test_workers_are_noted_during_the_start_and_at_its_end(log: Path) -> None:
    world = World(ready_at_s=3.5)
    world.wait(log)
    assert world.looks == 5
