"""An adaptive search from the sweep file to its report, against engines whose truth is
programmed."""

import csv
from pathlib import Path
from typing import Any

import pytest

from specbench.errors import ExitCode
from tests.loopback.cli import (
    interrupt,
    only_run,
    ran_to_its_end,
    specbench,
    strict_json,
    write_sweep,
)
from tests.loopback.engine_script import write_engine
from tests.loopback.two_gpus import with_two_gpus


def adaptive_sweep(folder: Path, engine: Path, search: str = "") -> Path:
    """Six loads, two launches of each arm in the grid."""
    path = write_sweep(
        folder,
        engine,
        """concurrency = [1, 4] -> concurrency = [1, 2, 3, 4, 6, 8]
           max_tokens = 24 -> max_tokens = 12
           replicates = 1 -> replicates = 2""",
    )
    path.write_text(f'{path.read_text()}\n[search]\nmode = "adaptive"\n{search}\n')
    return path


def report_of(run: Path) -> Any:
    return strict_json((run / "report.json").read_text())


def cells_of(run: Path) -> list[dict[str, str]]:
    with (run / "cells.csv").open(newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str, str]:
    """A run's folder, what was told meanwhile, and what was printed."""
    folder = tmp_path_factory.mktemp("adaptive")
    adaptive_sweep(folder, write_engine(folder))
    done = specbench("run", "sweep.toml", cwd=folder)
    assert ran_to_its_end(done), done.stdout + done.stderr
    return only_run(folder), done.stderr, done.stdout


def test_it_measures_fewer_cells_than_the_grid(done: tuple[Path, str, str]) -> None:
    assert 0 < len(cells_of(done[0])) < 6 * 2 * 2


def test_each_round_is_a_launch_of_every_arm_in_turned_order(
    done: tuple[Path, str, str],
) -> None:
    records = [
        strict_json(path.read_text()) for path in done[0].glob("launches/*/launch.json")
    ]
    records.sort(key=lambda record: record["index"])
    assert [r["index"] for r in records] == list(range(1, len(records) + 1))
    turns = [(r["arm"], r["replicate"]) for r in records]
    assert (
        turns[:4]
        == [("baseline", 1), ("ngram", 1), ("ngram", 2), ("baseline", 2)][: len(turns)]
    )


def test_the_log_says_what_each_round_was_for_and_why_it_stopped(
    done: tuple[Path, str, str],
) -> None:
    (search,) = strict_json((done[0] / "manifest.json").read_text())["searches"]
    assert search["target"] == "tiny"
    assert [r["number"] for r in search["rounds"]] == list(
        range(1, len(search["rounds"]) + 1)
    )
    assert all(r["why"] for r in search["rounds"])
    (end,) = search["end"]["ends"]
    assert end["curve"]["arm"] == "ngram"
    assert end["words"]
    assert 0 < search["cell_seconds"] < search["seconds"]
    assert report_of(done[0])["searches"] == [search]


def test_the_report_shows_what_it_cost_beside_the_grid(
    done: tuple[Path, str, str],
) -> None:
    run, _, printed = done
    markdown = (run / "report.md").read_text()
    for text in (printed, markdown):
        assert "Search on tiny" in text
        assert "grid's cell time" in " ".join(text.split())
        assert "stopped: ngram" in text


def test_the_answer_is_one_of_a_grid_with_two_launches(
    done: tuple[Path, str, str],
) -> None:
    (answer,) = [
        a for a in report_of(done[0])["break_evens"] if a["metric"] == "throughput"
    ]
    assert answer["outcome"]
    assert any(
        point["speedup"]["interval"] is not None
        for curve in report_of(done[0])["curves"]
        for point in curve["points"]
    )


def test_progress_names_rounds_and_no_total(done: tuple[Path, str, str]) -> None:
    told = done[1]
    assert "an adaptive search (the grid: 24 cells in 4 launches)" in told
    assert "round 1 on tiny: " in told
    assert "launch 1 baseline (round 1) on tiny" in told
    assert "[1, round 1]" in told
    assert "at most" in told


def test_a_report_made_later_has_the_log_too(done: tuple[Path, str, str]) -> None:
    later = specbench("report", str(done[0]), "--format", "json", cwd=done[0])
    assert later.returncode == ExitCode.FINE
    assert strict_json(later.stdout)["searches"] == report_of(done[0])["searches"]


def test_a_spent_budget_ends_it_in_good_order(tmp_path: Path) -> None:
    adaptive_sweep(tmp_path, write_engine(tmp_path), 'budget = "4s"')
    done = specbench("run", "sweep.toml", cwd=tmp_path)
    run = only_run(tmp_path)
    manifest = strict_json((run / "manifest.json").read_text())
    assert manifest["status"] == "finished"
    (search,) = manifest["searches"]
    assert search["end"]["ends"][0]["reason"] == "the budget is spent"
    assert len(cells_of(run)) < 24
    assert "Traceback" not in done.stderr


def test_interrupting_it_keeps_what_was_measured_and_its_log(tmp_path: Path) -> None:
    adaptive_sweep(tmp_path, write_engine(tmp_path))
    done = interrupt(tmp_path, "[1, round 1]")
    assert done.returncode == ExitCode.INTERRUPTED, done.rest
    assert "Traceback" not in done.rest
    run = only_run(tmp_path)
    (search,) = strict_json((run / "manifest.json").read_text())["searches"]
    assert search["end"] is None
    assert search["cell_seconds"] > 0
    assert len(cells_of(run)) >= 1
    assert "It was interrupted" in (run / "report.md").read_text()


def test_an_arm_that_dies_at_start_is_lost_and_not_launched_again(
    tmp_path: Path,
) -> None:
    adaptive_sweep(tmp_path, write_engine(tmp_path, crashes=True))
    done = specbench("run", "sweep.toml", cwd=tmp_path)
    assert done.returncode == ExitCode.ENGINE_FAILED
    assert "14 heads" in done.stderr
    run = only_run(tmp_path)
    assert len(list(run.glob("launches/*/launch.json"))) == 2
    (search,) = strict_json((run / "manifest.json").read_text())["searches"]
    assert search["end"]["ends"][0]["reason"] == "the arm failed"
    assert {row["arm"] for row in cells_of(run)} == {"baseline"}


def test_an_aa_run_of_the_same_sweep_measures_the_grid(tmp_path: Path) -> None:
    adaptive_sweep(tmp_path, write_engine(tmp_path))
    done = specbench(
        *("run", "sweep.toml", "--aa", "--dry-run", "--format", "json"), cwd=tmp_path
    )
    plan = strict_json(done.stdout)
    assert plan["mode"] == "grid"
    assert len(plan["cells"]) == 24


def test_the_next_dry_run_rests_on_what_a_run_has_shown(
    done: tuple[Path, str, str],
) -> None:
    folder = done[0].parents[2]
    forecast = specbench(
        *("run", "sweep.toml", "--dry-run", "--format", "json"), cwd=folder
    )
    assert "as measured on" in strict_json(forecast.stdout)["expected_basis"]


def test_side_by_side_the_arms_take_turns_on_the_places(tmp_path: Path) -> None:
    path = adaptive_sweep(tmp_path, write_engine(tmp_path))
    path.write_text(path.read_text().replace('"sequential"', '"auto"'))
    env = with_two_gpus(tmp_path)
    done = specbench("run", "sweep.toml", cwd=tmp_path, env=env)
    assert ran_to_its_end(done), done.stdout + done.stderr
    records = [
        strict_json(p.read_text())
        for p in only_run(tmp_path).glob("launches/*/launch.json")
    ]
    places = {(r["replicate"], r["arm"]): r["place"] for r in records}
    for (number, arm), place in places.items():
        assert place == (number % 2 if arm == "ngram" else (number - 1) % 2)
    assert "launches of each arm instead of" not in done.stdout
