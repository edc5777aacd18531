"""An arm beside its baseline: speedups at each load, what the arm would need, where it
stops paying, and how much launches differ by themselves."""

from dataclasses import dataclass
from enum import StrEnum

from specbench.schema.cell import Condition
from specbench.schema.estimate import Estimate, Interval


class SpeedupMetric(StrEnum):
    """What a speedup compares; over 1 is better for the arm."""

    THROUGHPUT = "throughput"
    """Output throughput, arm / baseline."""
    TPOT = "tpot"
    """Median TPOT, baseline / arm."""
    TPOT_P95 = "tpot_p95"
    """95th percentile of TPOT, baseline / arm."""
    TTFT = "ttft"
    """Median TTFT, baseline / arm; open loop."""
    E2E = "e2e"
    """Median end-to-end latency, baseline / arm; open loop."""
    E2E_P95 = "e2e_p95"
    """95th percentile of the end-to-end latency, baseline / arm; open loop."""
    GOODPUT = "goodput"
    """Requests per second that keep the SLO, arm / baseline; open loop."""


CLOSED_LOOP = (
    SpeedupMetric.THROUGHPUT,
    SpeedupMetric.TPOT,
    SpeedupMetric.TPOT_P95,
)
"""Metrics that a closed loop is compared by."""
OPEN_LOOP = (
    SpeedupMetric.E2E,
    SpeedupMetric.E2E_P95,
    SpeedupMetric.TTFT,
    SpeedupMetric.TPOT,
    SpeedupMetric.TPOT_P95,
    SpeedupMetric.GOODPUT,
)
"""Metrics that an open loop is compared by; its throughput is what arrives."""


class Side(StrEnum):
    """On which side of 1 a speedup lies, as far as the launches can tell."""

    PAYS = "pays"
    LOSES = "loses"
    OPEN = "open"
    """Not told from 1."""
    UNKNOWN = "unknown"
    """There is no speedup at this load."""


@dataclass(frozen=True, slots=True)
class StepNeed:
    """Tokens per step: what a request gets from the arm, and what it would need for the
    arm to be as fast as its baseline (r, the step cost ratio). It pays where it gets
    more."""

    gets: Estimate
    needs: Estimate
    prefill_share: Estimate
    """f: share of the baseline's time that no plain decode step explains. Without a
    value `needs` is the apparent r, exact only where the speedup is 1."""
    is_apparent: bool
    note: str = ""
    """Why it is apparent, or what limits it; empty = nothing."""


@dataclass(frozen=True, slots=True)
class SpeedupPoint:
    """Arm against baseline at one load."""

    condition: Condition
    speedup: Estimate
    """Geometric mean over launches, their ratios' spread, and the 95 % interval."""
    running_batch: float | None
    """The baseline's, mean over launches."""
    arm_running_batch: float | None
    side: Side = Side.UNKNOWN
    need: StepNeed | None = None
    """None for metrics to which the formula does not apply."""
    only_arm_queues: bool = False
    """The arm's requests wait for admission at this load, the baseline's do not."""


class Axis(StrEnum):
    """On what a break-even is stated."""

    BATCH = "running batch"
    CONCURRENCY = "concurrency"
    """Where nobody knows the running batch, as with imported points."""
    CONTEXT = "context"
    RATE = "request rate"
    """Requests that arrive per second."""


@dataclass(frozen=True, slots=True)
class SpeedupCurve:
    """Speedup over load, everything else equal; points by rising load."""

    target: str
    dataset: str
    context: int
    temperature: float
    arm: str
    metric: SpeedupMetric
    points: tuple[SpeedupPoint, ...]


class BreakEvenOutcome(StrEnum):
    """Named answers; never a bare number."""

    PAYS_UP_TO = "pays up to"
    PAYS_FROM = "pays from"
    PAYS_EVERYWHERE = "pays everywhere measured"
    NEVER_PAYS = "never pays"
    SEVERAL = "several crossings"
    LOSES_BY_CAPACITY = "loses by capacity from"
    """It crosses downward at a load where only the arm queues for admission."""
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class Crossing:
    """One place where a curve crosses 1."""

    at: float | None
    """On the axis, interpolated: log speedup linear in log2 of the axis. None where
    the axis has no value at a neighbour."""
    interval: Interval | None
    """95 %, by itself."""
    joint_interval: Interval | None
    """Wide enough that all intervals of the run hold at once with 95 % (Bonferroni)."""
    no_interval: str | None
    """Why there is no interval."""
    concurrency: float
    """The same place on what was set from load to load: requests in flight, or in an
    open loop the rate."""
    concurrency_interval: Interval | None
    arm_batch: float | None
    """The same place on the arm's running batch."""
    below: SpeedupPoint
    """Measured neighbour below."""
    above: SpeedupPoint
    is_downward: bool
    running_batch: float | None = None
    """The same place on the baseline's running batch; None = unknown."""


@dataclass(frozen=True, slots=True)
class BreakEven:
    """Where one curve crosses 1, or the plain word why it does not."""

    curve: SpeedupCurve
    outcome: BreakEvenOutcome
    axis: Axis
    crossings: tuple[Crossing, ...]
    """One where it pays up to, pays from or loses by capacity; all of them where there
    are several. Undecided: where the curve would cross, if it crosses; at most one."""
    capacity_from: float | None
    """Concurrency (in an open loop: rate) from which the arm loses by capacity; None =
    it does not."""
    first_slower_concurrency: float | None
    """First measured concurrency (rate) where the arm is slower; None = nowhere."""
    note: str
    """How the outcome was reached."""
    next_step: str
    """What to measure next, where that would tell more; else empty."""

    @property
    def crossing(self) -> Crossing | None:
        """The one crossing of an answer that has one."""
        if self.outcome in (BreakEvenOutcome.UNDECIDED, BreakEvenOutcome.SEVERAL):
            return None
        return self.crossings[0] if self.crossings else None

    def loads(self, side: Side) -> tuple[float, ...]:
        """Concurrencies (rates) on this side of 1."""
        return tuple(p.condition.asked for p in self.curve.points if p.side is side)


@dataclass(frozen=True, slots=True)
class Component:
    """A variance of log figures, estimated."""

    variance: float
    """Never negative."""
    df: float
    """Degrees of freedom behind it."""


@dataclass(frozen=True, slots=True)
class LaunchNoise:
    """How much equal launches differ: log figures of one arm, or of a baseline against
    itself."""

    metric: SpeedupMetric
    launch: Component
    """Between launches: shared by all cells of a launch."""
    cell: Component
    """Between cells of equal launches, beyond that."""
    launches: int
    loads: int


@dataclass(frozen=True, slots=True)
class ArmNoise:
    """Launch noise of one arm in this run."""

    target: str
    dataset: str
    context: int
    temperature: float
    arm: str
    noise: LaunchNoise


@dataclass(frozen=True, slots=True)
class NoiseKey:
    """What launch noise holds for, and where it comes from."""

    model: str
    engine: str
    engine_version: str | None
    device: str
    """What one launch computes on, in words."""
    run_id: str
    measured_utc: str
    """ISO 8601."""
    settings: str = ""
    """Everything else that the noise holds for: arguments, workload, loads, sizes."""


@dataclass(frozen=True, slots=True)
class NoiseRecord:
    """The result of an A/A run, as it is kept for a machine."""

    target: str
    model: str
    engine: str
    engine_version: str | None
    device: str
    run_id: str
    measured_utc: str
    noise: tuple[LaunchNoise, ...]
    """One for each metric."""
    settings: str = ""
    """As in `NoiseKey`; a record without any fits no run."""
