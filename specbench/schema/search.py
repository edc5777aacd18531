"""What an adaptive search chose, round by round, what it left out, and why it ended."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from specbench.schema.cell import Condition


class StopReason(StrEnum):
    """Why the search measures no more for a curve."""

    PRECISE = "precise"
    """The interval of its crossing is as narrow as was asked for."""
    DECIDED = "decided"
    """It has an answer without a crossing, and no load could change it."""
    HOPELESS = "within the noise"
    """More launches would hardly tell the arm from its baseline."""
    GRID_COST = "the grid's cost is spent"
    """The cells have taken as long as the whole grid would have."""
    BUDGET = "the budget is spent"
    LOST = "the arm failed"


@dataclass(frozen=True, slots=True, order=True)
class CurveName:
    """A curve of a target: everything but the load."""

    dataset: str
    context: int
    temperature: float
    arm: str


@dataclass(frozen=True, slots=True)
class SearchRound:
    """What the next launch of each arm of a target measures: one launch of the baseline
    and of each arm named here, in balanced order."""

    number: int
    """From 1; the replicate of its launches."""
    cells: Mapping[str, tuple[Condition, ...]]
    """By arm, the baseline included; an arm that is not here is not launched."""
    why: str
    """In words, for people."""


@dataclass(frozen=True, slots=True)
class CurveEnd:
    """Why the search stopped for one curve."""

    curve: CurveName
    reason: StopReason
    words: str
    """With the figures behind it."""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A load of the sweep file that was measured fewer times than a grid would have."""

    curve: CurveName
    load: float
    """Concurrency, or requests per second."""
    launches: int
    """In how many launches of the arm it was measured; 0 = in none."""
    why: str


@dataclass(frozen=True, slots=True)
class SearchEnd:
    """The search of a target is over."""

    ends: tuple[CurveEnd, ...]
    left_out: tuple[LeftOut, ...]


@dataclass(frozen=True, slots=True)
class SearchLog:
    """The whole search of one target, as it is kept with the run."""

    target: str
    rounds: tuple[SearchRound, ...]
    end: SearchEnd | None
    """None = it was interrupted."""
    seconds: float
    """Machine time from the first launch to the end, but for freezing first
    answers."""
    grid_seconds: float | None
    """What the grid would have taken, by the same cells' times; None = not known."""
    cell_seconds: float = 0.0
    """Of `seconds`, what the cells took."""
    grid_cell_seconds: float | None = None
    """Of `grid_seconds`, the cells; as far as a cell was not measured, by its
    neighbours' times."""
