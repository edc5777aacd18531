"""How long things took, as it is kept for a machine."""

from dataclasses import replace
from pathlib import Path

import pytest

from specbench.errors import ResultsError
from specbench.schema.durations import KeptCell, KeptDurations
from specbench.store.durations_file import (
    MOST_CELLS,
    MOST_RECORDS,
    add_durations,
    durations_path,
    join_durations,
    read_durations,
)

CELL = KeptCell("chat", 0, 0.0, 4, 0.0, 12.5, "2026-12-01T09:00:00+00:00")
RECORD = KeptDurations(
    model="org/small",
    engine="vllm",
    engine_version="0.32.0",
    device="1x NVIDIA H200",
    settings="0123456789abcdef",
    arm="fast",
    startup_s=40.0,
    cells=(CELL,),
)


def test_what_was_added_is_read_back_the_newest_last(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "host.json"
    assert read_durations(path) == ()
    other = replace(RECORD, engine_version="0.33.0")
    add_durations(path, [RECORD])
    add_durations(path, [other])
    assert read_durations(path) == (RECORD, other)


def test_a_cell_that_was_measured_again_takes_the_place_of_the_older_one() -> None:
    again = replace(CELL, seconds=13.0, measured_utc="2026-12-02T09:00:00+00:00")
    more = replace(CELL, concurrency=8)
    older = replace(RECORD, cells=(CELL, more))
    joined = join_durations(older, replace(RECORD, cells=(again,)))
    assert joined.cells == (more, again)


def test_a_start_up_that_is_not_known_leaves_the_older_one() -> None:
    joined = join_durations(RECORD, replace(RECORD, startup_s=None))
    assert joined.startup_s == 40.0


def test_the_same_arm_under_a_new_name_is_the_same(tmp_path: Path) -> None:
    path = tmp_path / "host.json"
    add_durations(path, [RECORD])
    add_durations(path, [replace(RECORD, arm="renamed")])
    (record,) = read_durations(path)
    assert record.arm == "renamed"


def test_the_file_stays_within_bounds_and_forgets_the_oldest(tmp_path: Path) -> None:
    path = tmp_path / "host.json"
    cells = [
        replace(
            CELL, concurrency=c, measured_utc=f"2026-12-01T{c // 60:02}:{c % 60:02}"
        )
        for c in range(1, MOST_CELLS + 6)
    ]
    joined = join_durations(
        replace(RECORD, cells=tuple(cells[:9])), replace(RECORD, cells=tuple(cells[9:]))
    )
    assert joined.cells == tuple(cells[5:])
    records = [replace(RECORD, model=f"m{i}") for i in range(MOST_RECORDS + 2)]
    add_durations(path, records)
    assert read_durations(path) == tuple(records[2:])


@pytest.mark.parametrize("text", ["", "{}", '[{"model": 3}]', "\x00"])
def test_a_damaged_file_is_named_when_read_and_begun_anew_when_written(
    tmp_path: Path, text: str
) -> None:
    path = tmp_path / "host.json"
    path.write_text(text)
    with pytest.raises(ResultsError, match=r"host\.json"):
        read_durations(path)
    add_durations(path, [RECORD])
    assert read_durations(path) == (RECORD,)


def test_it_lies_in_the_users_state_folder() -> None:
    env = {"XDG_STATE_HOME": "/somewhere"}
    assert durations_path("my/host", env) == Path(
        "/somewhere/specbench/durations/my-host.json"
    )
