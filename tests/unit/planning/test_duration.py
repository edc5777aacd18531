import pytest

from specbench.planning.duration import (
    estimate_launch,
    estimate_remaining,
    estimate_whole,
)
from specbench.planning.expand import plan_sweep
from specbench.planning.known_times import (
    Assumptions,
    Known,
    Recalled,
    RecalledCell,
    Speed,
)
from specbench.schema.cell import CellKey
from specbench.schema.plan import SweepPlan
from tests.unit.planning.sweep_texts import SOUND, read

# 2 launches of each of 2 arms; one cell of 4 warm-up and 16 measured requests each.
PLAN = plan_sweep(read(SOUND, "load.concurrency=[4]", "workload.max_tokens=100"))
CELLS = [launch.cells[0] for launch in PLAN.launches]
SIMPLE = Assumptions(startup_s=10.0, speed=Speed(ttft_s=1.0, tpot_s=0.1))
ASSUMED_CELL_S = 20 * 1.0 + 20 / 4 * 100 * 0.1


def test_before_anything_is_known_all_rests_on_assumptions_that_are_named() -> None:
    estimate = estimate_remaining(PLAN, {}, assumed=SIMPLE)
    assert estimate.seconds == pytest.approx(4 * (10 + ASSUMED_CELL_S))
    assert estimate.basis == (
        "4 cells assumed (TTFT 1 s and TPOT 0.1 s alone, every answer as long as"
        " max_tokens allows); each start-up 10 s assumed"
    )


def test_batch_beyond_the_flat_range_slows_every_step_down() -> None:
    slow = Assumptions(startup_s=10.0, speed=SIMPLE.speed, flat_until=2)
    estimate = estimate_launch(PLAN, PLAN.launches[0], {}, assumed=slow)
    assert estimate.seconds == pytest.approx(10 + 20 + 2 * 50)


def test_warmed_up_launch_lends_its_speed_to_itself_first() -> None:
    speeds = {1: Speed(0.0, 0.01), 2: Speed(0.0, 0.02)}
    known = Known(startups={1: 30.0, 2: 30.0}, speeds=speeds)
    first, second = (
        estimate_launch(PLAN, launch, {}, known, SIMPLE) for launch in PLAN.launches[:2]
    )
    assert first.seconds == pytest.approx(20 / 4 * 100 * 0.01)
    assert second.seconds == pytest.approx(20 / 4 * 100 * 0.02)
    assert first.basis == "1 cell from the speed of a warmed-up engine"


def test_later_launch_borrows_the_speed_of_its_own_arm() -> None:
    speeds = {1: Speed(0.0, 0.01), 2: Speed(0.0, 0.02)}
    known = Known(startups={1: 30.0, 2: 50.0}, speeds=speeds)
    arm_again = estimate_launch(PLAN, PLAN.launches[2], {}, known, SIMPLE)
    assert arm_again.seconds == pytest.approx(40 + 20 / 4 * 100 * 0.02)


def test_cell_measured_in_an_earlier_launch_is_taken_as_it_was() -> None:
    known = Known(startups={1: 30.0, 2: 50.0}, ended={1, 2})
    done = {CELLS[0]: 7.0, CELLS[1]: 3.0}
    estimate = estimate_remaining(PLAN, done, known, SIMPLE)
    assert estimate.seconds == pytest.approx(2 * 40 + 3 + 7)
    assert estimate.basis == "2 cells as measured in an earlier launch"


def test_other_arm_stands_in_until_the_arm_itself_was_measured() -> None:
    estimate = estimate_launch(PLAN, PLAN.launches[1], {CELLS[0]: 7.0}, assumed=SIMPLE)
    assert estimate.seconds == pytest.approx(10 + 7)
    assert estimate.basis == (
        "1 cell as another arm needed for it; each start-up 10 s assumed"
    )


def test_launch_that_failed_is_not_waited_for() -> None:
    known = Known(ended={1, 2, 3})
    estimate = estimate_remaining(PLAN, {}, known, SIMPLE)
    assert estimate.seconds == pytest.approx(10 + ASSUMED_CELL_S)


def test_nothing_is_left_when_every_cell_is_done() -> None:
    done: dict[CellKey, float] = dict.fromkeys(CELLS, 5.0)
    estimate = estimate_remaining(PLAN, done)
    assert estimate.seconds == 0
    assert estimate.basis == "nothing left to measure"


def test_launches_side_by_side_take_as_long_as_the_longest_of_them() -> None:
    plan = plan_sweep(
        read(SOUND, "load.concurrency=[4]", "workload.max_tokens=100"),
        places={"Some-Model-8B": 2},
    )
    estimate = estimate_remaining(plan, {}, assumed=SIMPLE)
    assert estimate.seconds == pytest.approx(2 * (10 + ASSUMED_CELL_S))
    assert estimate.basis.startswith("4 cells assumed")
    slow = Speed(ttft_s=2.0, tpot_s=0.1)
    known = Known(startups={1: 5.0, 2: 5.0}, speeds={1: SIMPLE.speed, 2: slow})
    slow_cell_s = 20 * 2.0 + 20 / 4 * 100 * 0.1
    both_waves = estimate_remaining(plan, {}, known, SIMPLE)
    assert both_waves.seconds == pytest.approx(slow_cell_s + 5 + slow_cell_s)


def recalled(plan: SweepPlan, arm: str, seconds: float, day: str) -> Recalled:
    condition = plan.launches[0].cells[0].condition
    return Recalled(
        cells={(condition, arm): RecalledCell(seconds, day)},
        startups={("Some-Model-8B", arm): 20.0},
    )


def test_an_earlier_run_on_this_machine_is_told_with_its_day() -> None:
    known = Known(recalled=recalled(PLAN, "baseline", 7.0, "2026-12-01"))
    estimate = estimate_remaining(PLAN, {}, known, SIMPLE)
    assert estimate.seconds == pytest.approx(4 * 20 + 2 * 7 + 2 * ASSUMED_CELL_S)
    assert estimate.is_guess
    assert estimate.basis.startswith(
        "4 cells: 2 as measured on 2026-12-01, 2 assumed (TTFT 1 s"
    )
    assert estimate.basis.endswith(
        "; each start-up 20 s as in an earlier run, 20 s as other arms needed in an"
        " earlier run"
    )


def test_what_this_run_has_measured_counts_more_than_an_earlier_one() -> None:
    known = Known(recalled=recalled(PLAN, "baseline", 7.0, "2026-12-01"))
    again = PLAN.launches[3]
    assert again.arm == "baseline"
    estimate = estimate_launch(PLAN, again, {CELLS[0]: 5.0}, known, SIMPLE)
    assert estimate.seconds == pytest.approx(20 + 5)
    assert not estimate.is_guess


def test_a_load_between_two_measured_ones_is_between_their_times() -> None:
    plan = plan_sweep(read(SOUND, "load.concurrency=[1, 4, 16]"))
    low, middle, high = plan.launches[0].cells
    done = {low: 10.0, high: 30.0}
    estimate = estimate_launch(plan, plan.launches[0], done, assumed=SIMPLE)
    assert middle not in done
    assert estimate.seconds == pytest.approx(10 + 20)
    assert estimate.basis.startswith("1 cell from neighbouring loads")
    assert not estimate.is_guess


def test_a_load_beyond_the_measured_ones_grows_as_the_model_says() -> None:
    plan = plan_sweep(read(SOUND, "load.concurrency=[4, 8]", "workload.max_tokens=100"))
    first, _ = plan.launches[0].cells
    known = Known(startups={1: 1.0})
    estimate = estimate_launch(plan, plan.launches[0], {first: 7.0}, known, SIMPLE)
    of_eight = 40 * 1.0 + 40 / 8 * 100 * 0.1
    assert estimate.seconds == pytest.approx(7.0 * of_eight / ASSUMED_CELL_S)


def test_the_whole_of_a_grid_costs_the_same_however_much_of_it_is_done() -> None:
    known = Known(startups={1: 30.0}, ended={1})
    whole = estimate_whole(PLAN, PLAN.waves, {CELLS[0]: 7.0}, known, SIMPLE)
    assert whole.seconds == pytest.approx(4 * (30 + 7))
    assert whole.cell_s == pytest.approx(4 * 7)
