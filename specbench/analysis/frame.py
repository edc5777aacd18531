"""What a decision is made of: one curve's loads and the log figures of both arms, one
row a launch. Runs and imported points both come to this form."""

from dataclasses import dataclass

from specbench.schema.cell import Condition
from specbench.schema.comparison import Axis, SpeedupMetric, StepNeed

LAUNCH = "launch"
"""A row that this machine can measure again."""

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
    arrivals: int | None = None
    """Requests that were measured of an open loop; None = a closed one, or unknown."""


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
    replicate: str = LAUNCH
    """What a row of the tables is called."""
    why_no_interval: str = ""
    """Said in place of the usual reason, where rows are measurements of others."""

    def counted(self, count: int) -> str:
        """`1 launch`, `2 launches`."""
        plural = "launches" if self.replicate == LAUNCH else f"{self.replicate}s"
        return f"{count} {self.replicate if count == 1 else plural}"
