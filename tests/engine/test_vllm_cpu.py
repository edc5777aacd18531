"""A real vLLM on the CPU: baseline and n-gram drafting, a handful of requests, the
whole way from a sweep file to a report. Times mean nothing here; facts do."""

import csv
from pathlib import Path

import pytest

from specbench.schema.sample import Role
from specbench.store.reader import StoredRun
from tests.engine.places import MODEL, VLLM, need
from tests.loopback.cli import ran_to_its_end, specbench, strict_json

SWEEP = """
[target]
model = "{model}"
engine = "vllm"
executable = "{vllm}"
device = "cpu"
args = {{ max-model-len = 1024, enforce-eager = true, dtype = "float32" }}
env = {{ VLLM_CPU_KVCACHE_SPACE = "1" }}

[[arms]]
name = "ngram-k3"
[arms.speculative]
method = "ngram"
num_speculative_tokens = 3
prompt_lookup_max = 4
prompt_lookup_min = 2

[workload]
datasets = ["input-grounded"]
context = [0, 512]
max_tokens = 16
turns = "first"

[load]
concurrency = [1, 2]

[measure]
replicates = 1
min_requests = 4
requests_per_slot = 2
"""

pytestmark = pytest.mark.engine


@pytest.fixture(scope="module")
def run_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One run of the sweep, measured once for all tests of this module."""
    need(VLLM, MODEL)
    folder = tmp_path_factory.mktemp("engine")
    sweep = folder / "tiny.toml"
    sweep.write_text(SWEEP.format(model=MODEL, vllm=VLLM))
    done = specbench("run", str(sweep), "--results", "out", cwd=folder, limit_s=1200)
    assert ran_to_its_end(done), done.stdout + done.stderr
    assert "break-even" in done.stdout.lower()
    (run,) = (folder / "out" / "tiny").iterdir()
    return run


def cells(run: Path) -> list[dict[str, str]]:
    with (run / "cells.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def test_every_cell_of_both_arms_is_measured(run_folder: Path) -> None:
    measured = {(c["arm"], c["context"], c["concurrency"]) for c in cells(run_folder)}
    assert measured == {
        (arm, context, load)
        for arm in ("baseline", "ngram-k3")
        for context in ("0", "512")
        for load in ("1", "2")
    }
    assert all(c["failed"] == "0" for c in cells(run_folder))


def test_launch_facts_are_read_back_from_the_engine(run_folder: Path) -> None:
    for path in sorted(run_folder.glob("launches/*/launch.json")):
        launch = strict_json(path.read_text())
        facts = launch["facts"]
        assert facts["version"].startswith("0.32")
        assert facts["kv_capacity_tokens"] > 1024
        assert facts["max_model_len"] == 1024
        assert facts["max_num_seqs"] == 2
        assert facts["prefix_caching"] is False
        assert "--host" in launch["command"]
        assert launch["command"][launch["command"].index("--host") + 1] == "127.0.0.1"


def test_only_the_speculative_arm_has_acceptance(run_folder: Path) -> None:
    report = strict_json((run_folder / "report.json").read_text())
    for cell in report["cells"]:
        if cell["key"]["arm"] == "baseline":
            assert cell["whole_run"]["acceptance"] is None
        else:
            acceptance = cell["whole_run"]["acceptance"]
            assert acceptance["drafts"] > 0
            assert 0 <= acceptance["accepted_tokens"] <= acceptance["draft_tokens"]
            assert len(acceptance["by_position"]) == 3


def test_prompts_have_the_wanted_length_by_the_servers_own_count(
    run_folder: Path,
) -> None:
    for cell in StoredRun.open(run_folder).cells().cells:
        if cell.record.key.condition.context != 512:
            continue
        counts = [s.prompt_tokens for s in cell.samples() if s.role is Role.MEASURED]
        assert counts
        assert all(n is not None and abs(n - 512) <= 0.02 * 512 for n in counts)


def test_no_engine_is_left_behind(run_folder: Path) -> None:
    marker = b"SPECBENCH_LAUNCH="
    left = []
    for path in Path("/proc").glob("[0-9]*/environ"):
        try:
            environ = path.read_bytes()
        except OSError:
            continue
        if (
            marker in environ
            and str(MODEL).encode() in path.with_name("cmdline").read_bytes()
        ):
            left.append(path.parent.name)
    assert left == []
