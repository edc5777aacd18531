"""A run as it is written: complete or absent, no secrets, errors with a hint."""

import dataclasses
import errno
import json
import os
import threading
from datetime import UTC, datetime
from pathlib import Path

import pytest

from specbench.errors import ResultsError
from specbench.store.layout import UNFINISHED
from specbench.store.manifest import RunStatus, read_manifest
from specbench.store.reader import StoredRun
from specbench.store.writer import RunWriter
from tests.unit.store.examples import (
    example_cell,
    example_launch,
    example_manifest,
    example_sample,
    example_snapshot,
)
from tests.unit.store.test_noise_file import RECORD

_START = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)


def _create(results: Path) -> RunWriter:
    return RunWriter.create(results, example_manifest(), _START, "a1b2c3")


def _all_names(folder: Path) -> set[str]:
    return {path.name for path in folder.rglob("*")}


def test_a_run_lies_under_its_sweep_and_start(tmp_path: Path) -> None:
    writer = _create(tmp_path)
    assert writer.folder == tmp_path / "chat" / "20261130T090000Z-a1b2c3"
    assert read_manifest(writer.folder / "manifest.json") == example_manifest()


def test_a_sweep_name_cannot_leave_the_results_folder(tmp_path: Path) -> None:
    manifest = dataclasses.replace(example_manifest(), sweep_name="../../x")
    writer = RunWriter.create(tmp_path / "results", manifest, _START, "a1b2c3")
    assert writer.folder.parent.parent == tmp_path / "results"


def test_a_run_folder_is_never_shared(tmp_path: Path) -> None:
    _create(tmp_path)
    with pytest.raises(ResultsError, match="a1b2c3"):
        _create(tmp_path)


def test_finishing_says_how_and_when(tmp_path: Path) -> None:
    writer = _create(tmp_path)
    writer.finish(RunStatus.INTERRUPTED, datetime(2026, 11, 30, 10, tzinfo=UTC), "^C")
    manifest = read_manifest(writer.layout.manifest)
    assert manifest.status is RunStatus.INTERRUPTED
    assert manifest.finished_utc == "2026-11-30T10:00:00+00:00"
    assert manifest.error == "^C"


def test_a_cell_is_a_folder_of_three_files_and_nothing_unfinished(
    tmp_path: Path,
) -> None:
    writer = _create(tmp_path)
    writer.write_cell(example_cell(), [example_sample()], [example_snapshot()])
    (folder,) = writer.layout.cells.iterdir()
    assert folder.name == example_cell().key.cell_id
    assert _all_names(folder) == {"record.json", "samples.parquet", "snapshots.jsonl"}


def test_a_cell_is_written_once(tmp_path: Path) -> None:
    writer = _create(tmp_path)
    writer.write_cell(example_cell(), [], [])
    with pytest.raises(ResultsError, match="exists already"):
        writer.write_cell(example_cell(), [example_sample()], [])
    assert StoredRun.open(writer.folder).cells().cells[0].samples() == ()


def test_a_cell_whose_writing_fails_is_absent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer = _create(tmp_path)
    synced: list[int] = []

    def full_at_the_third_file(descriptor: int) -> None:
        synced.append(descriptor)
        if len(synced) == 3:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full_at_the_third_file)
    with pytest.raises(ResultsError, match="No space left") as caught:
        writer.write_cell(example_cell(), [example_sample()], [example_snapshot()])
    assert "free some space" in caught.value.hint
    assert list(writer.layout.cells.iterdir()) == []


def test_what_a_killed_writer_left_does_not_stop_the_next_one(tmp_path: Path) -> None:
    writer = _create(tmp_path)
    left = writer.layout.cells / (UNFINISHED + example_cell().key.cell_id)
    left.mkdir()
    (left / "samples.parquet").write_bytes(b"half")
    assert StoredRun.open(writer.folder).cells().cells == ()
    writer.write_cell(example_cell(), [example_sample()], [])
    (cell,) = StoredRun.open(writer.folder).cells().cells
    assert cell.samples() == (example_sample(),)
    assert not left.exists()


def test_a_failed_replacement_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer = _create(tmp_path)
    writer.write_text("report.md", "old")

    def refuse(_descriptor: int) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    monkeypatch.setattr(os, "fsync", refuse)
    with pytest.raises(ResultsError, match=r"report\.md") as caught:
        writer.write_text("report.md", "new")
    assert "--results" in caught.value.hint
    assert (writer.folder / "report.md").read_text() == "old"
    assert UNFINISHED + "report.md" not in _all_names(writer.folder)


def test_results_under_a_file_are_an_error_with_the_path(tmp_path: Path) -> None:
    (tmp_path / "results").write_text("")
    with pytest.raises(ResultsError, match="results"):
        _create(tmp_path / "results")


def test_a_launch_can_be_written_again_when_more_is_known(tmp_path: Path) -> None:
    writer = _create(tmp_path)
    assert writer.log_path(1) == writer.folder / "launches" / "1" / "engine.log"
    writer.write_launch(example_launch())
    failed = dataclasses.replace(example_launch(), error="died")
    writer.write_launch(failed)
    assert StoredRun.open(writer.folder).launches() == (failed,)


def test_no_secret_value_reaches_the_disk(tmp_path: Path) -> None:
    secret = "s3cret-value"
    manifest = dataclasses.replace(
        example_manifest(), sweep={"targets": [{"env": {"HF_TOKEN": secret}}]}
    )
    writer = RunWriter.create(tmp_path, manifest, _START, "a1b2c3")
    writer.write_launch(
        dataclasses.replace(
            example_launch(),
            command=("vllm", "--api-key", secret),
            env={"HF_TOKEN": secret},
        )
    )
    writer.finish(RunStatus.FINISHED, _START)
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(files) == 2
    assert not [path for path in files if secret in path.read_text()]


def test_derived_files_can_be_replaced_and_lie_in_folders(tmp_path: Path) -> None:
    writer = _create(tmp_path)
    writer.write_text("cells.csv", "a\n")
    assert writer.write_text("cells.csv", "é\n").read_bytes() == "é\n".encode()
    plot = writer.write_bytes("plots/speedup.png", b"\x89PNG")
    assert plot == writer.folder / "plots" / "speedup.png"


def test_a_stored_run_can_be_taken_up_again(tmp_path: Path) -> None:
    folder = _create(tmp_path).folder
    writer = RunWriter.reopen(folder)
    writer.write_cell(example_cell(), [], [])
    assert writer.manifest == example_manifest()
    assert len(StoredRun.open(folder).cells().cells) == 1


def test_the_manifest_is_strict_json_for_people(tmp_path: Path) -> None:
    text = (_create(tmp_path).folder / "manifest.json").read_text()
    assert json.loads(text)["status"] == "running"
    assert text.count("\n") > 10


def test_two_threads_write_one_after_the_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer = _create(tmp_path)
    at_work: list[str] = []
    most = []

    def note(path: Path, _files: object) -> None:
        at_work.append(path.name)
        most.append(len(at_work))
        meeting.wait(0.05)
        at_work.remove(path.name)

    meeting = threading.Event()  # nobody sets it: room for the other to come in
    monkeypatch.setattr("specbench.store.writer.write_folder", note)
    threads = [
        threading.Thread(target=writer.write_cell, args=(example_cell(c), [], []))
        for c in (1, 2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == [1, 1]


def test_a_run_from_before_placement_and_noise_is_read(tmp_path: Path) -> None:
    writer = _create(tmp_path)
    writer.write_launch(example_launch())
    for name, fields in (
        ("manifest.json", ("aa", "noise")),
        ("launches/1/launch.json", ("place", "gpus")),
    ):
        path = writer.folder / name
        document = json.loads(path.read_text())
        for field in fields:
            del document[field]
        path.write_text(json.dumps(document))
    run = StoredRun.open(writer.folder)
    assert (run.manifest.aa, run.manifest.noise) == (False, ())
    assert (run.launches()[0].place, run.launches()[0].gpus) == (0, ())


def test_known_noise_is_read_back_with_the_run(tmp_path: Path) -> None:
    manifest = dataclasses.replace(example_manifest(), aa=True, noise=(RECORD,))
    folder = RunWriter.create(tmp_path, manifest, _START, "a1b2c3").folder
    assert StoredRun.open(folder).manifest == manifest
