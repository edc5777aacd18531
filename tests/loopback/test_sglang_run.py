"""A sweep over an engine that speaks as SGLang does: its flags, its pages, its flush
between cells."""

import csv
from pathlib import Path
from typing import Any

import pytest

from specbench.errors import ExitCode
from specbench.theory.acceptance import expected_tokens_per_step
from tests.loopback.cli import (
    only_run,
    ran_to_its_end,
    specbench,
    strict_json,
    write_sweep,
)
from tests.loopback.sglang_script import FLUSHED, write_sglang

CHAIN = (
    'algorithm = "STANDALONE", draft_model_path = "some/draft", num_steps = 3,'
    " eagle_topk = 1, num_draft_tokens = 4"
)
ARM = "ngram"
TOKENS_PER_STEP = expected_tokens_per_step([0.9, 0.9, 0.9])


def write(folder: Path, executable: Path, arm: str) -> None:
    path = write_sweep(folder, executable)
    text = path.read_text()
    for old, new in (
        ('engine = "vllm"', 'engine = "sglang"\ndevice = "cpu"'),
        (
            'method = "ngram", num_speculative_tokens = 3, prompt_lookup_max = 3',
            arm,
        ),
    ):
        assert old in text
        text = text.replace(old, new)
    path.write_text(text)


def launches(run: Path) -> list[Any]:
    paths = sorted(run.glob("launches/*/launch.json"))
    return [strict_json(path.read_text()) for path in paths]


@pytest.fixture(scope="module")
def run_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sglang")
    write(folder, write_sglang(folder), CHAIN)
    done = specbench("run", "sweep.toml", cwd=folder)
    assert ran_to_its_end(done), done.stdout + done.stderr
    return only_run(folder)


def test_equal_caps_are_passed_and_read_back(run_folder: Path) -> None:
    listed = launches(run_folder)
    assert [launch["arm"] for launch in listed] == ["baseline", ARM]
    for launch in listed:
        command = launch["command"]
        assert command[command.index("--max-running-requests") + 1] == "4"
        facts = launch["facts"]
        assert facts["max_num_seqs"] == 4
        assert facts["prefix_caching"] is False
        assert facts["kv_capacity_tokens"] > 0


def test_every_cell_began_with_an_engine_that_had_forgotten(run_folder: Path) -> None:
    records = [
        strict_json(path.read_text()) for path in run_folder.glob("cells/*/record.json")
    ]
    assert [record["not_flushed"] for record in records] == [None] * 4
    logs = [path.read_text() for path in run_folder.glob("launches/*/engine.log")]
    assert [log.count(FLUSHED) for log in logs] == [2, 2]


def test_tokens_per_step_are_recovered(run_folder: Path) -> None:
    report = strict_json((run_folder / "report.json").read_text())
    found = [
        cell["tokens_per_step"] for cell in report["cells"] if cell["key"]["arm"] == ARM
    ]
    assert found == pytest.approx([TOKENS_PER_STEP] * 2, rel=0.2)


def test_no_process_is_left(run_folder: Path) -> None:
    run = f"-{run_folder.name.rpartition('-')[2]}-".encode()
    left = []
    for path in Path("/proc").glob("[0-9]*/environ"):
        try:
            environ = path.read_bytes()
        except OSError:
            continue
        pairs = environ.split(b"\0")
        if any(p.startswith(b"SPECBENCH_LAUNCH=") and run in p for p in pairs):
            left.append(path.parent.name)
    assert left == []


def test_a_refused_flush_voids_the_cells_of_a_drafter_that_learns(
    tmp_path: Path,
) -> None:
    executable = write_sglang(tmp_path, refuses_to_flush=True)
    write(tmp_path, executable, 'algorithm = "NGRAM"')
    specbench("run", "sweep.toml", cwd=tmp_path)
    report = strict_json((only_run(tmp_path) / "report.json").read_text())
    found = {
        (cell["key"]["arm"], finding["severity"])
        for cell in report["cells"]
        for finding in cell["findings"]
        if finding["code"] == "not-flushed"
    }
    assert found == {("baseline", "flag"), (ARM, "void")}
    messages = [
        finding["message"]
        for cell in report["cells"]
        for finding in cell["findings"]
        if finding["code"] == "not-flushed"
    ]
    assert all("400: Flush cache failed." in message for message in messages)


# H11: the engine dies while starting, by its own hand.
def test_an_arm_that_kills_itself_leaves_the_baseline_measured(tmp_path: Path) -> None:
    write(tmp_path, write_sglang(tmp_path, crashes=True), CHAIN)
    done = specbench("run", "sweep.toml", cwd=tmp_path)
    assert done.returncode == ExitCode.ENGINE_FAILED
    assert "14 attention heads" in done.stderr
    assert "SIGKILL" in done.stderr
    assert "engine.log" in done.stderr
    assert "kill_process_tree" not in done.stderr
    assert "Traceback" not in done.stderr
    with (only_run(tmp_path) / "cells.csv").open(newline="") as file:
        assert {row["arm"] for row in csv.DictReader(file)} == {"baseline"}
