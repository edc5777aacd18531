"""Names and paths: whatever data are called, files stay inside the run."""

from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specbench.store.layout import UNFINISHED, RunLayout, run_folder_name, safe_name

_RUN = RunLayout(Path("/r/run"))


@given(st.text())
def test_any_name_becomes_one_visible_path_component(text: str) -> None:
    name = safe_name(text)
    assert name == Path(name).name
    assert not name.startswith(".")
    assert 0 < len((UNFINISHED + name).encode()) <= 255


@given(st.text())
def test_a_safe_name_stays_as_it_is(text: str) -> None:
    assert safe_name(safe_name(text)) == safe_name(text)


def test_long_names_that_differ_at_the_end_stay_different() -> None:
    assert safe_name("x" * 300 + "a") != safe_name("x" * 300 + "b")


@given(st.text())
def test_a_cell_lies_inside_the_cells_folder(cell_id: str) -> None:
    assert _RUN.cell(cell_id).folder.parent == Path("/r/run/cells")


@pytest.mark.parametrize(
    "name",
    ["../x.md", "/etc/x", "plots/../../x", "manifest.json", "cells/x", "a/.hidden", ""],
)
def test_a_derived_file_cannot_leave_the_run_or_replace_raw_data(name: str) -> None:
    with pytest.raises(ValueError, match="derived file"):
        _RUN.derived(name)


@pytest.mark.parametrize("name", ["report.md", "plots/speedup.png"])
def test_a_derived_file_lies_in_the_run(name: str) -> None:
    assert _RUN.derived(name) == Path("/r/run") / name


def test_a_run_folder_is_named_by_its_start_in_utc() -> None:
    east = timezone(timedelta(hours=2))
    assert (
        run_folder_name(datetime(2026, 11, 30, 1, 2, 3, tzinfo=east), "a1b2c3")
        == "20261129T230203Z-a1b2c3"
    )


def test_run_folders_sort_by_start() -> None:
    earlier = run_folder_name(datetime(2026, 9, 30, 9, 0, tzinfo=UTC), "ffffff")
    later = run_folder_name(datetime(2026, 10, 1, 0, 0, tzinfo=UTC), "000000")
    assert earlier < later
