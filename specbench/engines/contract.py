"""What an engine adapter has to answer. The order of calls in a launch:
`check_speculative` (while the sweep is checked) · `command` · the process starts ·
`find_cause` if it dies before it is healthy, else `read_facts` once ·
`request_extras` for each cell · `read_metrics` on stored pages, any time later, with
no engine installed. An adapter keeps no state between calls."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from specbench.schema.drafting import RequestDrafts
from specbench.schema.plan import AdmissionCaps
from specbench.schema.record import EngineFacts
from specbench.schema.snapshot import EngineCounters, EngineGauges
from specbench.schema.sweep import Scalar, Target


@dataclass(frozen=True, slots=True)
class LaunchRequest:
    """One engine start as specbench wants it."""

    target: Target
    speculative: dict[str, Any] | None
    """None for the baseline."""
    caps: AdmissionCaps
    host: str
    port: int
    engine_cpus: tuple[int, ...] | None
    """CPUs that the engine should compute on; None = its own choice."""
    model_name: str
    """Name under which it should serve the model."""
    help_text: str | None = None
    """What the engine's own help prints, where somebody has asked: a flag that it
    lacks is then left out. None = the flags of the version that the adapter knows."""
    folder: str = "."
    """Where the files of the launch will lie, its log among them."""


@dataclass(frozen=True, slots=True)
class LaunchCommand:
    """How to start the engine."""

    argv: tuple[str, ...]
    env: dict[str, str]
    """Variables to set beside those of the parent process."""
    files: dict[str, str] = field(default_factory=dict)
    """Files to write into the launch's folder before the start: name and content."""


@dataclass(frozen=True, slots=True)
class FactPages:
    """What the running engine said, as text; None = it has no such page."""

    version: str | None
    models: str | None
    metrics: str | None
    log: str
    """Start-up log; empty for a server that specbench did not start."""
    info: str | None = None
    """The server's own settings."""


class EngineAdapter(Protocol):
    """One engine in the words of specbench."""

    name: str
    """As the sweep file writes it."""
    package: str | None
    """The Python package that it is installed as: its own files tell which flags the
    version has. None = nothing depends on the version."""
    series_prefix: str
    """Metric series to keep begin with it."""
    health_path: str
    """Answers at once, and costs the engine nothing."""
    version_path: str
    """Asked where there is no `info_path`, or it does not answer."""
    info_path: str | None
    """A page of the server's own settings."""
    models_path: str
    metrics_path: str
    chat_path: str
    flush_path: str | None
    """Posted to between cells: the idle server then forgets what it has learnt and
    cached. None = it keeps nothing, or cannot be told to forget it."""
    counts_at_request_end: bool
    """Whether its acceptance counters move only when a request ends, so that they
    cannot be cut at a window's edges."""
    methods: tuple[str, ...]
    """Speculative methods of the version that the adapter was written for; empty =
    the adapter does not know them."""

    def command(self, request: LaunchRequest) -> LaunchCommand:
        """Raises InputError naming the key for arguments that collide with flags that
        specbench sets, and for an engine that cannot be launched."""
        ...

    def check_speculative(self, speculative: dict[str, Any]) -> None:
        """Raises InputError naming the key. Thin: only what is surely wrong; the
        engine itself checks the rest."""
        ...

    def learns_from_traffic(self, speculative: Mapping[str, Any], /) -> bool:
        """Whether an arm's drafter takes what it proposes from earlier requests, so
        that a cell that does not begin with an empty one is flattered."""
        ...

    def lossy_settings(
        self, speculative: Mapping[str, Any], settings: Mapping[str, Scalar], /
    ) -> tuple[str, ...]:
        """Settings of an arm (its `speculative`; `settings` are its target's `args`
        and `env` together) by which outputs no longer follow the target model's own
        distribution, each as `key = value`; empty = it is lossless as far as the
        adapter knows."""
        ...

    def request_extras(self) -> dict[str, Any]:
        """Keys of the request body that make the stream tell its token counts, and
        what became of the drafts."""
        ...

    def read_facts(self, pages: FactPages) -> EngineFacts:
        """Never raises: what a page does not say is None."""
        ...

    def read_metrics(self, text: str) -> tuple[EngineCounters, EngineGauges]:
        """Sums over engines; a series that is not there is None. Raises WireError for
        text that is no metrics page."""
        ...

    def read_request(self, figures: Mapping[str, Any], /) -> RequestDrafts | None:
        """What became of one request's drafts, from the engine's own figures on its
        stream. None = these figures do not say."""
        ...

    def find_cause(self, log: str) -> str:
        """Why the engine died while starting; one or more lines, never empty."""
        ...
