"""Waits until a launched engine answers, and says why when it never will: it ended (the
cause comes from its log), or the time is up. The clock, the probe and the process are
parameters; nothing here knows an engine."""

import signal
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from specbench import clock
from specbench.errors import EngineError
from specbench.launch.log_tail import last_line, read_tail
from specbench.launch.startup_clock import StartupClock
from specbench.units import seconds_between

PROBE_EVERY_S = 0.25
LOOK_EVERY_S = 1.0
"""How often progress is told, and downloads and new workers are looked for."""

_CAUSE_BYTES = 512 * 1024


class StartingProcess(Protocol):
    """What is asked of the engine's process here."""

    def poll(self) -> int | None:
        """Exit code; None while it runs."""
        ...

    def remember_family(self) -> None:
        """Note the workers that it has started so far."""
        ...


@dataclass(frozen=True, slots=True)
class StartupRules:
    """How long a start may take and how its log is read."""

    log_path: Path
    timeout_s: float
    """Without downloads."""
    find_cause: Callable[[str], str]
    """The real cause of an early end, out of a log's text."""


@dataclass(frozen=True, slots=True)
class StartupWatch:
    """What is looked at, and told, about once a second."""

    is_downloading: Callable[[], bool] = lambda: False
    on_progress: Callable[[float, str, bool], None] = lambda *_: None
    """Gets seconds since the start, the log's last line, whether a download runs."""


@dataclass(frozen=True, slots=True)
class TimeSource:
    """The clock and how to let it pass."""

    now_ns: Callable[[], int] = clock.monotonic_ns
    sleep: Callable[[float], None] = time.sleep


def wait_until_ready(
    process: StartingProcess,
    probe: Callable[[], bool],
    rules: StartupRules,
    watch: StartupWatch = StartupWatch(),
    time_source: TimeSource = TimeSource(),
) -> StartupClock:
    """Return when `probe` says yes and the process lives; the clock then tells how long
    it took. Raises EngineError when the process ends first or the time is up."""
    startup = StartupClock.begin(time_source.now_ns())
    looked_ns: int | None = None
    is_downloading = False
    while True:
        is_ready = probe()
        now_ns = time_source.now_ns()
        exit_code = process.poll()
        if exit_code is not None:
            # Also when the probe said yes: then somebody else answered it.
            startup = startup.tick(now_ns, is_downloading)
            raise _early_exit(exit_code, startup, rules)
        if is_ready:
            process.remember_family()
            return startup.tick(now_ns, is_downloading)
        is_look_due = (
            looked_ns is None or seconds_between(looked_ns, now_ns) >= LOOK_EVERY_S
        )
        if is_look_due:
            looked_ns = now_ns
            is_downloading = watch.is_downloading()
            process.remember_family()
        startup = startup.tick(now_ns, is_downloading)
        if is_look_due:
            line = last_line(rules.log_path)
            watch.on_progress(startup.elapsed_s, line, is_downloading)
        if startup.counted_s >= rules.timeout_s:
            raise _timed_out(startup, rules)
        time_source.sleep(PROBE_EVERY_S)


def _early_exit(
    exit_code: int, startup: StartupClock, rules: StartupRules
) -> EngineError:
    cause = rules.find_cause(read_tail(rules.log_path, _CAUSE_BYTES))
    return EngineError(
        f"the engine ended {startup.elapsed_s:.1f} s after its start, before it was"
        f" ready ({_exit_words(exit_code)}): {cause}\nlog: {rules.log_path}",
        "an engine may end itself so after an error, which then stands above (SGLang"
        " does); else the kernel did, when memory ran out: see `dmesg`"
        if exit_code == -signal.SIGKILL
        else "the whole log is at the path above",
    )


def _exit_words(exit_code: int) -> str:
    if exit_code >= 0:
        return f"exit code {exit_code}"
    try:
        return f"ended by {signal.Signals(-exit_code).name}"
    except ValueError:
        return f"ended by signal {-exit_code}"


def _timed_out(startup: StartupClock, rules: StartupRules) -> EngineError:
    download = ""
    if startup.downloading_ns > 0:
        download = f", {startup.downloading_s:.0f} s of downloading not counted"
    line = last_line(rules.log_path)
    said = f"its last log line: {line}" if line else "its log is empty"
    return EngineError(
        f"the engine was not ready after {startup.counted_s:.0f} s{download};"
        f" {said}\nlog: {rules.log_path}",
        "if it was still making progress, raise target.startup_timeout_s (now"
        f" {rules.timeout_s:g})",
    )
