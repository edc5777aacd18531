"""Where the files of a run lie. Paths only, nothing here touches the disk. Names that
come from data (sweeps, cells, plots) become one safe path component each, so that no
file can lie outside its folder."""

import hashlib
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath

MANIFEST = "manifest.json"
LAUNCHES = "launches"
CELLS = "cells"
UNFINISHED = ".unfinished-"
"""Begins the name of a file or folder that is still being written."""

_RAW = frozenset({MANIFEST, LAUNCHES, CELLS})
_MAX_NAME_BYTES = 200
"""Most file systems take 255; the rest is for `UNFINISHED` and suffixes."""


def safe_name(text: str) -> str:
    """One path component that says `text` as far as a file name can.

    Letters, digits, `.`, `_` and `-` stay; a long name is cut and gets a hash of the
    whole, so that two long names stay two.
    """
    kept = "".join(ch if ch.isalnum() or ch in "._-" else "-" for ch in text)
    # "", "." and ".." name no file of their own, and a leading dot would hide it.
    name = "_" + kept[1:] if kept.startswith(".") else kept or "_"
    encoded = name.encode()
    if len(encoded) <= _MAX_NAME_BYTES:
        return name
    mark = "-" + hashlib.sha256(text.encode()).hexdigest()[:12]
    cut = encoded[: _MAX_NAME_BYTES - len(mark)].decode(errors="ignore")
    return cut + mark


def run_folder_name(started: datetime, short_id: str) -> str:
    """`<utc start>-<short id>`; names sort by start."""
    stamp = started.astimezone(UTC).strftime("%Y%m%dT%H%M%SZ")
    return f"{stamp}-{safe_name(short_id)}"


@dataclass(frozen=True, slots=True)
class RunLayout:
    """Paths inside one run folder."""

    folder: Path

    @property
    def manifest(self) -> Path:
        """What the run was; a folder without it is no run."""
        return self.folder / MANIFEST

    @property
    def launches(self) -> Path:
        """One folder for each launch, named by its index."""
        return self.folder / LAUNCHES

    @property
    def cells(self) -> Path:
        """One folder for each cell that was measured to the end of its writing."""
        return self.folder / CELLS

    def launch(self, index: int) -> "LaunchLayout":
        """Paths of one launch."""
        return LaunchLayout(self.launches / str(index))

    def cell(self, cell_id: str) -> "CellLayout":
        """Paths of one cell."""
        return CellLayout(self.cells / safe_name(cell_id))

    def derived(self, name: str) -> Path:
        """Path of a file that can be made again, such as `plots/speedup.png`.

        Raises ValueError for a name that leaves the folder or names raw data: such
        names come from code, not from people.
        """
        parts = PurePosixPath(name).parts
        is_safe = parts and all(part == safe_name(part) for part in parts)
        if not is_safe or parts[0] in _RAW:
            raise ValueError(f"not a name for a derived file: {name!r}")
        return self.folder.joinpath(*parts)


@dataclass(frozen=True, slots=True)
class LaunchLayout:
    """Paths of one launch."""

    folder: Path

    @property
    def record(self) -> Path:
        """`LaunchRecord` as JSON."""
        return self.folder / "launch.json"

    @property
    def log(self) -> Path:
        """The engine's own output."""
        return self.folder / "engine.log"


@dataclass(frozen=True, slots=True)
class CellLayout:
    """Paths of one cell."""

    folder: Path

    @property
    def record(self) -> Path:
        """`CellRecord` as JSON."""
        return self.folder / "record.json"

    @property
    def samples(self) -> Path:
        """One row for each request."""
        return self.folder / "samples.parquet"

    @property
    def snapshots(self) -> Path:
        """One JSON line for each reading of the metrics page."""
        return self.folder / "snapshots.jsonl"
