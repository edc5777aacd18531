"""Starts one engine and ends it with everything it started. The rule: after `stop` no
process of the launch is left, and no process that does not descend from it was
touched. Membership is decided in `family`, escalation in `stopping`."""

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Self

from specbench import clock
from specbench.engines.contract import LaunchCommand
from specbench.errors import EngineError, InputError
from specbench.launch.executable import explain_missing
from specbench.launch.family import could_be_marked, find_family
from specbench.launch.proc_table import (
    ProcessId,
    has_variable,
    read_entry,
    read_table,
)
from specbench.launch.signals import (
    adopt_orphans,
    collect_zombie,
    read_exit_code,
    send_signal,
)
from specbench.launch.stopping import (
    SERVING_GRACES,
    STARTING_GRACES,
    StopAction,
    StopGraces,
    StopStage,
    next_action,
    stage_after,
)
from specbench.units import seconds_between

MARKER_VARIABLE = "SPECBENCH_LAUNCH"
"""Set for the engine, and so inherited by what it starts."""

STOP_POLL_S = 0.1

_AT_ONCE = StopGraces(asked_s=0.0, asked_again_s=0.0, killed_s=8.0)
"""For somebody who does not want to wait any longer."""

_SIGNALS = {StopAction.ASK: signal.SIGTERM, StopAction.KILL: signal.SIGKILL}


class EngineProcess:
    """A launched engine. Not thread-safe."""

    def __init__(
        self, popen: subprocess.Popen[bytes], leader: ProcessId, marker: str
    ) -> None:
        self._popen = popen
        self._leader = leader
        self._marker = marker
        self._family = frozenset({leader})
        self._is_ended = False

    @classmethod
    def start(
        cls,
        command: LaunchCommand,
        log_path: Path,
        marker: str,
        cpus: Sequence[int] | None = None,
    ) -> Self:
        """Start `command` in a session of its own, its output appended to `log_path`
        and its files beside that.

        `marker` must be unlike that of any other launch on this machine. `cpus` are
        those that the engine may use; None: the same as the calling thread.
        Raises InputError when the executable is missing or cannot be executed, and
        EngineError when the system refuses for another reason.
        """
        environment = {**os.environ, **command.env, MARKER_VARIABLE: marker}
        adopt_orphans()
        try:
            log_path.parent.mkdir(parents=True, exist_ok=True)
            for name, text in command.files.items():
                (log_path.parent / name).write_text(text, encoding="utf-8")
            log = log_path.open("ab")
        except OSError as error:
            raise EngineError(f"cannot write the log {log_path}: {error}") from error
        with log:
            popen = _spawn(command.argv, environment, log.fileno(), cpus)
        entry = read_entry(popen.pid)
        if entry is None:  # cannot be: an uncollected child has a row
            popen.kill()
            popen.wait()
            raise EngineError("/proc does not show the engine that was just started")
        return cls(popen, entry.id, marker)

    @property
    def pid(self) -> int:
        """Of the process that was launched; also the number of its group."""
        return self._leader.pid

    @property
    def family_pids(self) -> frozenset[int]:
        """Of the engine and of all that belonged to it when that was last looked at
        (`remember_family`)."""
        return frozenset(process.pid for process in self._family)

    def poll(self) -> int | None:
        """Exit code of the launched process (negative: ended by that signal); None
        while it runs. Cheap."""
        if self._is_ended:
            return self._popen.returncode
        try:
            return read_exit_code(self.pid)
        except ChildProcessError:  # collected by the system: SIGCHLD is ignored here
            return self._popen.poll()

    def remember_family(self) -> None:
        """Note who descends from the engine now; of use while it starts its workers,
        since a worker whose parent has died cannot be told from a stranger later.
        Reads the whole process table (milliseconds): not inside a window."""
        table = read_table()
        family = find_family(table, self._leader, self._family)
        marked = {
            process
            for process in could_be_marked(table, self._leader, family)
            if has_variable(process.pid, MARKER_VARIABLE, self._marker)
        }
        self._family |= find_family(table, self._leader, family, marked)

    def stop(
        self,
        is_starting: bool,
        graces: StopGraces | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """End the engine and its family, politely, then firmly, and wait until they are
        gone. May be called again, and in a `finally`; an interruption (a second
        Ctrl-C) kills at once before it goes on its way.

        Raises EngineError when something survives even SIGKILL.
        """
        if self._is_ended:
            return
        usual = STARTING_GRACES if is_starting else SERVING_GRACES
        try:
            self._end(graces or usual, sleep)
        except EngineError:
            raise
        except BaseException:
            self._end(_AT_ONCE, time.sleep, StopStage.ASKED_AGAIN)
            raise

    def _end(
        self,
        graces: StopGraces,
        sleep: Callable[[float], None],
        stage: StopStage = StopStage.UNASKED,
    ) -> None:
        since_ns = clock.monotonic_ns()
        while True:
            living = self._collect_and_list()
            waited_s = seconds_between(since_ns, clock.monotonic_ns())
            action = next_action(stage, bool(living), waited_s, graces)
            if action is StopAction.FINISH:
                self._popen.wait()
                self._is_ended = True
                return
            if action is StopAction.GIVE_UP:
                raise _survivors_error(living)
            if action in _SIGNALS:
                for process in living:
                    send_signal(process, _SIGNALS[action])
                if stage_after(stage, action) is not stage:
                    stage, since_ns = stage_after(stage, action), clock.monotonic_ns()
            sleep(STOP_POLL_S)

    def _collect_and_list(self) -> tuple[ProcessId, ...]:
        # One look is not one instant: a process that forks and ends while the table is
        # read can be missed with its child, so "none" is believed the second time.
        return self._look() or self._look()

    def _look(self) -> tuple[ProcessId, ...]:
        """Members that live. Ended ones that are our children, by birth or because they
        were orphaned, are taken out of the table; the leader stays to the end."""
        self.remember_family()
        living = []
        for process in self._family:
            entry = read_entry(process.pid)
            if entry is None or entry.id != process:
                continue
            if not entry.is_zombie:
                living.append(process)
            elif process != self._leader and entry.parent_pid == os.getpid():
                collect_zombie(process)
        return tuple(sorted(living, key=lambda it: (it.start_ticks, it.pid)))


def _spawn(
    argv: Sequence[str],
    environment: dict[str, str],
    log: int,
    cpus: Sequence[int] | None,
) -> subprocess.Popen[bytes]:
    try:
        with _allowed_cpus(cpus):
            return subprocess.Popen(
                argv,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                env=environment,
                start_new_session=True,
            )
    except (FileNotFoundError, PermissionError, NotADirectoryError) as error:
        message, hint = explain_missing(argv[0], environment.get("PATH", os.defpath))
        raise InputError(message, hint) from error
    except OSError as error:
        raise EngineError(f"cannot start {argv[0]}: {error}") from error


@contextmanager
def _allowed_cpus(cpus: Sequence[int] | None) -> Iterator[None]:
    """A child inherits the CPUs of the thread that starts it; set for that moment."""
    if cpus is None:
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, cpus)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def _survivors_error(survivors: Sequence[ProcessId]) -> EngineError:
    pids = ", ".join(str(process.pid) for process in survivors)
    return EngineError(
        f"processes of the engine survive SIGKILL: {pids}",
        "they hang in the kernel or belong to another user and may hold GPU memory;"
        " end them before the next launch",
    )
