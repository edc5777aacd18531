"""Reads the process table from /proc, Linux' own view of it (proc(5)). A process is
known by its pid AND its start time, because a pid alone may be given out again."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

PROC = Path("/proc")


@dataclass(frozen=True, slots=True)
class ProcessId:
    """One process and no later one of the same number."""

    pid: int
    start_ticks: int
    """Clock ticks from boot to its start."""


@dataclass(frozen=True, slots=True)
class ProcessEntry:
    """One row of the table."""

    id: ProcessId
    parent_pid: int
    group: int
    session: int
    is_zombie: bool
    """It has ended and only waits for its parent to notice."""


ProcessTable = Mapping[int, ProcessEntry]
"""Rows by pid."""


def parse_stat(text: str) -> ProcessEntry | None:
    """Read a /proc/PID/stat; None when it is cut or of another shape."""
    # The second field is the name in parentheses and may itself hold blanks and
    # parentheses, so the fields are counted from the last closing one.
    pid, _, rest = text.partition(" (")
    fields = rest[rest.rfind(")") + 1 :].split()
    try:
        return ProcessEntry(
            id=ProcessId(pid=int(pid), start_ticks=int(fields[19])),
            parent_pid=int(fields[1]),
            group=int(fields[2]),
            session=int(fields[3]),
            # A main thread that ended before the others shows Z as well; the
            # process lives on in them.
            is_zombie=fields[0] in "ZXx" and int(fields[17]) <= 1,
        )
    except (ValueError, IndexError):
        return None


def read_entry(pid: int, root: Path = PROC) -> ProcessEntry | None:
    """The row of one process; None when there is none."""
    try:
        text = (root / str(pid) / "stat").read_text(errors="replace")
    except OSError:
        return None
    return parse_stat(text)


def read_table(root: Path = PROC) -> dict[int, ProcessEntry]:
    """All rows. Not one instant: processes come and go while it is read."""
    table: dict[int, ProcessEntry] = {}
    for folder in root.iterdir():
        if folder.name.isdecimal():
            entry = read_entry(int(folder.name), root)
            if entry is not None:
                table[entry.id.pid] = entry
    return table


def has_variable(pid: int, name: str, value: str, root: Path = PROC) -> bool:
    """Whether the process was started with NAME=VALUE in its environment. False also
    where that may not be read (another user's process)."""
    try:
        content = (root / str(pid) / "environ").read_bytes()
    except OSError:
        return False
    return f"{name}={value}".encode() in content.split(b"\0")
