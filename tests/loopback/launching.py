"""Starts the stand-in engine through `EngineProcess`, and looks at what is left."""

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from specbench.engines.contract import LaunchCommand
from specbench.launch.process import EngineProcess
from specbench.launch.stopping import StopGraces

STAND_IN = Path(__file__).with_name("stand_in.py")
SHORT_GRACES = StopGraces(asked_s=0.4, asked_again_s=0.3, killed_s=8.0)
PATIENCE_S = 15.0


@dataclass(frozen=True, slots=True)
class Started:
    """A running stand-in and the processes that it told of."""

    process: EngineProcess
    pids: tuple[int, ...]


def stand_in_command(*arguments: str) -> LaunchCommand:
    # -S -E: without site-packages it starts in a fraction of the time.
    return LaunchCommand(
        argv=(sys.executable, "-S", "-E", str(STAND_IN), *arguments), env={}
    )


def start_stand_in(folder: Path, *arguments: str) -> Started:
    """Start it and wait until it has told its pids."""
    pid_file = folder / "pids"
    process = EngineProcess.start(
        stand_in_command("--pid-file", str(pid_file), *arguments),
        log_path=folder / "engine.log",
        marker=f"test-{folder}",
    )
    try:
        wait_for(lambda: pid_file.exists() or process.poll() is not None)
        pids = tuple(int(line) for line in pid_file.read_text().split())
    except BaseException:
        process.stop(is_starting=True)
        raise
    return Started(process, pids)


def wait_for(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError("what was waited for did not happen")
        time.sleep(0.01)


def list_remaining(pids: tuple[int, ...]) -> list[int]:
    """Those that are still in the process table, be it as zombies."""
    return [pid for pid in pids if Path(f"/proc/{pid}").exists()]
