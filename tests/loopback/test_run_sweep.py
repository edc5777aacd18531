"""The whole product against engines whose truth is programmed: from a sweep file to
tables, CSV and plots, launches and all."""

import csv
from pathlib import Path

import pytest

from specbench.errors import ExitCode
from specbench.store.reader import StoredRun
from specbench.theory.acceptance import expected_tokens_per_step
from tests.loopback.cli import (
    interrupt,
    ran_to_its_end,
    specbench,
    strict_json,
    write_sweep,
)
from tests.loopback.engine_script import write_engine

STEP_S = 0.020
DRAFTED_STEP_S = STEP_S + 3 * 0.001
TOKENS_PER_STEP = expected_tokens_per_step([0.9, 0.9, 0.9])


@pytest.fixture(scope="module")
def run_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("run")
    write_sweep(folder, write_engine(folder))
    done = specbench("run", "sweep.toml", cwd=folder)
    assert ran_to_its_end(done), done.stdout + done.stderr
    (run,) = (folder / "results" / "sweep").iterdir()
    return run


def test_the_stored_run_says_what_it_was(run_folder: Path) -> None:
    manifest = strict_json((run_folder / "manifest.json").read_text())
    assert manifest["status"] == "finished"
    assert manifest["host"]["cpu_count"] >= 1
    assert manifest["datasets"][0]["used"] == 80
    launches = sorted(run_folder.glob("launches/*/launch.json"))
    arms = [strict_json(path.read_text())["arm"] for path in launches]
    assert arms == ["baseline", "ngram"]


def test_equal_caps_are_passed_and_read_back(run_folder: Path) -> None:
    for path in run_folder.glob("launches/*/launch.json"):
        launch = strict_json(path.read_text())
        command = launch["command"]
        assert command[command.index("--max-num-seqs") + 1] == "4"
        assert launch["facts"]["max_num_seqs"] == 4


def test_tokens_per_step_are_recovered(run_folder: Path) -> None:
    report = strict_json((run_folder / "report.json").read_text())
    found = [
        cell["tokens_per_step"]
        for cell in report["cells"]
        if cell["key"]["arm"] == "ngram"
    ]
    assert all(value == pytest.approx(TOKENS_PER_STEP, rel=0.2) for value in found), (
        found
    )


def test_both_speedups_are_near_the_truth_alone(run_folder: Path) -> None:
    # a busy machine may be late for either arm, so the bounds are wide
    truth = TOKENS_PER_STEP * STEP_S / DRAFTED_STEP_S
    report = strict_json((run_folder / "report.json").read_text())
    for curve in report["curves"]:
        alone = curve["points"][0]["speedup"]["value"]
        if alone is not None:
            assert 1.3 < alone < 1.3 * truth


def test_all_files_that_the_docs_name_are_there(run_folder: Path) -> None:
    for name in ("cells.csv", "breakeven.csv", "report.md", "report.json"):
        assert (run_folder / name).stat().st_size > 0
    plots = {path.name for path in (run_folder / "plots").iterdir()}
    assert {"speedup.png", "throughput-tpot.png", "acceptance.png"} <= plots


def test_cells_csv_has_one_row_for_each_cell(run_folder: Path) -> None:
    with (run_folder / "cells.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(r["arm"], r["concurrency"]) for r in rows] == [
        *[("baseline", "1"), ("ngram", "1")],
        *[("baseline", "4"), ("ngram", "4")],
    ]


def test_a_report_made_later_says_the_same(run_folder: Path) -> None:
    before = (run_folder / "cells.csv").read_text()
    done = specbench("report", str(run_folder), "--format", "csv", cwd=run_folder)
    assert done.returncode == ExitCode.FINE
    assert done.stdout == before


def test_an_arm_that_dies_at_start_leaves_the_baseline_measured(tmp_path: Path) -> None:
    write_sweep(tmp_path, write_engine(tmp_path, crashes=True))
    done = specbench("run", "sweep.toml", cwd=tmp_path)
    assert done.returncode == ExitCode.ENGINE_FAILED
    assert "14 heads" in done.stderr
    assert "engine.log" in done.stderr
    assert "exit code 1" in done.stderr
    assert "Traceback" not in done.stderr
    (run,) = (tmp_path / "results" / "sweep").iterdir()
    with (run / "cells.csv").open(newline="") as file:
        assert {row["arm"] for row in csv.DictReader(file)} == {"baseline"}


def test_second_turns_are_asked_with_first_answers_frozen_once(tmp_path: Path) -> None:
    write_sweep(
        tmp_path,
        write_engine(tmp_path),
        """turns = "first" -> turns = "all"
           concurrency = [1, 4] -> concurrency = [2]""",
    )
    done = specbench("run", "sweep.toml", cwd=tmp_path)
    assert ran_to_its_end(done), done.stdout + done.stderr
    (run,) = (tmp_path / "results" / "sweep").iterdir()
    answers = strict_json((run / "frozen" / "mt-bench-style.json").read_text())
    assert all(answers.values())
    asked = {
        cell.record.key.arm: [(s.prompt_id, s.prompt_tokens) for s in cell.samples()]
        for cell in StoredRun.open(run).cells().cells
    }
    assert asked["baseline"] == asked["ngram"]
    assert any(prompt_id.endswith("/2") for prompt_id, _ in asked["ngram"])


def test_interrupting_a_run_keeps_what_was_measured(tmp_path: Path) -> None:
    write_sweep(tmp_path, write_engine(tmp_path))
    done = interrupt(tmp_path, "[1/4]")
    assert done.returncode == ExitCode.INTERRUPTED, done.rest
    assert "Traceback" not in done.rest
    (run,) = (tmp_path / "results" / "sweep").iterdir()
    manifest = strict_json((run / "manifest.json").read_text())
    assert manifest["status"] == "interrupted"
    assert (run / "cells.csv").read_text().count("\n") >= 2
