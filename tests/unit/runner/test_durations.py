"""How long things take on this machine: kept after a run, recalled for the next."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from specbench.planning.expand import plan_sweep
from specbench.runner.durations import keep_durations, recall_durations
from specbench.runner.placement import Place, Placement
from specbench.runner.progress import Done, SweepProgress
from specbench.schema.plan import SweepPlan
from specbench.schema.record import EngineFacts, LaunchRecord
from specbench.store.durations_file import durations_path, read_durations
from tests.factories import cell_stats
from tests.unit.planning.sweep_texts import SOUND, read
from tests.unit.runner.test_placement import NO_GPU

PLAN = plan_sweep(read(SOUND))
ARM = "ngram-k3"
LABEL = "Some-Model-8B"
FACTS = EngineFacts("vllm", "0.32.0", "m", 4096, None, None, 16, 8192, False)
PLACEMENT = Placement(NO_GPU, {LABEL: (Place(),)}, None, 8)
NOW = "2026-12-01T09:00:00+00:00"


@pytest.fixture(autouse=True)
def own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def measured(seconds: Sequence[float], *, failed: int = 0) -> Done:
    """The first cell of each launch took so long; each launch 30 s more."""
    progress = SweepProgress(PLAN)
    for launch, cell_s in zip(PLAN.launches, seconds, strict=False):
        record = LaunchRecord(
            *(launch.index, LABEL, launch.arm, launch.replicate, ("vllm",)),
            facts=FACTS,
            ready_s=20.0,
        )
        stats = replace(cell_stats(failed=failed), key=launch.cells[0])
        progress.note_start(launch, record, None)
        progress.note_cell(stats, cell_s)
        progress.note_end(launch, record)
        progress.note_wave((launch,), cell_s + 30.0)
    return progress.done()


def test_what_a_run_has_shown_is_recalled_for_the_same_arms() -> None:
    assert keep_durations(PLAN, PLACEMENT, measured([10, 7, 9, 12]), NOW) == ""
    known = recall_durations(PLAN, PLACEMENT)
    assert known.note == ""
    condition = PLAN.launches[0].cells[0].condition
    assert {key: cell.seconds for key, cell in known.recalled.cells.items()} == {
        (condition, "baseline"): 11.0,
        (condition, ARM): 8.0,
    }
    assert {cell.day for cell in known.recalled.cells.values()} == {"2026-12-01"}
    assert known.recalled.startups == {
        (LABEL, "baseline"): pytest.approx(30.0),
        (LABEL, ARM): pytest.approx(30.0),
    }


def test_a_launch_that_was_interrupted_counts_with_the_cells_that_it_measured() -> None:
    progress = SweepProgress(PLAN)
    launch = PLAN.launches[0]
    record = LaunchRecord(1, LABEL, "baseline", 1, ("vllm",), facts=FACTS)
    progress.note_start(launch, record, None)
    progress.note_cell(replace(cell_stats(), key=launch.cells[0]), 10.0)
    keep_durations(PLAN, PLACEMENT, progress.done(), NOW)
    recalled = recall_durations(PLAN, PLACEMENT).recalled
    assert [cell.seconds for cell in recalled.cells.values()] == [10.0]
    assert recalled.startups == {}


def test_a_cell_with_failed_requests_is_no_measure() -> None:
    keep_durations(PLAN, PLACEMENT, measured([10, 7], failed=3), NOW)
    assert recall_durations(PLAN, PLACEMENT).recalled.cells == {}


def changed(*overrides: str) -> SweepPlan:
    return plan_sweep(read(SOUND, *overrides))


@pytest.mark.parametrize(
    "plan",
    [
        changed("target.model=other/model", f"target.name={LABEL}"),
        changed("target.args.max-model-len=2048"),
        changed('target.env.OMP_NUM_THREADS="2"'),
        changed("target.tensor_parallel=2"),
        changed("workload.max_tokens=512"),
        changed("measure.requests_per_slot=8"),
    ],
)
def test_what_was_served_or_measured_otherwise_does_not_fit(plan: SweepPlan) -> None:
    keep_durations(PLAN, PLACEMENT, measured([10, 7]), NOW)
    assert recall_durations(plan, PLACEMENT).recalled.cells == {}


@pytest.mark.parametrize(
    "plan",
    [
        changed("measure.replicates=9"),
        changed("load.concurrency=[1, 2, 4, 8]"),
        changed("search.mode=adaptive"),
        changed("target.executable=elsewhere/vllm"),
    ],
)
def test_other_loads_and_more_launches_of_the_same_arms_fit(plan: SweepPlan) -> None:
    keep_durations(PLAN, PLACEMENT, measured([10, 7]), NOW)
    assert len(recall_durations(plan, PLACEMENT).recalled.cells) == 2


def test_another_drafter_under_the_same_name_does_not_fit() -> None:
    keep_durations(PLAN, PLACEMENT, measured([10, 7]), NOW)
    other = plan_sweep(
        read(SOUND.replace("num_speculative_tokens = 3", "num_speculative_tokens = 5"))
    )
    arms = {arm for _, arm in recall_durations(other, PLACEMENT).recalled.cells}
    assert arms == {"baseline"}


def test_a_later_engine_counts_more_and_an_earlier_one_fills_the_gaps() -> None:
    keep_durations(PLAN, PLACEMENT, measured([10, 7]), NOW)
    done = measured([11])
    newer = replace(FACTS, version="0.33.0")
    launches = tuple(replace(r, facts=newer) for r in done.launches)
    keep_durations(PLAN, PLACEMENT, replace(done, launches=launches), NOW)
    cells = recall_durations(PLAN, PLACEMENT).recalled.cells
    assert {arm: cell.seconds for (_, arm), cell in cells.items()} == {
        "baseline": 11.0,
        ARM: 7.0,
    }


def test_a_damaged_file_is_told_and_costs_nothing_but_the_knowledge() -> None:
    path = durations_path("box")
    path.parent.mkdir(parents=True)
    path.write_text("{")
    known = recall_durations(PLAN, PLACEMENT)
    assert known.recalled.cells == {}
    assert "could not be read" in known.note
    assert "box.json" in known.note


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("in the way")
    said = keep_durations(PLAN, PLACEMENT, measured([10]), NOW)
    assert said.startswith("how long things took could not be kept")


def test_arguments_are_kept_as_a_hash_since_they_may_hold_secrets() -> None:
    plan = changed("target.env.SOME_KEY=hunter2")
    keep_durations(plan, PLACEMENT, measured([10, 7]), NOW)
    path = durations_path("box")
    assert read_durations(path)
    assert "hunter2" not in path.read_text()
