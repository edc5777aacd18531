"""What a run stores: facts of each launch and each cell as observed. Summaries are
derived from these later and can be derived again."""

from dataclasses import dataclass, field

from specbench.schema.cell import CellKey
from specbench.schema.drafting import Drafter
from specbench.schema.host import HostFacts
from specbench.schema.plan import CellSize
from specbench.schema.snapshot import Phase


@dataclass(frozen=True, slots=True)
class EngineFacts:
    """What the running engine says of itself. None = it does not say."""

    engine: str
    version: str | None
    model_id: str | None
    """Name under which it serves the model."""
    max_model_len: int | None
    kv_capacity_tokens: int | None
    kv_max_concurrency: float | None
    """Requests of full context length that fit into the KV cache at once."""
    max_num_seqs: int | None
    max_num_batched_tokens: int | None
    prefix_caching: bool | None
    notes: tuple[str, ...] = ()
    """Settings that the engine changed by itself, in its own words."""
    cuda_graph_max_tokens: int | None = None
    """Tokens in the largest step that runs as a CUDA graph; None = it does not say, or
    uses no graphs."""
    drafter: Drafter | None = None


@dataclass(frozen=True, slots=True)
class LaunchRecord:
    """One engine start, or one pass over a server that was already running."""

    index: int
    target: str
    arm: str
    replicate: int
    command: tuple[str, ...]
    """argv; empty for a server that specbench did not start."""
    env: dict[str, str] = field(default_factory=dict)
    """Variables that specbench set for it (no secrets)."""
    url: str = ""
    started_utc: str = ""
    ready_s: float | None = None
    """Launch to ready, seconds; None when it never was."""
    facts: EngineFacts | None = None
    error: str | None = None
    """Why it failed; None when it served."""
    log_path: str | None = None
    """Relative to the run folder."""
    host: HostFacts | None = None
    """The machine just before this launch."""
    place: int = 0
    """Which of the machine's places it ran on, from 0."""
    gpus: tuple[str, ...] = ()
    """Its GPUs, as entries of CUDA_VISIBLE_DEVICES; empty = none of its own, or not
    known."""


@dataclass(frozen=True, slots=True)
class ClientHealth:
    """How well the load generator itself kept up during the cell."""

    lag_p50_s: float | None
    """Lag: a probe's stamp in the client's socket callback less the instant at which
    another process sent it; what a chunk's stamp is late by."""
    lag_p99_s: float | None
    lag_max_s: float | None
    lag_samples: int
    cpu_share: float | None
    """CPU seconds per second of the cell, of the busiest client process."""
    processes: int = 1
    """Processes over which the load was spread."""
    lag_expected: int | None = None
    """Probes that would have been sent had nothing held them up; None = unknown."""


@dataclass(frozen=True, slots=True)
class GpuReading:
    """One of the engine's GPUs at one moment of a cell. None = NVML does not say."""

    phase: Phase
    instant_ns: int
    """Monotonic, just before the GPU was asked."""
    index: int
    """NVML's own number of it."""
    uuid: str | None
    temperature_c: int | None
    sm_clock_mhz: int | None
    power_w: float | None
    slowdowns: tuple[str, ...] | None
    """Why its clocks are not at their highest, e.g. `sw_power_cap`; empty = they
    are."""
    memory_used_bytes: int | None
    foreign_pids: tuple[int, ...] | None
    """Processes that compute on it and are not the engine's; None = they cannot be
    listed, or not be told from the engine's."""


@dataclass(frozen=True, slots=True)
class CellRecord:
    """One cell, whole. Samples and snapshots lie beside it in files of their own."""

    key: CellKey
    launch_index: int
    size: CellSize
    started_utc: str
    duration_s: float
    client: ClientHealth
    gpu: tuple[GpuReading, ...] = ()
    """Of the engine's GPUs while the cell ran; empty = none was read."""
    not_flushed: str | None = None
    """Why the engine could not be made to forget what came before the cell; None = it
    was, or it keeps nothing."""


@dataclass(frozen=True, slots=True)
class DatasetUse:
    """A data set as this run used it."""

    name: str
    path: str
    sha256: str
    used: int
    skipped: tuple[str, ...]
    """One line for each entry that was left out: where and why."""


@dataclass(frozen=True, slots=True)
class TextUse:
    """A text that made prompts longer."""

    name: str
    """What it is, or the file as the sweep names it."""
    licence: str
    """SPDX, or that it is not known."""
    sha256: str
    words: int
    """How long it is."""
