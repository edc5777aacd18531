"""One sweep over two engines on a machine that pretends to have four GPUs: both at the
same time, each launch on a GPU of its own, one report with an outcome for each."""

import csv
import io
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from specbench.store.reader import StoredRun
from tests.loopback.cli import only_run, ran_to_its_end, specbench, strict_json
from tests.loopback.engine_script import write_engine
from tests.loopback.sglang_script import write_sglang
from tests.loopback.two_gpus import with_fake_gpus

SWEEP = """
[[targets]]
name = "on-vllm"
model = "some/model"
engine = "vllm"
executable = "{vllm}"

[[targets]]
name = "on-sglang"
model = "some/model"
engine = "sglang"
executable = "{sglang}"

[[arms]]
name = "drafts"
targets = ["on-vllm"]
speculative = {{ method = "ngram", num_speculative_tokens = 3, prompt_lookup_max = 3 }}

[[arms]]
name = "drafts"
targets = ["on-sglang"]
speculative = {{ algorithm = "STANDALONE", draft_model_path = "some/draft", \
num_steps = 3, eagle_topk = 1, num_draft_tokens = 4 }}

[workload]
datasets = ["mt-bench-style"]
max_tokens = 12
turns = "first"

[load]
concurrency = [1, 2]

[measure]
replicates = 2
min_requests = 6
requests_per_slot = 4
placement = "side-by-side"
gpus = {gpus}
"""


def write(folder: Path, gpus: str = "[0, 1, 2, 3]") -> None:
    text = SWEEP.format(
        vllm=write_engine(folder), sglang=write_sglang(folder), gpus=gpus
    )
    (folder / "sweep.toml").write_text(text)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("engines")
    write(folder)
    env = with_fake_gpus(folder, 4)
    done = specbench("run", "sweep.toml", cwd=folder, env=env)
    assert ran_to_its_end(done), done.stdout + done.stderr
    return only_run(folder)


def launches(run: Path) -> list[dict[str, Any]]:
    found = [strict_json(p.read_text()) for p in run.glob("launches/*/launch.json")]
    return sorted(found, key=lambda launch: launch["index"])


def test_no_two_launches_at_a_time_share_a_gpu_and_arms_swap_theirs(run: Path) -> None:
    found = launches(run)
    assert [(x["target"], x["arm"], x["place"], x["gpus"]) for x in found] == [
        ("on-vllm", "baseline", 0, ["GPU-0"]),
        ("on-vllm", "drafts", 1, ["GPU-1"]),
        ("on-sglang", "baseline", 2, ["GPU-2"]),
        ("on-sglang", "drafts", 3, ["GPU-3"]),
        ("on-vllm", "drafts", 0, ["GPU-0"]),
        ("on-vllm", "baseline", 1, ["GPU-1"]),
        ("on-sglang", "drafts", 2, ["GPU-2"]),
        ("on-sglang", "baseline", 3, ["GPU-3"]),
    ]
    visible = [[x["env"]["CUDA_VISIBLE_DEVICES"]] for x in found]
    assert visible == [x["gpus"] for x in found]


def test_both_engines_are_measured_at_the_same_time(run: Path) -> None:
    first = {"on-vllm": list[datetime](), "on-sglang": list[datetime]()}
    for cell in StoredRun.open(run).cells().cells:
        if cell.record.launch_index <= 4:
            target = cell.record.key.condition.target
            first[target].append(datetime.fromisoformat(cell.record.started_utc))
    one, other = first.values()
    assert min(one) < max(other)
    assert min(other) < max(one)


def test_both_engines_get_the_same_loads_and_requests(run: Path) -> None:
    asked: dict[str, set[tuple[int, tuple[str, ...]]]] = {}
    for cell in StoredRun.open(run).cells().cells:
        condition = cell.record.key.condition
        prompts = tuple(sample.prompt_id for sample in cell.samples())
        asked.setdefault(condition.target, set()).add((condition.concurrency, prompts))
    assert asked["on-vllm"] == asked["on-sglang"]
    assert len(asked["on-vllm"]) == 2


def test_one_report_has_an_outcome_for_each_engine(run: Path) -> None:
    report = strict_json((run / "report.json").read_text())
    told = {
        (one["label"], one["model"], one["device"], one["engine"].split()[0])
        for one in report["run"]["targets"]
    }
    assert told == {
        ("on-vllm", "model", "1x NVIDIA H200", "vllm"),
        ("on-sglang", "model", "1x NVIDIA H200", "sglang"),
    }
    text = (run / "report.md").read_text()
    for answer in report["break_evens"]:
        names = (answer["model"], answer["device"], answer["engine"], answer["arm"])
        assert f"| {' | '.join(names)} |" in text
    measured = {c["key"]["condition"]["target"] for c in report["cells"]}
    assert measured == {"on-vllm", "on-sglang"}


def test_a_dry_run_shows_where_each_launch_goes(tmp_path: Path) -> None:
    write(tmp_path)
    env = with_fake_gpus(tmp_path, 4)
    table = specbench("run", "sweep.toml", "--dry-run", cwd=tmp_path, env=env).stdout
    assert "at the same time: on-vllm, on-sglang" in table
    assert "place 2 has GPU GPU-2; place 3 has GPU GPU-3" in table
    done = specbench(
        *("run", "sweep.toml", "--dry-run", "--format", "csv"), cwd=tmp_path, env=env
    )
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    assert {(row["wave"], row["place"], row["gpus"]) for row in rows} == {
        (str(wave), str(place), f"GPU-{place}") for wave in (0, 1) for place in range(4)
    }


def test_fewer_named_gpus_than_both_engines_need_make_them_follow_one_another(
    tmp_path: Path,
) -> None:
    write(tmp_path, '[3, "GPU-1"]')
    env = with_fake_gpus(tmp_path, 4)
    done = specbench(
        *("run", "sweep.toml", "--dry-run", "--format", "json"), cwd=tmp_path, env=env
    )
    plan = strict_json(done.stdout)
    assert plan["together"] == [["on-vllm"], ["on-sglang"]]
    assert {gpu for cell in plan["cells"] for gpu in cell["gpus"]} == {"GPU-1", "GPU-3"}


@pytest.mark.parametrize(
    ("gpus", "words"),
    [
        ("[0, 4]", "measure.gpus[1]: no GPU of this machine is 4"),
        ('[1, "GPU-1"]', "measure.gpus[1]: GPU-1 is GPU 1, which is there already"),
        ("[2]", "side by side need 2 GPUs"),
        ('["MIG-2"]', "measure.gpus[0]: MIG-2 is a part of a GPU"),
    ],
)
def test_gpus_that_cannot_be_used_are_refused_before_anything_starts(
    tmp_path: Path, gpus: str, words: str
) -> None:
    write(tmp_path, gpus)
    env = with_fake_gpus(tmp_path, 4)
    done = specbench("run", "sweep.toml", cwd=tmp_path, env=env)
    assert done.returncode == 2
    assert words in done.stderr
    assert not (tmp_path / "results").exists()
