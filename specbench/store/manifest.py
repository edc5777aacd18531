"""What a run was: the one file that makes a folder a run. Written when the run starts
and again when it ends."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from specbench.errors import ResultsError
from specbench.schema.comparison import NoiseRecord
from specbench.schema.context import PlannedOut
from specbench.schema.host import HostFacts
from specbench.schema.record import DatasetUse, TextUse
from specbench.schema.search import SearchLog
from specbench.store.disk import read_text
from specbench.store.format import FORMAT_VERSION, from_json, parse_strict


class RunStatus(StrEnum):
    """How far a run came. A killed run stays `running`."""

    RUNNING = "running"
    FINISHED = "finished"
    INTERRUPTED = "interrupted"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Manifest:
    """Everything about a run that is no measurement."""

    format_version: int
    specbench_version: str
    measurement_version: int
    """Figures of two versions cannot be compared."""
    sweep_name: str
    sweep: dict[str, Any]
    """The sweep file after overrides and defaults, secrets left out."""
    host: HostFacts | None
    """The machine at the start; None when nothing was launched on it."""
    datasets: tuple[DatasetUse, ...]
    notes: tuple[str, ...]
    """What a reader should know of this run, one sentence each."""
    filler: str | None
    """The text that made prompts longer, with licence and hash; None = none did."""
    git_commit: str | None
    """Of the folder that the run was started in; None = not under git."""
    seeds: dict[str, int]
    """What each seed is for -> its value."""
    started_utc: str
    """ISO 8601."""
    finished_utc: str | None
    """None while it runs, and for ever when it was killed."""
    status: RunStatus
    error: str | None = None
    """Why it failed or was interrupted."""
    aa: bool = False
    """The baseline against itself; the arms of the sweep were left out."""
    noise: tuple[NoiseRecord, ...] = ()
    """Launch noise of this machine as it was known when the run began, at most one
    record for each target, under the target's label in this run."""
    searches: tuple[SearchLog, ...] = ()
    """What an adaptive search chose, by target; empty where the grid was measured."""
    texts: tuple[TextUse, ...] = ()
    """The texts of `filler`, one by one."""
    planned_out: tuple[PlannedOut, ...] = ()
    """What was not measured, since no arm could serve it."""


def add_notes(manifest: Manifest, notes: Iterable[str]) -> Manifest:
    """The manifest with more notes, none twice."""
    return replace(manifest, notes=tuple(dict.fromkeys((*manifest.notes, *notes))))


def read_manifest(path: Path) -> Manifest:
    """Raises ResultsError naming the file, also for a format of a later version."""
    text = read_text(path)
    try:
        document = parse_strict(text)
    except ValueError:
        document = None  # `from_json` says where and why
    version = document.get("format_version") if isinstance(document, dict) else None
    if isinstance(version, int) and version > FORMAT_VERSION:
        raise ResultsError(
            f"{path}: format {version}; this specbench reads up to {FORMAT_VERSION}",
            hint="read the run with the specbench that wrote it, or a later one",
        )
    return from_json(Manifest, text, str(path))
