"""A run over contexts, from a sweep file with a text of the user's to its map: lengths
as asked by the server's own count, and what does not fit left out and named."""

import csv
import random
import sys
from pathlib import Path
from typing import Any

import pytest

from specbench.errors import ExitCode
from tests.loopback.cli import ran_to_its_end, specbench, strict_json

SWEEP = """
[target]
name = "tiny"
model = "simulated"
engine = "sim"
executable = "{executable}"
args = {{ step-base-ms = 10, kv-capacity-tokens = 2000 }}

[[arms]]
name = "drafts"

[arms.speculative]
method = "sim"
num_speculative_tokens = 3
acceptance = [0.9]
draft_ms = 1.0

[workload]
datasets = ["mt-bench-style"]
context = [256, 1024]
texts = ["book.txt"]
max_tokens = 12
turns = "first"

[load]
concurrency = [1, 4]

[measure]
replicates = 1
min_requests = 6
requests_per_slot = 2
placement = "sequential"
"""
PROGRAM = """#!{python}
import sys

from specbench.sim.__main__ import main

sys.exit(main(sys.argv[3:]))
"""


def prepare(folder: Path) -> None:
    """Sweep file, engine and text."""
    program = folder / "engine"
    program.write_text(PROGRAM.format(python=sys.executable))
    program.chmod(0o755)
    (folder / "sweep.toml").write_text(SWEEP.format(executable=program))
    draw = random.Random(0)
    words = ["".join(draw.choices("abcdefgh", k=6)) for _ in range(3000)]
    (folder / "book.txt").write_text(" ".join(words))


@pytest.fixture(scope="module")
def run_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("contexts")
    prepare(folder)
    done = specbench("run", "sweep.toml", cwd=folder)
    assert ran_to_its_end(done), done.stdout + done.stderr
    (folder / "told").write_text(done.stdout + done.stderr)
    (run,) = (folder / "results" / "sweep").iterdir()
    return run


def cells(run: Path) -> list[dict[str, str]]:
    with (run / "cells.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def manifest(run: Path) -> dict[str, Any]:
    found: dict[str, Any] = strict_json((run / "manifest.json").read_text())
    return found


def test_prompts_are_as_long_as_asked_by_the_servers_own_count(
    run_folder: Path,
) -> None:
    for row in cells(run_folder):
        assert float(row["context_worst_off"]) <= 0.02
        wanted = int(row["context"])
        assert float(row["prompt_tokens_mean"]) == pytest.approx(wanted, rel=0.02)
        assert "context-off" not in row["flags"]


def test_what_does_not_fit_is_left_out_of_every_launch_and_named(
    run_folder: Path,
) -> None:
    places = {
        (row["arm"], row["context"], row["concurrency"]) for row in cells(run_folder)
    }
    assert places == {
        (arm, context, load)
        for arm in ("baseline", "drafts")
        for context, load in (("256", "1"), ("256", "4"), ("1024", "1"))
    }
    kept = manifest(run_folder)
    (out,) = kept["planned_out"]
    assert (out["condition"]["context"], out["condition"]["concurrency"]) == (1024, 4)
    said = "tiny: context 1024 at concurrency 4 was not measured: the prompts alone"
    assert any(note.startswith(said) for note in kept["notes"])
    assert said in (run_folder.parents[2] / "told").read_text()
    assert said in (run_folder / "report.md").read_text().replace("\\", "")


def test_the_text_is_kept_by_name_hash_licence_and_length(run_folder: Path) -> None:
    (text,) = manifest(run_folder)["texts"]
    assert (text["name"], text["words"]) == ("book.txt", 3000)
    assert text["licence"].startswith("unknown")
    assert len(text["sha256"]) == 64
    assert text["sha256"] in (run_folder / "report.md").read_text()


def test_the_map_is_drawn_and_its_answers_stand_in_a_file(run_folder: Path) -> None:
    assert (run_folder / "plots" / "context-map.png").stat().st_size > 0
    with (run_folder / "contexts.csv").open(newline="") as file:
        reader = csv.DictReader(file)
        assert "break_even_context" in (reader.fieldnames or [])
        # 4 has one context only; a cell of a busy machine may be void
        assert {row["concurrency"] for row in reader} <= {"1"}
    assert "does not fit" in (run_folder / "report.md").read_text()


def test_a_text_that_is_missing_or_too_short_ends_it_before_anything_starts(
    tmp_path: Path,
) -> None:
    prepare(tmp_path)
    (tmp_path / "book.txt").write_text("only a few words")
    done = specbench("run", "sweep.toml", cwd=tmp_path)
    assert done.returncode == ExitCode.BAD_INPUT
    assert "sweep.toml: workload.texts: the text (book.txt) has 4 tokens" in done.stderr
    (tmp_path / "book.txt").unlink()
    done = specbench("run", "sweep.toml", cwd=tmp_path)
    assert done.returncode == ExitCode.BAD_INPUT
    assert "workload.texts[0]: there is no file 'book.txt'" in done.stderr
    assert not (tmp_path / "results").exists()
