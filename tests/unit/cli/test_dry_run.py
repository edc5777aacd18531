"""What a run would do and cost, before it begins."""

import csv
import io
import json
from pathlib import Path

import pytest

from specbench.cli.dry_run import forecast_document, show_forecast
from specbench.cli.streams import Format
from specbench.planning.expand import plan_sweep
from specbench.runner.durations import keep_durations
from specbench.runner.forecast import Forecast, make_forecast
from specbench.runner.placement import Place, Placement
from specbench.schema.plan import SweepPlan
from tests.unit.planning.sweep_texts import SOUND, read
from tests.unit.runner.test_durations import NOW, measured
from tests.unit.runner.test_placement import NO_GPU

LABEL = "Some-Model-8B"
PLACEMENT = Placement(NO_GPU, {LABEL: (Place(),)}, None, 8)


@pytest.fixture(autouse=True)
def own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))


def plan_of(*overrides: str) -> SweepPlan:
    return plan_sweep(read(SOUND, *overrides))


def forecast(*overrides: str) -> Forecast:
    return make_forecast(plan_of(*overrides), PLACEMENT, will_launch=True)


def shown(capsys: pytest.CaptureFixture[str], *overrides: str) -> str:
    show_forecast(forecast(*overrides), Format.TABLE)
    return " ".join(capsys.readouterr().out.split())


def test_all_rests_on_assumptions_where_nothing_is_known(
    capsys: pytest.CaptureFixture[str],
) -> None:
    text = shown(capsys)
    assert "12 cells in 4 launches: about" in text
    assert "12 cells assumed" in text
    assert "each start-up 120 s assumed" in text


def test_what_was_measured_on_this_machine_is_told_with_its_day(
    capsys: pytest.CaptureFixture[str],
) -> None:
    keep_durations(plan_of(), PLACEMENT, measured([10, 7]), NOW)
    text = shown(capsys)
    assert "12 cells: 4 as measured on 2026-12-01, 8 from neighbouring loads" in text
    assert "each start-up 30 s as in an earlier run" in text


def test_a_search_shows_its_first_round_and_the_grid_as_the_most(
    capsys: pytest.CaptureFixture[str],
) -> None:
    text = shown(capsys, "search.mode=adaptive", "search.budget=30m")
    assert "First round of the search" in text
    assert f"first round on {LABEL}:" in text
    assert "at most, the grid of 12 cells in 4 launches: about" in text
    assert "nothing new begins after 30 min" in text


def test_json_of_a_search_has_the_grid_and_the_first_round() -> None:
    document = forecast_document(forecast("search.mode=adaptive"))
    assert json.loads(json.dumps(document["cells"])) == document["cells"]
    assert document["mode"] == "adaptive"
    assert len(document["cells"]) == 12
    (first,) = document["first_rounds"]
    assert {cell["replicate"] for cell in first["cells"]} == {1}
    assert {cell["arm"] for cell in first["cells"]} == {"baseline", "ngram-k3"}
    assert first["expected_s"] < document["expected_s"]


def test_json_of_a_grid_has_no_rounds() -> None:
    document = forecast_document(forecast())
    assert document["mode"] == "grid"
    assert "first_rounds" not in document
    assert document["expected_s"] > document["expected_cell_s"]


def test_csv_has_a_row_for_each_cell_that_is_known_beforehand(
    capsys: pytest.CaptureFixture[str],
) -> None:
    show_forecast(forecast(), Format.CSV)
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert len(rows) == 12
    assert {row["request_rate"] for row in rows} == {""}


def test_memory_that_nobody_knows_is_said_to_be_unknown(
    capsys: pytest.CaptureFixture[str],
) -> None:
    text = shown(capsys)
    assert f"Memory of {LABEL}" in text
    assert "KV cache not known: no config.json of org/Some-Model-8B" in text
    assert "16 x 256 = 4,096 tokens; the prompts come on top" in text


def test_servers_that_already_run_have_no_memory_to_tell_of() -> None:
    made = make_forecast(plan_of(), PLACEMENT, will_launch=False)
    assert made.memory == ()


def test_a_budget_that_is_too_small_for_any_launch_is_told(
    capsys: pytest.CaptureFixture[str],
) -> None:
    keep_durations(plan_of(), PLACEMENT, measured([10, 7]), NOW)
    text = shown(capsys, "search.mode=adaptive", "search.budget=5s")
    assert f"the search on {LABEL} would end at once: the budget" in text
