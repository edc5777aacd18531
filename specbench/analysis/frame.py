"""What a decision is made of: one curve's loads and the log figures of both arms, one
row a launch. Runs and imported points both come to this form."""

from dataclasses import dataclass

from specbench.schema.cell import Condition
from specbench.schema.comparison import Axis, SpeedupMetric, StepNeed

Table = tuple[tuple[float | None, ...], ...]
"""Natural logs, higher is better: one row a launch, one column a load; None = that cell
has no figure that counts."""


@dataclass(frozen=True, slots=True)
class LoadFrame:
    """One load of a curve."""

    condition: Condition
    x: float | None
    """Its place on the axis, above 0; None = unknown."""
    running_batch: float | None
    """The baseline's."""
    arm_running_batch: float | None
    missing: str | None = None
    """Why there is no speedup, where there is none."""
    need: StepNeed | None = None
    only_arm_queues: bool = False


@dataclass(frozen=True, slots=True)
class CurveFrame:
    """A curve without its figures."""

    target: str
    dataset: str
    context: int
    temperature: float
    arm: str
    metric: SpeedupMetric
    axis: Axis
    loads: tuple[LoadFrame, ...]
    """By rising load."""
