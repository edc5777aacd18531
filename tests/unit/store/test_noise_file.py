"""The launch noise that is kept for a machine."""

from dataclasses import replace
from pathlib import Path

import pytest

from specbench.errors import ResultsError
from specbench.schema.comparison import (
    Component,
    LaunchNoise,
    NoiseRecord,
    SpeedupMetric,
)
from specbench.store.noise_file import add_noise, noise_path, read_noise

RECORD = NoiseRecord(
    target="small",
    model="org/small",
    engine="vllm",
    engine_version=None,
    device="1x NVIDIA H200",
    run_id="20261130T090000Z-a1",
    measured_utc="2026-11-30T09:00:00+00:00",
    noise=(
        LaunchNoise(
            metric=SpeedupMetric.THROUGHPUT,
            launch=Component(1e-5, 4.0),
            cell=Component(2e-5, 20.0),
            launches=3,
            loads=6,
        ),
    ),
)


def test_what_was_added_is_read_back_the_newest_last(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "host.json"
    assert read_noise(path) == ()
    other = replace(RECORD, device="1x NVIDIA L4")
    add_noise(path, [RECORD])
    add_noise(path, [other])
    assert read_noise(path) == (RECORD, other)


def test_a_record_takes_the_place_of_the_one_for_the_same_settings(
    tmp_path: Path,
) -> None:
    path = tmp_path / "host.json"
    other = replace(RECORD, model="org/large")
    newer = replace(RECORD, engine_version="0.33", run_id="later")
    add_noise(path, [RECORD, other])
    add_noise(path, [newer])
    assert read_noise(path) == (other, newer)


@pytest.mark.parametrize(
    "change",
    [{"engine": "sglang"}, {"model": "m"}, {"device": "d"}, {"settings": "{}"}],
)
def test_other_settings_stand_beside_it(tmp_path: Path, change: dict[str, str]) -> None:
    path = tmp_path / "host.json"
    other = replace(RECORD, **change)  # type: ignore[arg-type]
    add_noise(path, [RECORD])
    add_noise(path, [other])
    assert read_noise(path) == (RECORD, other)


@pytest.mark.parametrize("text", ["", "{}", "[1]", '[{"levels": 3}]', "\x00"])
def test_a_file_that_cannot_be_read_is_named_and_not_written_over(
    tmp_path: Path, text: str
) -> None:
    path = tmp_path / "host.json"
    path.write_text(text)
    with pytest.raises(ResultsError, match=r"host\.json"):
        read_noise(path)
    with pytest.raises(ResultsError, match=r"host\.json"):
        add_noise(path, [RECORD])
    assert path.read_text() == text


def test_the_state_folder_is_the_users_where_it_is_absolute() -> None:
    given = noise_path("my/host", {"XDG_STATE_HOME": "/somewhere"})
    assert given == Path("/somewhere/specbench/noise/my-host.json")
    usual = Path.home() / ".local/state/specbench/noise/h.json"
    assert noise_path("h", {"XDG_STATE_HOME": "relative"}) == usual
    assert noise_path("h", {}) == usual
