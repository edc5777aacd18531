"""Reads stored runs. Opening one reads its manifest only; samples and snapshots are
read when asked for. A damaged file is a ResultsError that names it; a listing of
cells names the damaged ones beside the good ones, so that one bad cell costs one
cell."""

from dataclasses import dataclass
from pathlib import Path

from specbench.errors import InputError, ResultsError
from specbench.schema.record import CellRecord, LaunchRecord
from specbench.schema.sample import RequestSample
from specbench.schema.snapshot import MetricsSnapshot
from specbench.store.disk import read_bytes, read_text, results_errors
from specbench.store.format import from_json
from specbench.store.layout import (
    CELLS,
    MANIFEST,
    UNFINISHED,
    CellLayout,
    LaunchLayout,
    RunLayout,
    safe_name,
)
from specbench.store.manifest import Manifest, read_manifest
from specbench.store.samples_file import decode_samples
from specbench.store.snapshots_file import decode_snapshots

LATEST = "latest"
"""Names the run that started last, instead of a path."""


@dataclass(frozen=True, slots=True)
class StoredCell:
    """One cell; its record is read, the large files are not."""

    record: CellRecord
    layout: CellLayout

    def samples(self) -> tuple[RequestSample, ...]:
        """Read the requests. Raises ResultsError."""
        return decode_samples(read_bytes(self.layout.samples), str(self.layout.samples))

    def snapshots(self) -> tuple[MetricsSnapshot, ...]:
        """Read the readings of the metrics page. Raises ResultsError."""
        path = self.layout.snapshots
        return decode_snapshots(read_text(path), str(path))


@dataclass(frozen=True, slots=True)
class DamagedCell:
    """A cell folder that cannot be used."""

    name: str
    """Of the folder."""
    reason: str


@dataclass(frozen=True, slots=True)
class CellListing:
    """What lies in a run: every cell folder is in one of the two."""

    cells: tuple[StoredCell, ...]
    """In the order in which they were measured."""
    damaged: tuple[DamagedCell, ...]


@dataclass(frozen=True, slots=True)
class StoredRun:
    """A run on disk."""

    layout: RunLayout
    manifest: Manifest

    @classmethod
    def open(cls, folder: Path) -> "StoredRun":
        """Raises ResultsError where the folder holds no readable manifest."""
        layout = RunLayout(folder)
        return cls(layout, read_manifest(layout.manifest))

    @property
    def folder(self) -> Path:
        """The run's folder."""
        return self.layout.folder

    def launches(self) -> tuple[LaunchRecord, ...]:
        """All launches by index. Raises ResultsError where one cannot be read.

        A folder without a record is left out: the run was killed during that start.
        """
        paths = [LaunchLayout(path).record for path in _folders(self.layout.launches)]
        records = [
            from_json(LaunchRecord, read_text(path), str(path))
            for path in paths
            if path.exists()
        ]
        return tuple(sorted(records, key=lambda record: record.index))

    def cells(self) -> CellListing:
        """All cells; a damaged one is listed with the reason, not raised."""
        cells: list[StoredCell] = []
        damaged: list[DamagedCell] = []
        for folder in _folders(self.layout.cells):
            try:
                cells.append(_read_cell(CellLayout(folder)))
            except ResultsError as error:
                damaged.append(DamagedCell(folder.name, error.message))
        cells.sort(key=_order_measured)
        return CellListing(tuple(cells), tuple(damaged))

    def cell(self, cell_id: str) -> StoredCell:
        """One cell. Raises ResultsError where it is missing or damaged."""
        return _read_cell(self.layout.cell(cell_id))


def find_run(name: str, results: Path) -> Path:
    """Folder of a run: a path, a path below `results`, or `latest`.

    Raises InputError where there is no such run.
    """
    if name == LATEST:
        return _find_latest(results)
    for folder in (Path(name), results / name):
        # With cells but without a manifest it is a damaged run; opening it says so.
        if (folder / MANIFEST).is_file() or (folder / CELLS).is_dir():
            return folder
    raise InputError(
        f"no run at {name}: there is no {MANIFEST} in it",
        hint=f"give a run's folder (`<results>/<sweep>/<start>-<id>`) or `{LATEST}`",
    )


def open_run(name: str, results: Path) -> StoredRun:
    """`find_run` and open it. Raises InputError or ResultsError."""
    return StoredRun.open(find_run(name, results))


def list_run_folders(results: Path) -> tuple[Path, ...]:
    """Folders of all runs under a results folder, by start; none = empty."""
    found = [
        run
        for sweep in _folders(results)
        for run in _folders(sweep)
        if (run / MANIFEST).is_file()
    ]
    return tuple(sorted(found, key=lambda folder: folder.name))


def _find_latest(results: Path) -> Path:
    runs = list_run_folders(results)
    if not runs:
        raise InputError(
            f"no run in {results}",
            hint="make one with `specbench run SWEEP.toml`, or name another folder"
            " with --results",
        )
    return runs[-1]


def _read_cell(layout: CellLayout) -> StoredCell:
    path = layout.record
    record = from_json(CellRecord, read_text(path), str(path))
    if safe_name(record.key.cell_id) != layout.folder.name:
        raise ResultsError(
            f"{path}: is the record of {record.key.cell_id}, not of this folder"
        )
    for needed in (layout.samples, layout.snapshots):
        if not needed.is_file():
            raise ResultsError(f"{needed}: missing")
    return StoredCell(record, layout)


def _order_measured(cell: StoredCell) -> tuple[int, str, str]:
    record = cell.record
    return record.launch_index, record.started_utc, record.key.cell_id


def _folders(parent: Path) -> list[Path]:
    """Folders inside one, unfinished ones left out; a missing parent has none."""
    if not parent.is_dir():
        return []
    with results_errors("cannot read", parent):
        return sorted(
            path
            for path in parent.iterdir()
            if path.is_dir() and not path.name.startswith(UNFINISHED)
        )
