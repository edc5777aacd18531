"""From stored cells to findings that only show beside others."""

import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from specbench.runner.derive import Derived, conclude_run
from specbench.schema.cell import CellKey, Condition
from specbench.schema.comparison import NoiseRecord
from specbench.schema.plan import CellSize
from specbench.schema.record import CellRecord, EngineFacts, GpuReading, LaunchRecord
from specbench.schema.sample import RequestSample, Role
from specbench.schema.snapshot import MetricsSnapshot, Phase
from specbench.schema.sweep import AA, BASELINE
from specbench.store.reader import StoredRun
from specbench.store.writer import RunWriter
from tests.factories import CLEAN_CLIENT, steady_sample
from tests.unit.store.examples import example_manifest
from tests.unit.store.test_noise_file import RECORD

LOSSY = {
    "method": "eagle3",
    "num_speculative_tokens": 3,
    "rejection_sample_method": "synthetic",
    "synthetic_acceptance_length": 3.0,
}
SWEEP = {
    "targets": [{"model": "m", "engine": "vllm"}],
    "arms": [{"name": "fast", "speculative": LOSSY}],
    "workload": {"datasets": ["d"]},
    "load": {"concurrency": [1]},
}
HOT = GpuReading(
    *(Phase.INSIDE, 5, 0, "GPU-0", 92, 900, 700.0),
    slowdowns=("hw_thermal_slowdown",),
    memory_used_bytes=None,
    foreign_pids=None,
)


def requests(tokens: int) -> list[RequestSample]:
    return [
        steady_sample(
            1000.0 * place,
            tokens,
            1000.0 / tokens,
            index=place,
            prompt_id=f"q/{place}",
            role=Role.WARMUP if place == 0 else Role.MEASURED,
        )
        for place in range(14)
    ]


def pages(running: float) -> list[MetricsSnapshot]:
    return [
        MetricsSnapshot(
            Phase.INSIDE,
            second * 1_000_000_000,
            f'vllm:num_requests_running{{engine="0"}} {running}\n',
            None,
        )
        for second in range(2, 10)
    ]


def stored(
    results: Path,
    *,
    arm_tokens: int,
    gpu: tuple[GpuReading, ...] = (),
    other: str = "fast",
    noise: tuple[NoiseRecord, ...] = (),
) -> Path:
    """A run of one baseline cell and one of the other arm."""
    manifest = replace(example_manifest(), sweep=SWEEP, aa=other == AA, noise=noise)
    writer = RunWriter.create(
        results,
        manifest,
        datetime(2026, 11, 30, tzinfo=UTC),
        "a1",
    )
    facts = EngineFacts(
        *("vllm", "0.32.0", "m", 4096, None, None, 256, 8192, False),
        cuda_graph_max_tokens=512,
    )
    for place, (arm, tokens) in enumerate(((BASELINE, 100), (other, arm_tokens)), 1):
        writer.write_launch(LaunchRecord(place, "m", arm, 1, ("vllm",), facts=facts))
        writer.write_cell(
            CellRecord(
                CellKey(Condition("m", "d", 0, 0.0, 1), arm, 1),
                place,
                CellSize(1, 13),
                "2026-11-30T09:01:00+00:00",
                14.0,
                CLEAN_CLIENT,
                gpu if arm != BASELINE else (),
            ),
            requests(tokens),
            pages(200.0),
        )
    return writer.folder


def derived(folder: Path) -> Derived:
    return conclude_run(StoredRun.open(folder))


def codes(run: Derived, arm: str) -> set[str]:
    return {f.code for c in run.findings.cells if c.key.arm == arm for f in c.findings}


def test_what_shows_only_beside_the_baseline_is_found_in_a_stored_run(
    tmp_path: Path,
) -> None:
    run = derived(stored(tmp_path, arm_tokens=150))
    assert {"not-lossless", "outputs-differ", "beyond-cuda-graphs"} <= codes(
        run, "fast"
    )
    assert not codes(run, BASELINE) & {
        "not-lossless",
        "outputs-differ",
        "beyond-cuda-graphs",
    }
    (lossy,) = run.facts.lossy_arms
    assert (lossy.target, lossy.arm) == ("m", "fast")


def test_readings_of_the_gpus_are_judged_from_the_store(tmp_path: Path) -> None:
    run = derived(stored(tmp_path, arm_tokens=100, gpu=(HOT,)))
    assert "thermal-slowdown" in codes(run, "fast")
    assert "outputs-differ" not in codes(run, "fast")


def test_a_run_from_before_these_fields_is_still_concluded(tmp_path: Path) -> None:
    folder = stored(tmp_path, arm_tokens=100)
    for path in folder.glob("cells/*/record.json"):
        document = json.loads(path.read_text())
        del document["gpu"]
        del document["client"]["processes"]
        del document["client"]["lag_expected"]
        path.write_text(json.dumps(document))
    for path in folder.glob("launches/*/launch.json"):
        document = json.loads(path.read_text())
        del document["facts"]["cuda_graph_max_tokens"]
        path.write_text(json.dumps(document))
    run = derived(folder)
    assert run.damaged == ()
    assert len(run.findings.cells) == 2
    assert "beyond-cuda-graphs" not in codes(run, "fast")


def test_the_second_baseline_of_an_aa_run_is_no_speculating_arm(tmp_path: Path) -> None:
    run = derived(stored(tmp_path, arm_tokens=100, other=AA))
    assert not codes(run, AA) & {"no-drafts", "not-lossless"}
    assert run.facts.lossy_arms == ()
    drafting = derived(stored(tmp_path / "sweep", arm_tokens=100))
    assert "not-lossless" in codes(drafting, "fast")


def test_a_report_rests_on_the_noise_that_was_known_then(tmp_path: Path) -> None:
    run = derived(stored(tmp_path, arm_tokens=100, noise=(RECORD,)))
    assert run.findings.prior == (RECORD,)
