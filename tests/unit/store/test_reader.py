"""A stored run as it is read: lazily, by path or as the latest, with damage named."""

import dataclasses
import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from specbench.errors import InputError, ResultsError
from specbench.schema.record import CellRecord
from specbench.store.reader import StoredRun, find_run, list_run_folders, open_run
from specbench.store.writer import RunWriter
from tests.unit.store.examples import (
    example_cell,
    example_launch,
    example_manifest,
    example_sample,
    example_snapshot,
)


def _run(results: Path, day: int = 30, sweep: str = "chat") -> RunWriter:
    manifest = dataclasses.replace(example_manifest(), sweep_name=sweep)
    started = datetime(2026, 11, day, tzinfo=UTC)
    return RunWriter.create(results, manifest, started, "a1b2c3")


def _cell_folder(writer: RunWriter, record: CellRecord) -> Path:
    return writer.layout.cell(record.key.cell_id).folder


def test_a_cell_comes_back_with_its_samples_and_snapshots(tmp_path: Path) -> None:
    writer = _run(tmp_path)
    samples = tuple(example_sample(i) for i in range(3))
    writer.write_cell(example_cell(), samples, [example_snapshot()])
    cell = StoredRun.open(writer.folder).cell(example_cell().key.cell_id)
    assert cell.record == example_cell()
    assert cell.samples() == samples
    assert cell.snapshots() == (example_snapshot(),)


def test_cells_are_listed_in_the_order_of_their_launches(tmp_path: Path) -> None:
    writer = _run(tmp_path)
    cells = [
        example_cell(concurrency=1, arm="z", launch_index=2),
        example_cell(concurrency=9, launch_index=1),
        example_cell(concurrency=1, arm="a", launch_index=10),
    ]
    for record in reversed(cells):
        writer.write_cell(record, [], [])
    listed = StoredRun.open(writer.folder).cells().cells
    assert [cell.record.launch_index for cell in listed] == [1, 2, 10]


def test_launches_are_listed_by_number_and_a_killed_start_is_left_out(
    tmp_path: Path,
) -> None:
    writer = _run(tmp_path)
    for index in (10, 2):
        writer.write_launch(example_launch(index))
    writer.log_path(11)
    launches = StoredRun.open(writer.folder).launches()
    assert [launch.index for launch in launches] == [2, 10]


def test_one_damaged_cell_costs_one_cell(tmp_path: Path) -> None:
    writer = _run(tmp_path)
    good, bad = example_cell(concurrency=1), example_cell(concurrency=2)
    for record in (good, bad):
        writer.write_cell(record, [], [])
    (_cell_folder(writer, bad) / "record.json").write_text('{"key": ')
    listing = StoredRun.open(writer.folder).cells()
    assert [cell.record for cell in listing.cells] == [good]
    assert [cell.name for cell in listing.damaged] == [bad.key.cell_id]
    assert "record.json" in listing.damaged[0].reason


@pytest.mark.parametrize("name", ["record.json", "samples.parquet", "snapshots.jsonl"])
def test_a_cell_that_lacks_a_file_is_listed_as_damaged(
    tmp_path: Path, name: str
) -> None:
    writer = _run(tmp_path)
    writer.write_cell(example_cell(), [], [])
    (_cell_folder(writer, example_cell()) / name).unlink()
    listing = StoredRun.open(writer.folder).cells()
    assert listing.cells == ()
    assert name in listing.damaged[0].reason


def test_a_record_in_another_cells_folder_is_damage(tmp_path: Path) -> None:
    writer = _run(tmp_path)
    writer.write_cell(example_cell(), [], [])
    folder = _cell_folder(writer, example_cell())
    folder.rename(folder.with_name("other"))
    (damaged,) = StoredRun.open(writer.folder).cells().damaged
    assert "not of this folder" in damaged.reason


@pytest.mark.parametrize("name", ["samples.parquet", "snapshots.jsonl"])
def test_damage_in_a_large_file_is_found_when_it_is_read(
    tmp_path: Path, name: str
) -> None:
    writer = _run(tmp_path)
    writer.write_cell(example_cell(), [example_sample()], [example_snapshot()])
    (_cell_folder(writer, example_cell()) / name).write_bytes(b"\xff\xfe garbage")
    (cell,) = StoredRun.open(writer.folder).cells().cells
    read = {"samples.parquet": cell.samples, "snapshots.jsonl": cell.snapshots}[name]
    with pytest.raises(ResultsError, match=name):
        read()


def test_a_damaged_manifest_is_named(tmp_path: Path) -> None:
    writer = _run(tmp_path)
    writer.layout.manifest.write_text("{}")
    with pytest.raises(ResultsError, match=r"manifest\.json: .*missing"):
        StoredRun.open(writer.folder)


def test_a_run_without_its_manifest_is_damaged_and_no_wrong_path(
    tmp_path: Path,
) -> None:
    writer = _run(tmp_path)
    writer.layout.manifest.unlink()
    with pytest.raises(ResultsError, match=r"manifest\.json"):
        open_run(str(writer.folder), tmp_path)


def test_a_run_of_a_later_format_is_refused_by_its_version(tmp_path: Path) -> None:
    writer = _run(tmp_path)
    document = json.loads(writer.layout.manifest.read_text())
    document |= {"format_version": 99, "something_new": 1}
    writer.layout.manifest.write_text(json.dumps(document))
    with pytest.raises(ResultsError, match="format 99") as caught:
        StoredRun.open(writer.folder)
    assert "specbench that wrote it" in caught.value.hint


def test_latest_is_the_run_that_started_last_in_any_sweep(tmp_path: Path) -> None:
    _run(tmp_path, day=28, sweep="zebra")
    newest = _run(tmp_path, day=29, sweep="ant")
    assert find_run("latest", tmp_path) == newest.folder
    assert open_run("latest", tmp_path).manifest.sweep_name == "ant"


def test_a_run_is_found_by_path_and_below_the_results_folder(tmp_path: Path) -> None:
    folder = _run(tmp_path).folder
    below = str(folder.relative_to(tmp_path))
    assert find_run(str(folder), Path("elsewhere")) == folder
    assert find_run(below, tmp_path) == folder


def test_no_run_is_bad_input_with_a_hint(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no run in") as latest:
        find_run("latest", tmp_path / "absent")
    with pytest.raises(InputError, match="no run at nowhere") as named:
        find_run("nowhere", tmp_path)
    assert latest.value.hint
    assert named.value.hint


def test_folders_without_a_manifest_are_no_runs(tmp_path: Path) -> None:
    folder = _run(tmp_path).folder
    (tmp_path / "example" / "notes").mkdir(parents=True)
    (tmp_path / "README.md").write_text("")
    assert list_run_folders(tmp_path) == (folder,)
