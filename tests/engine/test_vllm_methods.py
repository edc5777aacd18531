"""A real vLLM on the CPU with drafters of three kinds: a draft model, an untrained
head, and n-grams with a length by batch size; a handful of requests each, from the
sweep file to the report. Times mean nothing here; facts do."""

from typing import Any

import pytest

from tests.engine.heads.eagle3 import make_untrained_head
from tests.engine.places import MODEL, VLLM, need
from tests.loopback.cli import ran_to_its_end, specbench, strict_json

K = 3

SWEEP = """
[target]
model = "{model}"
engine = "vllm"
executable = "{vllm}"
device = "cpu"
args = {{ max-model-len = 1024, enforce-eager = true, dtype = "float32" }}
env = {{ VLLM_CPU_KVCACHE_SPACE = "1", HF_HUB_OFFLINE = "1" }}

[[arms]]
name = "itself"
[arms.speculative]
method = "draft_model"
model = "{model}"
num_speculative_tokens = 3

[[arms]]
name = "head"
speculative = {{ method = "eagle3", model = "{head}", num_speculative_tokens = 3 }}

[[arms]]
name = "table"
[arms.speculative]
method = "ngram"
num_speculative_tokens = 3
prompt_lookup_max = 4
prompt_lookup_min = 2
num_speculative_tokens_per_batch_size = [[1, 1, 3], [2, 64, 0]]

[workload]
datasets = ["input-grounded"]
context = [0]
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
def report(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """One run of the sweep, measured once for all tests of this module."""
    need(VLLM, MODEL)
    folder = tmp_path_factory.mktemp("methods")
    head = make_untrained_head(MODEL, folder / "head")
    sweep = folder / "methods.toml"
    sweep.write_text(SWEEP.format(model=MODEL, vllm=VLLM, head=head))
    done = specbench("run", str(sweep), "--results", "out", cwd=folder, limit_s=1200)
    assert ran_to_its_end(done), done.stdout + done.stderr
    (run,) = (folder / "out" / "methods").iterdir()
    found: dict[str, Any] = strict_json((run / "report.json").read_text())
    return found


def acceptance(report: dict[str, Any], arm: str, concurrency: int) -> dict[str, Any]:
    (cell,) = [
        cell
        for cell in report["cells"]
        if cell["key"]["arm"] == arm
        and cell["key"]["condition"]["concurrency"] == concurrency
    ]
    assert cell["failed"] == 0
    found: dict[str, Any] | None = cell["whole_run"]["acceptance"]
    # a cell without a draft has none
    return found or {"drafts": 0, "draft_tokens": 0}


def test_every_arm_is_measured_at_every_load(report: dict[str, Any]) -> None:
    cells = {
        (cell["key"]["arm"], cell["key"]["condition"]["concurrency"])
        for cell in report["cells"]
    }
    arms = ("baseline", "itself", "head", "table")
    assert cells == {(arm, load) for arm in arms for load in (1, 2)}


def test_a_target_that_drafts_for_itself_is_nearly_always_right(
    report: dict[str, Any],
) -> None:
    found = acceptance(report, "itself", 1)
    assert found["draft_tokens"] == K * found["drafts"]
    assert found["rate"] > 0.8
    assert len(found["by_position"]) == K


def test_an_untrained_head_drafts_and_is_hardly_ever_right(
    report: dict[str, Any],
) -> None:
    found = acceptance(report, "head", 1)
    assert found["drafts"] > 0
    assert found["draft_tokens"] == K * found["drafts"]
    assert found["rate"] < 0.2


def test_a_table_by_batch_size_stops_the_drafts_at_two(report: dict[str, Any]) -> None:
    """Where a cell ends, one request is alone again and gets drafts; there are far
    fewer than where it always is."""
    alone, beside = acceptance(report, "table", 1), acceptance(report, "table", 2)
    assert alone["drafts"] > 0
    assert alone["draft_tokens"] > alone["drafts"]
    assert beside["drafts"] < alone["drafts"]
