"""What was concluded: cell summaries, speedups, break-evens, warnings."""

from dataclasses import dataclass
from enum import StrEnum

from specbench.schema.cell import CellKey, Condition
from specbench.schema.estimate import Estimate


class Severity(StrEnum):
    """What a finding does to a cell."""

    VOID = "void"
    """The cell takes part in nothing."""
    FLAG = "flag"
    """The cell counts; the reader should know."""


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that can spoil a figure, with advice."""

    severity: Severity
    code: str
    """Stable short name, e.g. `client-lag`."""
    message: str
    advice: str


@dataclass(frozen=True, slots=True)
class Distribution:
    """A latency over requests, in seconds."""

    n: int
    mean: float
    p50: float
    p90: float
    p95: float
    p99: float


@dataclass(frozen=True, slots=True)
class Acceptance:
    """What became of the drafts in the window."""

    drafts: float
    draft_tokens: float
    accepted_tokens: float
    rate: float | None
    """accepted / draft tokens."""
    length: float | None
    """1 + accepted / drafts."""
    by_position: tuple[float, ...] | None
    """accepted at i / drafts."""
    conditional_by_position: tuple[float | None, ...] | None
    """accepted at i / accepted at i-1."""
    source: str
    """Where the counts come from, e.g. `counters over the window`."""


@dataclass(frozen=True, slots=True)
class WholeRun:
    """Figures over every measured request and the whole duration, ramp and drain
    included: what `vllm bench serve` reports, kept so that people can reconcile."""

    duration_s: float | None
    output_throughput: float | None
    """tokens/s."""
    ttft: Distribution | None
    tpot: Distribution | None
    tpot_usual: Distribution | None
    itl: Distribution | None
    chunk_gap: Distribution | None
    e2e_latency: Distribution | None
    acceptance: Acceptance | None


@dataclass(frozen=True, slots=True)
class Drift:
    """Whether the load ran at one pace, from the window's first to its last third."""

    ratio: float
    """Output throughput of the last third / of the first."""
    limit: float
    """Factor, over 1, within which the ratio may lie by chance, either way."""

    @property
    def is_clear(self) -> bool:
        """Whether chance does not explain it."""
        return self.ratio * self.limit < 1 or self.ratio > self.limit


@dataclass(frozen=True, slots=True)
class GpuSummary:
    """The engine's GPUs while the cell was at load. None = NVML does not say."""

    temperature_max_c: int | None
    power_mean_w: float | None
    """Sum over the GPUs of each one's mean."""
    clock_ratio: float | None
    """Last / first SM clock inside the window, of the GPU that fell most."""
    slowdowns: tuple[str, ...] | None
    """Reasons for which clocks were not at their highest, of all readings at load."""
    foreign_pids: tuple[int, ...] | None
    """Other processes that computed on them at any time of the cell."""


class LatencyBasis(StrEnum):
    """Which requests the latencies of a cell are over."""

    FULL_LOAD = "requests during which all slots were busy"
    WHOLE_RUN = "all measured requests"


@dataclass(frozen=True, slots=True)
class CellStats:
    """One cell summarised. None = there is no such figure; `missing` says why."""

    key: CellKey
    completed: int
    """Requests that ended well, warm-up left out."""
    empty: int
    """Of these, the ones without any generated token."""
    failed: int
    errors: tuple[str, ...]
    """Distinct reasons of failed requests."""
    window_s: float | None
    in_flight: float | None
    running_batch: float | None
    waiting: float | None
    kv_usage: float | None
    output_throughput: float | None
    """tokens/s in the window."""
    request_throughput: float | None
    output_tokens: int | None
    """Over all completed requests; None where the server did not count them all."""
    tokens_exact: bool
    """False where some chunk's token count had to be spread evenly."""
    ttft: Distribution | None
    tpot: Distribution | None
    tpot_is_usual: bool
    """True where the first chunk's count was unknown and the usual form stands in."""
    tpot_usual: Distribution | None
    itl: Distribution | None
    chunk_gap: Distribution | None
    e2e_latency: Distribution | None
    acceptance: Acceptance | None
    tokens_per_step: float | None
    preemptions: float | None
    prefix_hit_rate: float | None
    looping_share: float | None
    mean_output_tokens: float | None
    finish_reasons: dict[str, int]
    client_lag_p99: float | None
    client_lag_watched: float | None
    """Share of the lag's probes that arrived, of those due."""
    client_cpu_share: float | None
    """CPU seconds per second, of the busiest client process."""
    window_share: float | None
    """Window / whole duration of the cell."""
    drift: Drift | None
    gpu: GpuSummary | None
    missing: dict[str, str]
    """Field name -> why it is None."""
    latency_basis: LatencyBasis
    whole_run: WholeRun
    findings: tuple[Finding, ...] = ()

    @property
    def is_void(self) -> bool:
        """Whether the cell takes part in nothing."""
        return any(f.severity is Severity.VOID for f in self.findings)


class SpeedupMetric(StrEnum):
    """What a speedup compares; over 1 is better for the arm."""

    THROUGHPUT = "throughput"
    TPOT = "tpot"


@dataclass(frozen=True, slots=True)
class SpeedupPoint:
    """Arm against baseline at one load."""

    condition: Condition
    speedup: Estimate
    running_batch: float | None
    """The baseline's, mean over launches."""
    arm_running_batch: float | None


@dataclass(frozen=True, slots=True)
class SpeedupCurve:
    """Speedup over load, everything else equal; points by rising concurrency."""

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
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class BreakEven:
    """Where one curve crosses 1, or the plain word why it does not."""

    curve: SpeedupCurve
    outcome: BreakEvenOutcome
    batch: float | None
    """The baseline's running batch at the crossing; interpolated."""
    concurrency: float | None
    """Concurrency at the crossing; interpolated in the same way."""
    below: SpeedupPoint | None
    """Measured neighbour below the crossing."""
    above: SpeedupPoint | None
    first_slower_concurrency: int | None
    """First measured concurrency where the arm is slower; None = nowhere."""
    note: str
    """How the outcome was reached and what would firm it up."""


@dataclass(frozen=True, slots=True)
class RunFindings:
    """Everything that a report shows of a run."""

    cells: tuple[CellStats, ...]
    curves: tuple[SpeedupCurve, ...]
    break_evens: tuple[BreakEven, ...]
    failed_launches: tuple[str, ...]
    """One line for each launch that did not serve: which, why, log path."""
