"""Runs the command line as a user does, in a process and a folder of its own."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from specbench.errors import ExitCode

LIMIT_S = 120


def specbench(
    *arguments: str,
    cwd: Path,
    limit_s: float = LIMIT_S,
    env: Mapping[str, str] | None = None,
) -> subprocess.CompletedProcess[str]:
    """Run one command to its end. `env`: variables beside those that are there."""
    return subprocess.run(
        [sys.executable, "-m", "specbench", *arguments],
        capture_output=True,
        text=True,
        cwd=cwd,
        timeout=limit_s,
        check=False,
        env={**os.environ, **(env or {})},
    )


@dataclass(frozen=True, slots=True)
class Interrupted:
    """A run that got a Ctrl-C and ended."""

    pid: int
    returncode: int
    rest: str
    """What it told from then on."""


def interrupt(
    folder: Path, *until: str, env: Mapping[str, str] | None = None
) -> Interrupted:
    """Run the sweep there, with a Ctrl-C when each of the words has been told. `env`:
    variables beside those that are there."""
    running = subprocess.Popen(
        [sys.executable, "-m", "specbench", "run", "sweep.toml"],
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
        cwd=folder,
        env={**os.environ, **(env or {})},
    )
    assert running.stderr is not None
    waiting = set(until)
    for line in running.stderr:
        waiting = {word for word in waiting if word not in line}
        if not waiting:
            break
    running.send_signal(signal.SIGINT)
    _, rest = running.communicate(timeout=60)
    return Interrupted(running.pid, running.returncode, rest)


def only_run(folder: Path) -> Path:
    """The folder of the one run that there is."""
    (run,) = (folder / "results" / "sweep").iterdir()
    return run


def ran_to_its_end(done: subprocess.CompletedProcess[str]) -> bool:
    """Whether a run measured every arm. On a starved machine the client is late and
    its cells are void, which is right and no fault of the run."""
    if done.returncode == ExitCode.ENGINE_FAILED:
        return "client-" in done.stdout
    return done.returncode == ExitCode.FINE


def strict_json(text: str) -> Any:
    """Parse, refusing NaN and infinities."""

    def refuse(constant: str) -> Any:
        raise ValueError(f"not strict JSON: {constant}")

    return json.loads(text, parse_constant=refuse)


SWEEP = """
[target]
name = "tiny"
model = "some/model"
engine = "vllm"
executable = "{executable}"

[[arms]]
name = "ngram"
speculative = {{ method = "ngram", num_speculative_tokens = 3, prompt_lookup_max = 3 }}

[workload]
datasets = ["mt-bench-style"]
max_tokens = 24
turns = "first"

[load]
concurrency = [1, 4]

[measure]
replicates = 1
min_requests = 6
requests_per_slot = 4
placement = "sequential"
"""


def write_sweep(folder: Path, executable: Path | str, changes: str = "") -> Path:
    """A small sweep over a stand-in engine; `changes` is `old -> new`, one a line."""
    text = SWEEP.format(executable=executable)
    for line in changes.strip().splitlines():
        old, new = (part.strip() for part in line.split("->"))
        assert old in text
        text = text.replace(old, new)
    path = folder / "sweep.toml"
    path.write_text(text)
    return path
