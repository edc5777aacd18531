"""A recorded set of one engine's output, as it lies in memory. `docs/engines.md` says
which files there are and what each holds."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from specbench.schema.sweep import Scalar

LOG = "start.log"
IDLE = "metrics-idle.txt"
LOAD = "metrics-load.txt"
AFTER = "metrics-after.txt"
STREAM_ENDING = ".sse"
FLAGS = "flags.txt"
"""What the engine's help prints, or the names of its flags."""


@dataclass(frozen=True, slots=True)
class ArmCapture:
    """One server: its pages and its streams, by file name."""

    name: str
    speculates: bool
    served_model_name: str | None
    pages: Mapping[str, str]
    streams: Mapping[str, bytes]
    expected: Mapping[str, Scalar] = field(default_factory=dict)
    """Facts that its command line settles, by the names of `EngineFacts`."""
    traffic: tuple[str, ...] | None = None
    """Streams that were all that happened between the idle page and the last one.
    None = other requests may have been answered too."""

    def place(self, name: str) -> str:
        """A file of the arm, as it is named to people."""
        return f"{self.name}/{name}"


@dataclass(frozen=True, slots=True)
class CaptureSet:
    """All of one engine in one version."""

    engine: str
    version: str | None
    arms: tuple[ArmCapture, ...]
    failures: Mapping[str, str]
    """Logs of starts that failed, by name."""
    causes: Mapping[str, str]
    """What the cause of a failed start must hold, by the same names."""
    stream_errors: Mapping[str, str]
    """Streams that broke off, as `arm/file`, and what their error must hold."""
    flags: str | None = None


def page_name(path: str) -> str:
    """The file of a page: the last part of its path, as JSON. `/v1/models` ->
    `models.json`, `/server_info` -> `server-info.json`."""
    last = path.partition("?")[0].rstrip("/").rsplit("/", 1)[-1]
    return last.replace("_", "-") + ".json"
