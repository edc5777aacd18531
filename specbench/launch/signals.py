"""Sends signals and collects ended children: the thin part under `process`. A signal
goes to a process only after its start time was compared, through a handle on it, so
that a pid which was given out again is never hit."""

import ctypes
import os
import signal

from specbench.launch.proc_table import ProcessId, read_entry

_PR_SET_CHILD_SUBREAPER = 36  # linux/prctl.h


def send_signal(process: ProcessId, number: signal.Signals) -> None:
    """Send it if that very process still lives; another user's is left alone."""
    try:
        handle = os.pidfd_open(process.pid)
    except ProcessLookupError:
        return
    except OSError:  # a kernel or sandbox without pidfd (before Linux 5.3)
        handle = None
    try:
        entry = read_entry(process.pid)
        if entry is None or entry.id != process:
            return
        if handle is None:
            os.kill(process.pid, number)
        else:
            signal.pidfd_send_signal(handle, number)
    except (ProcessLookupError, PermissionError):
        return
    finally:
        if handle is not None:
            os.close(handle)


def adopt_orphans() -> None:
    """Make this process the one that inherits orphaned descendants, so that ended ones
    can be collected: in a container, process 1 often never does it, and they stay in
    the table as zombies. Where the kernel refuses, all else works."""
    prctl = getattr(ctypes.CDLL(None), "prctl", None)
    if prctl is not None:
        prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def collect_zombie(process: ProcessId) -> None:
    """Take an ended child of ours out of the table."""
    try:
        os.waitpid(process.pid, os.WNOHANG)
    except ChildProcessError:
        return


def read_exit_code(pid: int) -> int | None:
    """How our child `pid` ended, as subprocess counts it (negative: by that signal);
    None while it runs. It is left as a zombie, so that its pid, and with it the number
    of its group, cannot be given out again before the group is ended."""
    result = os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    if result is None:
        return None
    is_exit = result.si_code == os.CLD_EXITED
    return result.si_status if is_exit else -result.si_status
