"""Where a run stands, and what is left of it."""

from dataclasses import replace

import pytest

from specbench.planning.expand import plan_sweep
from specbench.runner.budget import Budget
from specbench.runner.progress import SweepProgress
from specbench.schema.plan import SweepPlan
from specbench.schema.record import LaunchRecord
from specbench.units import NS_PER_S
from tests.factories import cell_stats
from tests.unit.planning.sweep_texts import SOUND, read

GRID = plan_sweep(read(SOUND, "load.concurrency=[4, 8]"))
SEARCH = plan_sweep(read(SOUND, "load.concurrency=[4, 8]", "search.mode=adaptive"))


class Clock:
    def __init__(self) -> None:
        self.at_s = 0.0

    def __call__(self) -> int:
        return round(self.at_s * NS_PER_S)


def measure_first_launch(progress: SweepProgress, plan: SweepPlan) -> None:
    """Two cells of 10 s, and 6 s beside them."""
    launch = plan.launches[0]
    record = LaunchRecord(1, launch.target.label, launch.arm, 1, ("vllm",))
    progress.note_start(launch, replace(record, ready_s=4.0), None)
    for key in launch.cells:
        progress.begin_cells((key,))
        progress.note_cell(replace(cell_stats(), key=key), 10.0)
    progress.note_end(launch, record)
    progress.note_wave((launch,), 26.0)


def test_a_grid_counts_its_cells_and_tells_the_time_left() -> None:
    progress = SweepProgress(GRID)
    measure_first_launch(progress, GRID)
    outlook = progress.begin_cells(GRID.launches[1].cells[:1])
    assert (outlook.number, outlook.total) == (3, 8)
    assert outlook.remaining_s == pytest.approx(3 * (6 + 20))


def test_what_no_arm_can_serve_is_not_waited_for() -> None:
    progress = SweepProgress(GRID)
    measure_first_launch(progress, GRID)
    progress.note_impossible(GRID.launches[0].cells[1].condition)
    outlook = progress.begin_cells(GRID.launches[1].cells[:1])
    assert outlook.remaining_s == pytest.approx(3 * (6 + 10))


def test_a_search_has_no_total_and_takes_at_most_what_is_left_of_the_grids_time() -> (
    None
):
    clock = Clock()
    progress = SweepProgress(SEARCH, Budget(None, clock))
    measure_first_launch(progress, SEARCH)
    clock.at_s = 26.0
    outlook = progress.begin_cells(SEARCH.launches[1].cells[:1])
    assert (outlook.number, outlook.total) == (3, None)
    assert outlook.remaining_s == pytest.approx(4 * (6 + 20) - 26)
    assert outlook.basis.startswith("what is left of the grid's time")


def test_a_budget_that_is_less_than_that_is_the_bound() -> None:
    clock = Clock()
    progress = SweepProgress(SEARCH, Budget(30.0, clock))
    measure_first_launch(progress, SEARCH)
    clock.at_s = 26.0
    outlook = progress.begin_cells(SEARCH.launches[1].cells[:1])
    assert outlook.remaining_s == pytest.approx(4)
    assert outlook.basis == "what is left of the budget"


def test_launches_side_by_side_share_what_their_wave_took_beside_the_longest() -> None:
    plan = plan_sweep(
        read(SOUND, "load.concurrency=[4, 8]"), places={"Some-Model-8B": 2}
    )
    progress = SweepProgress(plan)
    wave = plan.waves[0]
    for launch, cell_s in zip(wave, (10.0, 4.0), strict=True):
        for key in launch.cells:
            progress.note_cell(replace(cell_stats(), key=key), cell_s)
    progress.note_wave(wave, 27.0)
    assert set(progress.done().overheads.values()) == {7.0}
