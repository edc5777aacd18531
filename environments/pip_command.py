"""Run pip quietly, and explain it well when it fails.

pip's own output is kept back unless it fails; then its last lines are shown with what
most likely helps. Standard library only, and no command goes through a shell.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path

HINTS = (
    (
        ("NewConnectionError", "ConnectTimeout", "ProxyError", "NameResolutionError"),
        "pip could not reach a package index: check the network and PIP_INDEX_URL",
    ),
    (
        ("No space left on device",),
        "the disk is full: free some space, or choose a folder on another one",
    ),
    (
        ("No matching distribution found", "Could not find a version"),
        "no index that could be reached has this release for this Python and machine:"
        " the engine's wheels are made for Linux on x86_64 with Python 3.11 to 3.14",
    ),
)


class InstallError(Exception):
    """A failure whose message tells the person at the keyboard what to do."""


def pip(python: Path, verb: str, *arguments: str) -> None:
    """Run one pip command with the given interpreter; InstallError if it fails."""
    done = run(
        [
            *(str(python), "-m", "pip", verb, "--quiet"),
            *("--disable-pip-version-check", "--no-input"),
            *arguments,
        ]
    )
    if done.returncode != 0:
        raise InstallError(
            f"pip {verb} failed (exit {done.returncode}); its last lines:\n"
            f"{last_lines(done, 12)}\nhint: {hint(done.stderr)}"
        )


def hint(output: str) -> str:
    """What most likely helps, by the words in pip's output."""
    for words, advice in HINTS:
        if any(word in output for word in words):
            return advice
    return "the lines above say why; nothing was left that counts as installed"


def run(command: Sequence[str]) -> subprocess.CompletedProcess[str]:
    """Run to the end; when interrupted, stop the command and all that it started."""
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,  # a process group of its own, to be stopped as one
    )
    try:
        output, errors = process.communicate()
    except BaseException:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        raise
    return subprocess.CompletedProcess(command, process.returncode, output, errors)


def last_lines(done: subprocess.CompletedProcess[str], count: int) -> str:
    """The end of a command's output, without pip's notes on absent link folders."""
    lines = [
        line
        for line in (done.stdout + done.stderr).splitlines()
        if line.strip() and not line.startswith("WARNING: Location ")
    ]
    return "\n".join("  " + line for line in lines[-count:])


def report(line: str) -> None:
    """A line of progress, at once, also where the output is a file."""
    print(line, flush=True)
