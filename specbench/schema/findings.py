"""What was concluded: cell summaries with their warnings, and the whole of a run."""

from dataclasses import dataclass
from enum import StrEnum

from specbench.schema.acceptance import Acceptance, CategoryAcceptance
from specbench.schema.cell import CellKey
from specbench.schema.comparison import (
    ArmNoise,
    BreakEven,
    NoiseRecord,
    SpeedupCurve,
)
from specbench.schema.context import OverContext, PlannedOut


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
    """From counters; all requests of the cell, warm-up included."""
    acceptance_by_requests: Acceptance | None = None
    """From the figures of the same requests."""
    acceptance_difference: float | None = None
    """Acceptance length by requests / by counters - 1."""


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


@dataclass(frozen=True, slots=True)
class PromptLength:
    """How long the prompts were, by the server's count; warm-up left out."""

    mean: float
    shortest: int
    longest: int
    worst_off: float | None
    """How far the prompt that is furthest off lies from the wanted context, as a share
    of it; None where no length was asked for."""


@dataclass(frozen=True, slots=True)
class PrefillShare:
    """f of the formula of the step cost ratio: shares of the time of requests at full
    load that plain decode steps do not explain."""

    of_request: float
    """Of the whole request; for throughput."""
    of_decode: float
    """Of the time between its tokens (interleaved prefill); for TPOT."""
    plain_step_s: float
    """Mean time of the decode steps during which no request was in prefill, seconds."""
    plain_gaps: int
    """Chunk gaps behind that."""


class LatencyBasis(StrEnum):
    """Which requests the latencies of a cell are over."""

    FULL_LOAD = "requests during which all slots were busy"
    WHOLE_RUN = "all measured requests"
    FROM_DUE = "all measured requests, from the instant when each was due"
    """Of an open loop."""


@dataclass(frozen=True, slots=True)
class Goodput:
    """How many of the requests that were due in the window kept every limit of the
    `[slo]`."""

    rate: float
    """Of these, per second of the window."""
    good: int
    due: int
    """Measured requests that were due in the window, failed ones included."""
    unknown: int
    """Ended well, but have no figure for some limit, so that they do not count."""

    @property
    def share(self) -> float:
        """good / due."""
        return self.good / self.due


@dataclass(frozen=True, slots=True)
class Backlog:
    """Whether an open loop's server kept up with what arrived in the window."""

    due: int
    """Requests that were due inside the window, whatever became of them."""
    ended: int
    """Requests that ended inside it."""
    in_flight_first: float
    """Mean in flight in the window's first third."""
    in_flight_last: float
    """In its last third."""
    limit: float
    """Requests by which the number in flight may grow by chance."""

    @property
    def grows(self) -> bool:
        """Whether more arrived than ended, beyond chance."""
        thirds = self.in_flight_last - self.in_flight_first
        return max(self.due - self.ended, thirds) > self.limit


@dataclass(frozen=True, slots=True)
class OpenLoad:
    """What the summary of an open loop's cell holds beside that of a closed one."""

    arrival_rate: float | None
    """Requests per second that were due in the window; None without one."""
    send_delay: Distribution | None
    """Sent less due, seconds, over all requests of the cell."""
    send_delay_max_s: float | None
    backlog: Backlog | None
    """None without a window."""
    goodput: Goodput | None
    """None without a window or without an `[slo]`."""


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
    mean_tpot_by_token: float | None
    """Token-weighted mean of `tpot`, seconds: all decode time / all decode tokens."""
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
    window_completed: int | None
    """Requests that ended inside the window."""
    window_error: float | None
    """Relative standard error of the window's throughput, from its twelve parts."""
    prefill_share: PrefillShare | None
    """Of a cell without speculation."""
    gpu: GpuSummary | None
    missing: dict[str, str]
    """Field name -> why it is None."""
    latency_basis: LatencyBasis
    whole_run: WholeRun
    findings: tuple[Finding, ...] = ()
    open_load: OpenLoad | None = None
    """Of an open loop only; a closed one has no such thing to miss."""

    prompt_length: PromptLength | None = None
    acceptance_by_category: tuple[CategoryAcceptance, ...] | None = None
    """By category of the data set, of the requests that the latencies are over."""

    @property
    def is_void(self) -> bool:
        """Whether the cell takes part in nothing."""
        return any(f.severity is Severity.VOID for f in self.findings)


@dataclass(frozen=True, slots=True)
class RunFindings:
    """Everything that a report shows of a run."""

    cells: tuple[CellStats, ...]
    curves: tuple[SpeedupCurve, ...]
    break_evens: tuple[BreakEven, ...]
    noise: tuple[ArmNoise, ...]
    """How much the launches of each arm differed in this run."""
    prior: tuple[NoiseRecord, ...]
    """Launch noise of this machine, from A/A runs, that the intervals may rest on."""
    failed_launches: tuple[str, ...]
    """One line for each launch that did not serve: which, why, log path."""
    over_context: tuple[OverContext, ...] = ()
    """Arms that were compared at two contexts or more."""
    planned_out: tuple[PlannedOut, ...] = ()
    """What was not measured, since no arm could serve it."""
