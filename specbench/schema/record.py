"""What a run stores: facts of each launch and each cell as observed. Summaries are
derived from these later and can be derived again."""

from dataclasses import dataclass, field

from specbench.schema.cell import CellKey
from specbench.schema.host import HostFacts
from specbench.schema.plan import CellSize


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


@dataclass(frozen=True, slots=True)
class ClientHealth:
    """How well the load generator itself kept up during the cell."""

    lag_p50_s: float | None
    lag_p99_s: float | None
    lag_max_s: float | None
    lag_samples: int
    cpu_share: float | None
    """CPU seconds of the client process per second of the cell."""


@dataclass(frozen=True, slots=True)
class CellRecord:
    """One cell, whole. Samples and snapshots lie beside it in files of their own."""

    key: CellKey
    launch_index: int
    size: CellSize
    started_utc: str
    duration_s: float
    client: ClientHealth


@dataclass(frozen=True, slots=True)
class DatasetUse:
    """A data set as this run used it."""

    name: str
    path: str
    sha256: str
    used: int
    skipped: tuple[str, ...]
    """One line for each entry that was left out: where and why."""
