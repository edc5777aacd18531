"""Writes a run as it happens: the manifest at the start and the end, each launch, each
cell. A cell's folder is complete or absent; raw data are written once. A failure of
the disk is a ResultsError, and what was stored before it stays."""

import dataclasses
import threading
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Self

from specbench.schema.record import CellRecord, LaunchRecord
from specbench.schema.sample import RequestSample
from specbench.schema.snapshot import MetricsSnapshot
from specbench.store.derived import DerivedWriter
from specbench.store.disk import (
    make_folder,
    make_new_folder,
    write_file,
    write_folder,
)
from specbench.store.format import to_json
from specbench.store.layout import RunLayout, run_folder_name, safe_name
from specbench.store.manifest import Manifest, RunStatus, read_manifest
from specbench.store.samples_file import encode_samples
from specbench.store.secrets import redact_argv, redact_document, redact_env
from specbench.store.snapshots_file import encode_snapshots


class RunWriter:
    """One run folder that is being written. Threads may write to it at once."""

    def __init__(self, layout: RunLayout, manifest: Manifest) -> None:
        self.layout = layout
        self.manifest = manifest
        self._lock = threading.Lock()

    @classmethod
    def create(
        cls, results: Path, manifest: Manifest, started: datetime, short_id: str
    ) -> Self:
        """Make `<results>/<sweep name>/<utc start>-<short id>/`, which must be new."""
        folder = (
            results
            / safe_name(manifest.sweep_name)
            / run_folder_name(started, short_id)
        )
        make_new_folder(folder)
        writer = cls(RunLayout(folder), manifest)
        make_folder(writer.layout.launches)
        make_folder(writer.layout.cells)
        writer.write_manifest(manifest)
        return writer

    @classmethod
    def reopen(cls, folder: Path) -> Self:
        """Go on with a stored run, or add derived files to it."""
        layout = RunLayout(folder)
        return cls(layout, read_manifest(layout.manifest))

    @property
    def folder(self) -> Path:
        """The run's folder."""
        return self.layout.folder

    def write_manifest(self, manifest: Manifest) -> None:
        """Replace the manifest."""
        public = dataclasses.replace(manifest, sweep=redact_document(manifest.sweep))
        with self._lock:
            write_file(self.layout.manifest, _json_file(public))
            self.manifest = public

    def finish(
        self, status: RunStatus, finished: datetime, error: str | None = None
    ) -> None:
        """Say in the manifest how the run ended."""
        self.write_manifest(
            dataclasses.replace(
                self.manifest,
                status=status,
                finished_utc=finished.isoformat(),
                error=error,
            )
        )

    def log_path(self, index: int) -> Path:
        """Where launch `index` writes its output; the folder is there."""
        launch = self.layout.launch(index)
        make_folder(launch.folder)
        return launch.log

    def write_launch(self, record: LaunchRecord) -> None:
        """Write a launch; again when more is known of it."""
        public = dataclasses.replace(
            record, command=redact_argv(record.command), env=redact_env(record.env)
        )
        launch = self.layout.launch(record.index)
        with self._lock:
            make_folder(launch.folder)
            write_file(launch.record, _json_file(public))

    def write_cell(
        self,
        record: CellRecord,
        samples: Sequence[RequestSample],
        snapshots: Sequence[MetricsSnapshot],
    ) -> None:
        """Write a whole cell, once."""
        cell = self.layout.cell(record.key.cell_id)
        files = {
            cell.record.name: _json_file(record),
            cell.samples.name: encode_samples(samples),
            cell.snapshots.name: encode_snapshots(snapshots),
        }
        with self._lock:
            write_folder(cell.folder, files)

    def write_text(self, name: str, text: str) -> Path:
        """Write or replace a derived file, e.g. `report.md`; where it lies."""
        return self.write_bytes(name, text.encode())

    def write_bytes(self, name: str, data: bytes) -> Path:
        """Write or replace a derived file, e.g. `plots/speedup.png`."""
        with self._lock:
            return DerivedWriter(self.folder).write_bytes(name, data)


def _json_file(value: object) -> bytes:
    return (to_json(value, indent=2) + "\n").encode()
