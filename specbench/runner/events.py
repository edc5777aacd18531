"""What happens during a run, told to whoever shows it. Values only. Launches that run
side by side tell in turn; `place` says which of them it is."""

from collections.abc import Callable
from dataclasses import dataclass

from specbench.schema.cell import CellKey
from specbench.schema.findings import CellStats
from specbench.schema.plan import LaunchPlan, SweepPlan
from specbench.schema.record import EngineFacts
from specbench.schema.search import SearchRound


@dataclass(frozen=True, slots=True)
class SweepStarted:
    """The plan is checked and the run folder is there."""

    plan: SweepPlan
    folder: str


@dataclass(frozen=True, slots=True)
class RoundStarted:
    """A search has chosen what the next launch of each arm of a target measures."""

    target: str
    round: SearchRound


@dataclass(frozen=True, slots=True)
class Remark:
    """Something to know beside the measurement: it did not go as it should, or part of
    it is left out."""

    words: str


@dataclass(frozen=True, slots=True)
class LaunchStarted:
    """An engine is being started (or a running server is taken up)."""

    launch: LaunchPlan
    log_path: str | None


@dataclass(frozen=True, slots=True)
class LaunchWaiting:
    """The engine is not ready yet."""

    elapsed_s: float
    last_line: str
    is_downloading: bool
    place: int = 0


@dataclass(frozen=True, slots=True)
class LaunchReady:
    """The engine serves."""

    launch: LaunchPlan
    seconds: float | None
    facts: EngineFacts


@dataclass(frozen=True, slots=True)
class LaunchFailed:
    """The engine did not serve; the sweep goes on with the next launch."""

    launch: LaunchPlan
    reason: str
    log_path: str | None


@dataclass(frozen=True, slots=True)
class Freezing:
    """First answers are being frozen for the second turns."""

    done: int
    total: int
    place: int = 0


@dataclass(frozen=True, slots=True)
class CellStarted:
    """A cell begins."""

    key: CellKey
    requests: int
    number: int
    """Position among all cells of the run, from 1."""
    total: int | None
    """None where a search chooses the cells: nobody knows yet."""
    remaining_s: float
    """Estimated time to the end of the run, this cell included; of a search at
    most."""
    basis: str
    """What the estimate rests on."""
    place: int = 0


@dataclass(frozen=True, slots=True)
class CellProgress:
    """So many requests of the running cell have ended."""

    done: int
    place: int = 0


@dataclass(frozen=True, slots=True)
class CellEnded:
    """A cell is measured and stored."""

    stats: CellStats
    seconds: float
    place: int = 0


@dataclass(frozen=True, slots=True)
class CellFailed:
    """A cell could not be measured to its end."""

    key: CellKey
    reason: str
    place: int = 0


Event = (
    SweepStarted
    | RoundStarted
    | Remark
    | LaunchStarted
    | LaunchWaiting
    | LaunchReady
    | LaunchFailed
    | Freezing
    | CellStarted
    | CellProgress
    | CellEnded
    | CellFailed
)
Listener = Callable[[Event], None]
