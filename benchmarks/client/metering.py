"""CPU time of a process and its descendants, from outside, so that every client is
metered alike and none of them pays for it. Linux: /proc/<pid>/stat, ticks of 10 ms."""

import os
import threading
import time
from bisect import bisect_left
from dataclasses import dataclass, field
from pathlib import Path

TICK_S = 1 / os.sysconf("SC_CLK_TCK")
PARENT, USER, SYSTEM = 1, 11, 12
"""Places after the name in brackets, proc(5)."""


def tree_cpu_s(root: int) -> float:
    """CPU seconds of `root` and of what descends from it and lives."""
    rows = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            text = path.read_text()
        except OSError:
            continue  # ended meanwhile
        fields = text.rpartition(")")[2].split()
        ticks = int(fields[USER]) + int(fields[SYSTEM])
        rows[int(path.parent.name)] = (int(fields[PARENT]), ticks)
    family, found = {root}, True
    while found:
        found = {p for p, (parent, _) in rows.items() if parent in family} - family
        family |= found
    return sum(rows[pid][1] for pid in family if pid in rows) * TICK_S


@dataclass
class CpuCourse:
    """Reads a tree's CPU time twice a second, for clients that cannot be asked to wait
    at the right moments."""

    root: int
    instants: list[int] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch)

    def __enter__(self) -> "CpuCourse":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._ended.wait(0.5):
            self.instants.append(time.monotonic_ns())
            self.seconds.append(tree_cpu_s(self.root))

    def between(self, start_ns: int, end_ns: int) -> float:
        """CPU seconds from the last reading before `start_ns` to the first one after
        `end_ns`, or to the last there is."""
        first = max(0, bisect_left(self.instants, start_ns) - 1)
        last = min(len(self.instants) - 1, bisect_left(self.instants, end_ns))
        return self.seconds[last] - self.seconds[first]
