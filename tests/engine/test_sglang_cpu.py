"""A real SGLang on the CPU beside a real vLLM, one sweep file: baseline, NGRAM and
STANDALONE, a handful of requests, the whole way to one report. SGLang's kernels are
stand-ins (tests/engine/sglang_cpu). Times mean nothing here; facts do."""

import csv
from pathlib import Path
from typing import Any

import pytest

from specbench.schema.sample import Role
from specbench.store.reader import StoredRun
from tests.engine.places import MODEL, SGLANG, VLLM, need
from tests.loopback.cli import ran_to_its_end, specbench, strict_json

SWEEP = """
[[targets]]
name = "by-sglang"
model = "{model}"
engine = "sglang"
executable = "{sglang}"
device = "cpu"
args = {{ context-length = 1024, max-total-tokens = 4096, dtype = "float32" }}
# two threads that share a busy core wait for each other at every small operation
env = {{ OMP_NUM_THREADS = "1" }}

[[targets]]
name = "by-vllm"
model = "{model}"
engine = "vllm"
executable = "{vllm}"
device = "cpu"
args = {{ max-model-len = 1024, enforce-eager = true, dtype = "float32" }}
env = {{ VLLM_CPU_KVCACHE_SPACE = "1" }}

[[arms]]
name = "ngram"
targets = ["by-sglang"]
speculative = {{ algorithm = "NGRAM" }}

# The target drafts for itself: every draft token is accepted.
[[arms]]
name = "standalone"
targets = ["by-sglang"]
[arms.speculative]
algorithm = "STANDALONE"
draft_model_path = "{model}"
num_steps = 3
eagle_topk = 1
num_draft_tokens = 4

[[arms]]
name = "ngram-k3"
targets = ["by-vllm"]
[arms.speculative]
method = "ngram"
num_speculative_tokens = 3
prompt_lookup_max = 4
prompt_lookup_min = 2

[workload]
datasets = ["mt-bench-style"] # short prompts: the kernels are slow
max_tokens = 12
turns = "first"

[load]
concurrency = [1, 2]

[measure]
replicates = 1
min_requests = 3
requests_per_slot = 2
placement = "sequential"
"""

ARMS = {
    "by-sglang": ("baseline", "ngram", "standalone"),
    "by-vllm": ("baseline", "ngram-k3"),
}
DRAFTING = ("ngram", "standalone")

pytestmark = pytest.mark.engine


@pytest.fixture(scope="module")
def run_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One run of the sweep, measured once for all tests of this module."""
    need(SGLANG, VLLM, MODEL)
    folder = tmp_path_factory.mktemp("engines")
    sweep = folder / "both.toml"
    sweep.write_text(SWEEP.format(model=MODEL, sglang=SGLANG, vllm=VLLM))
    done = specbench("run", str(sweep), "--results", "out", cwd=folder, limit_s=1800)
    assert ran_to_its_end(done), done.stdout + done.stderr
    (run,) = (folder / "out" / "both").iterdir()
    return run


@pytest.fixture(scope="module")
def report(run_folder: Path) -> dict[str, Any]:
    document = strict_json((run_folder / "report.json").read_text())
    assert isinstance(document, dict)
    return document


def launches(run: Path) -> list[dict[str, Any]]:
    paths = sorted(run.glob("launches/*/launch.json"))
    return [strict_json(path.read_text()) for path in paths]


def cells(report: dict[str, Any], target: str) -> list[dict[str, Any]]:
    return [
        cell for cell in report["cells"] if cell["key"]["condition"]["target"] == target
    ]


def test_every_cell_of_both_engines_is_measured(run_folder: Path) -> None:
    with (run_folder / "cells.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert {(r["target"], r["arm"], r["concurrency"]) for r in rows} == {
        (target, arm, load)
        for target, arms in ARMS.items()
        for arm in arms
        for load in ("1", "2")
    }
    assert all(row["failed"] == "0" for row in rows)


def test_caps_are_passed_to_every_arm_and_read_back_equal(run_folder: Path) -> None:
    """Left alone, SGLang would run 48 requests where it speculates, others where it
    does not."""
    found = [one for one in launches(run_folder) if one["target"] == "by-sglang"]
    assert [one["arm"] for one in found] == list(ARMS["by-sglang"])
    for launch in found:
        command, facts = launch["command"], launch["facts"]
        assert command[command.index("--max-running-requests") + 1] == "2"
        assert facts["engine"] == "sglang"
        assert facts["version"].startswith("0.5.")
        assert facts["max_num_seqs"] == 2
        assert facts["max_model_len"] == 1024
        assert facts["kv_capacity_tokens"] == 4096
        assert facts["prefix_caching"] is False


def test_acceptance_by_both_routes_is_the_same(report: dict[str, Any]) -> None:
    seen = set()
    for cell in cells(report, "by-sglang"):
        whole = cell["whole_run"]
        if cell["key"]["arm"] not in DRAFTING:
            assert whole["acceptance"] is None
            continue
        by_counters = whole["acceptance"]
        by_requests = whole["acceptance_by_requests"]
        assert by_counters["drafts"] > 0
        assert by_requests["drafts"] == by_counters["drafts"]
        assert by_requests["length"] == pytest.approx(by_counters["length"], rel=0.02)
        assert abs(whole["acceptance_difference"]) <= 0.02
        seen.add(cell["key"]["arm"])
    assert seen == set(DRAFTING)


def test_a_target_that_drafts_for_itself_has_every_token_accepted(
    report: dict[str, Any],
) -> None:
    """Right kernels make a draft equal to what the target says itself."""
    for cell in cells(report, "by-sglang"):
        if cell["key"]["arm"] == "standalone":
            found = cell["whole_run"]["acceptance_by_requests"]
            assert found["length"] == pytest.approx(4, rel=0.1)


def test_drafting_changes_no_answer(run_folder: Path) -> None:
    """Greedy, one request at a time, in float32: the same text, but for a tie."""
    answers: dict[str, dict[str, str]] = {}
    for cell in StoredRun.open(run_folder).cells().cells:
        condition = cell.record.key.condition
        if condition.target == "by-sglang" and condition.concurrency == 1:
            answers[cell.record.key.arm] = {
                sample.prompt_id: "".join(chunk.text for chunk in sample.chunks)
                for sample in cell.samples()
                if sample.role is Role.MEASURED
            }
    assert set(answers) == set(ARMS["by-sglang"])
    plain = answers["baseline"]
    assert len(plain) >= 3
    for arm in DRAFTING:
        same = sum(answers[arm][prompt] == text for prompt, text in plain.items())
        assert same >= 0.75 * len(plain)


def test_every_cell_began_with_an_empty_corpus(run_folder: Path) -> None:
    records = [
        strict_json(path.read_text())
        for path in sorted(run_folder.glob("cells/*/record.json"))
    ]
    assert records
    assert {record["not_flushed"] for record in records} == {None}


def test_one_report_has_an_outcome_for_each_engine(report: dict[str, Any]) -> None:
    found = {
        (answer["engine"].split()[0], answer["target"], answer["arm"])
        for answer in report["break_evens"]
        if answer["answer"]
    }
    assert found == {
        (target.removeprefix("by-"), target, arm)
        for target, arms in ARMS.items()
        for arm in arms
        if arm != "baseline"
    }


def test_no_engine_is_left_behind(run_folder: Path) -> None:
    run = f"-{run_folder.name.rpartition('-')[2]}-".encode()
    left = []
    for path in Path("/proc").glob("[0-9]*/environ"):
        try:
            pairs = path.read_bytes().split(b"\0")
        except OSError:
            continue
        if any(one.startswith(b"SPECBENCH_LAUNCH=") and run in one for one in pairs):
            left.append(path.parent.name)
    assert left == []
