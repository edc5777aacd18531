"""An arm over the contexts: from which one it pays at a given load, from which one its
speedup grows with the load, and what was not measured since it does not fit."""

from dataclasses import dataclass
from enum import StrEnum

from specbench.schema.cell import Condition
from specbench.schema.comparison import BreakEven, SpeedupMetric


class CriticalOutcome(StrEnum):
    """Whether there is a context from which speedup grows with the load."""

    BETWEEN = "between two contexts"
    GROWS_EVERYWHERE = "grows at every context measured"
    FALLS_EVERYWHERE = "falls at every context measured"
    REVERSED = "grows at the shorter contexts and falls at the longer ones"
    SEVERAL = "the trend changes more than once"
    UNDECIDED = "undecided"
    """Some trend is not told from none, and with it the outcome."""
    UNKNOWN = "fewer than two contexts have two loads"


class Direction(StrEnum):
    """How speedup goes with the load, as far as launches can tell."""

    GROWS = "grows"
    FALLS = "falls"
    OPEN = "open"
    """Not told from staying as it is."""


@dataclass(frozen=True, slots=True)
class LoadTrend:
    """How speedup goes with the load at one context."""

    context: int
    slope: float
    """Change of the natural log of the speedup at each doubling of the load."""
    error: float | None
    """Its standard error; None = nothing is known of the noise."""
    direction: Direction
    """Without knowledge of the noise by the sign; no slope at all falls."""


@dataclass(frozen=True, slots=True)
class CriticalContext:
    """Where speedup begins to grow with the load instead of falling."""

    outcome: CriticalOutcome
    below: int | None
    """Largest context at which it falls; None unless it lies between two."""
    above: int | None
    """Smallest context at which it grows."""
    trends: tuple[LoadTrend, ...]
    """By rising context."""


@dataclass(frozen=True, slots=True)
class OverContext:
    """One arm over the contexts of a run, by one metric."""

    target: str
    dataset: str
    temperature: float
    arm: str
    metric: SpeedupMetric
    break_evens: tuple[BreakEven, ...]
    """On the axis of contexts, one for each load that has a speedup at two of them, by
    rising load."""
    critical: CriticalContext


@dataclass(frozen=True, slots=True)
class PlannedOut:
    """A condition that no arm can serve; it is not measured."""

    condition: Condition
    why: str
    """Fits behind `context 4096 at concurrency 16:`."""
