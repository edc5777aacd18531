"""Measurements of others as points: what was measured under which setting, and what was
concluded from points that belong together."""

from dataclasses import dataclass
from enum import StrEnum

from specbench.schema.comparison import BreakEven, SpeedupMetric
from specbench.schema.context import CriticalContext

BASELINE_DRAFTER = "none"
"""Marks the points without speculation."""


class PointForm(StrEnum):
    """What a row of a file of points holds."""

    MEASURED = "measurements of single arms"
    SPEEDUPS = "ready speedups"
    """One value a point, made by somebody else, without a spread."""

    @property
    def load(self) -> str:
        """The column that says how many requests there are at once."""
        return "concurrency" if self is PointForm.MEASURED else "batch"


@dataclass(frozen=True, slots=True)
class Setting:
    """All that two arms must agree in. Empty or None = not given, which equals only
    not given."""

    source: str
    gpu: str
    engine: str
    engine_version: str
    model: str
    weights: str
    kv_cache: str
    dataset: str
    context: int | None
    """Prompt tokens."""
    note: str
    """Of ready speedups: a condition in words, which parts points as any other does."""


@dataclass(frozen=True, slots=True)
class PointArm:
    """One way to serve."""

    drafter: str
    k: str
    """Draft tokens as the source says them; a number or a word."""
    label: str
    """The name that the file gives it; may be empty."""

    @property
    def is_baseline(self) -> bool:
        """Whether nothing is drafted."""
        return self.drafter == BASELINE_DRAFTER

    @property
    def name(self) -> str:
        """What it is called."""
        return self.label or (f"{self.drafter} k={self.k}" if self.k else self.drafter)


BASELINE_ARM = PointArm(drafter=BASELINE_DRAFTER, k="", label="")
"""All baselines of a setting are one arm, whatever the file calls them."""


@dataclass(frozen=True, slots=True)
class Point:
    """One row of a file."""

    setting: Setting
    arm: PointArm
    load: int
    """Requests in flight; of ready speedups the batch that the source names."""
    replicate: int
    figures: dict[SpeedupMetric, float]
    """Above zero, in the file's unit; of ready speedups the speedup. A metric without
    a figure is not there."""


@dataclass(frozen=True, slots=True)
class PointTable:
    """A file of points."""

    name: str
    """Path as it was given."""
    form: PointForm
    points: tuple[Point, ...]
    notes: tuple[str, ...] = ()
    """What was left out in reading."""


@dataclass(frozen=True, slots=True)
class PointAnswer:
    """What the points of one arm say."""

    setting: Setting
    """Of an answer over contexts without a context."""
    arm: PointArm
    break_even: BreakEven
    load: int | None = None
    """Of an answer over contexts: at which load."""
    critical: CriticalContext | None = None
    """Of an answer over contexts: the same for all loads of the arm."""


@dataclass(frozen=True, slots=True)
class PointFindings:
    """Everything that a report of points shows."""

    name: str
    form: PointForm
    answers: tuple[PointAnswer, ...]
    """Over the load."""
    over_context: tuple[PointAnswer, ...]
    """Over the context, at one load each."""
    notes: tuple[str, ...]
