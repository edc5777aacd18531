"""What a sweep has done so far, kept for the estimate of the time left; launches that
run side by side add to it in turn."""

import threading
from collections.abc import Sequence

from specbench.planning.duration import (
    DurationEstimate,
    Known,
    Speed,
    estimate_remaining,
)
from specbench.schema.cell import CellKey
from specbench.schema.plan import LaunchPlan, SweepPlan


class SweepProgress:
    """Of one sweep. Thread-safe."""

    def __init__(self, plan: SweepPlan) -> None:
        self._plan = plan
        self._lock = threading.Lock()
        self._cells_seen = 0
        self._cell_s: dict[CellKey, float] = {}
        self._startups: dict[int, float] = {}
        self._speeds: dict[int, Speed] = {}
        self._ended: set[int] = set()

    def note_start(
        self, launch: LaunchPlan, ready_s: float | None, speed: Speed | None
    ) -> None:
        """A launch is ready and warm; None = that is not known of it."""
        with self._lock:
            if ready_s is not None:
                self._startups[launch.index] = ready_s
            if speed is not None:
                self._speeds[launch.index] = speed

    def begin_cells(self, cells: Sequence[CellKey]) -> tuple[int, DurationEstimate]:
        """The number of the last of these among all cells of the sweep, from 1, and
        the time left, these cells included."""
        with self._lock:
            self._cells_seen += len(cells)
            known = Known(self._startups, self._speeds, self._ended)
            left = estimate_remaining(self._plan, self._cell_s, known)
            return self._cells_seen, left

    def note_cell(self, key: CellKey, seconds: float) -> None:
        """A cell has been measured, whole."""
        with self._lock:
            self._cell_s[key] = seconds

    def note_end(self, launch: LaunchPlan) -> None:
        """A launch is over, whether or not all its cells were measured."""
        with self._lock:
            self._ended.add(launch.index)
