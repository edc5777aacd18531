"""What a run has done so far, kept for the estimate of the time left and for the search
that chooses what comes next; launches that run side by side add to it in turn."""

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean

from specbench.planning.duration import (
    DurationEstimate,
    estimate_remaining,
    estimate_whole,
)
from specbench.planning.known_times import Known, Recalled, Speed
from specbench.runner.budget import Budget
from specbench.schema.cell import CellKey, Condition
from specbench.schema.findings import CellStats
from specbench.schema.plan import LaunchPlan, SweepPlan, Wave
from specbench.schema.record import LaunchRecord


@dataclass(frozen=True, slots=True)
class Outlook:
    """Where a cell stands in its run."""

    number: int
    """Among all cells of the run, from 1."""
    total: int | None
    """None where a search chooses the cells."""
    remaining_s: float
    """Time to the end of the run, this cell included; of a search at most."""
    basis: str


@dataclass(frozen=True, slots=True)
class Done:
    """What has been measured, of all targets."""

    cells: tuple[CellStats, ...]
    cell_s: Mapping[CellKey, float]
    launches: tuple[LaunchRecord, ...]
    """Those that are under way included."""
    overheads: Mapping[int, float]
    """By launch: seconds that it took beside its cells, its end included."""
    freezing_s: Mapping[str, float]
    """By target: seconds that went into freezing first answers."""
    impossible: frozenset[Condition]
    """What cannot be measured with any arm."""


class SweepProgress:
    """Of one run. Thread-safe."""

    def __init__(
        self,
        plan: SweepPlan,
        budget: Budget | None = None,
        recalled: Recalled | None = None,
    ) -> None:
        self._plan = plan
        self._budget = budget or Budget(None)
        self._recalled = recalled or Recalled()
        self._lock = threading.Lock()
        self._cells_seen = 0
        self._cells: dict[CellKey, CellStats] = {}
        self._cell_s: dict[CellKey, float] = {}
        self._startups: dict[int, float] = {}
        self._speeds: dict[int, Speed] = {}
        self._ran: dict[int, LaunchPlan] = {}
        self._ended: set[int] = set()
        self._records: dict[int, LaunchRecord] = {}
        self._overheads: dict[int, float] = {}
        self._freezing_s: dict[str, float] = {}
        self._impossible: set[Condition] = set()

    def note_start(
        self, launch: LaunchPlan, record: LaunchRecord, speed: Speed | None
    ) -> None:
        """A launch is ready and warm; `speed`: None = not known."""
        with self._lock:
            self._ran[launch.index] = launch
            self._records[launch.index] = record
            if record.ready_s is not None:
                self._startups[launch.index] = record.ready_s
            if speed is not None:
                self._speeds[launch.index] = speed

    def begin_cells(self, cells: Sequence[CellKey]) -> Outlook:
        """Where the last of these stands; the time left includes all of them."""
        with self._lock:
            self._cells_seen += len(cells)
            if self._plan.is_adaptive:
                seconds, basis = self._at_most()
                return Outlook(self._cells_seen, None, seconds, basis)
            left = estimate_remaining(self._plan, self._cell_s, self._known())
            return Outlook(
                self._cells_seen, self._plan.cell_count, left.seconds, left.basis
            )

    def note_cell(self, stats: CellStats, seconds: float) -> None:
        """A cell has been measured, whole."""
        with self._lock:
            self._cells[stats.key] = stats
            self._cell_s[stats.key] = seconds

    def note_freezing(self, target: str, seconds: float) -> None:
        """So long went into freezing first answers, which happens once a run."""
        with self._lock:
            before = self._freezing_s.get(target, 0.0)
            self._freezing_s[target] = before + seconds

    def note_impossible(self, condition: Condition) -> None:
        """No arm can be measured there."""
        with self._lock:
            self._impossible.add(condition)

    def note_end(self, launch: LaunchPlan, record: LaunchRecord) -> None:
        """A launch is over, whether or not all its cells were measured."""
        with self._lock:
            self._ended.add(launch.index)
            self._records[launch.index] = record

    def note_wave(self, wave: Wave, seconds: float) -> None:
        """Launches at the same time took so long, from their start to their end, but
        for freezing first answers."""
        with self._lock:
            longest = max(
                sum(self._cell_s.get(cell, 0.0) for cell in launch.cells)
                for launch in wave
            )
            for launch in wave:
                self._overheads[launch.index] = max(0.0, seconds - longest)

    def done(self) -> Done:
        """What has been measured so far."""
        with self._lock:
            return Done(
                cells=tuple(self._cells.values()),
                cell_s=dict(self._cell_s),
                launches=tuple(self._records.values()),
                overheads=dict(self._overheads),
                freezing_s=dict(self._freezing_s),
                impossible=frozenset(self._impossible),
            )

    def startup_s(self, target: str) -> float:
        """Seconds that one more launch takes beside its cells; 0 while nothing is known
        of it, so that no guess keeps a search from beginning."""
        with self._lock:
            own = [
                self._overheads[launch.index]
                for launch in self._ran.values()
                if launch.target.label == target and launch.index in self._overheads
            ]
            recalled = [
                seconds
                for (label, _), seconds in self._recalled.startups.items()
                if label == target
            ]
        return fmean(own or recalled or [0.0])

    def grid(self, target: str | None = None) -> DurationEstimate:
        """The whole grid (of one target), by what is known now."""
        with self._lock:
            return self._grid(target)

    def _grid(self, target: str | None = None) -> DurationEstimate:
        waves = [
            wave for wave in self._plan.waves if target in (None, wave[0].target.label)
        ]
        known = replace(self._known(), ran=tuple(self._ran.values()))
        return estimate_whole(self._plan, waves, self._cell_s, known)

    def _at_most(self) -> tuple[float, str]:
        """Of a search: what is left of the grid's time, or of the budget."""
        grid = self._grid()
        left_s = max(0.0, grid.seconds - self._budget.elapsed_s)
        budget_s = self._budget.left_s
        if budget_s is not None and budget_s < left_s:
            return budget_s, "what is left of the budget"
        return left_s, f"what is left of the grid's time: {grid.basis}"

    def _known(self) -> Known:
        """A launch costs all that it takes beside its cells, once that is known."""
        return Known(
            startups={**self._startups, **self._overheads},
            speeds=self._speeds,
            ended=self._ended,
            recalled=self._recalled,
            impossible=frozenset(self._impossible),
        )
