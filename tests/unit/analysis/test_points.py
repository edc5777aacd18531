"""Which points are set beside each other, and which are not."""

import math
from dataclasses import replace
from itertools import permutations
from typing import Any

import pytest

from specbench.analysis.point_answers import conclude_points
from specbench.analysis.points import pair_points
from specbench.schema.comparison import BreakEven, BreakEvenOutcome, Side, SpeedupMetric
from specbench.schema.point import BASELINE_ARM, PointArm, PointForm, PointTable
from tests.unit.analysis.points_of import (
    EAGLE,
    SETTING,
    paired,
    table,
    throughputs,
    tpots,
)


def only_answer(points: PointTable) -> BreakEven:
    (answer,) = conclude_points(points).answers
    return answer.break_even


def test_an_arm_is_set_beside_the_baseline_of_its_own_setting() -> None:
    other = replace(SETTING, weights="w4a16")
    points = table(paired({1: 2.0}), throughputs(BASELINE_ARM, {1: 7.0}, setting=other))
    (point,) = only_answer(points).curve.points
    assert point.speedup.value == pytest.approx(2.0)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("source", "another report"),
        ("gpu", "H100"),
        ("engine", "sglang"),
        ("engine_version", ""),
        ("model", "other"),
        ("weights", "w4a16"),
        ("kv_cache", "fp8"),
        ("dataset", ""),
        ("context", None),
    ],
)
def test_an_arm_without_a_baseline_of_its_own_has_no_speedup(
    field: str, value: object
) -> None:
    changed: Any = {field: value}
    elsewhere = replace(SETTING, **changed)
    made = only_answer(
        table(
            throughputs(EAGLE, {1: 200.0, 8: 90.0}),
            throughputs(BASELINE_ARM, {1: 100.0, 8: 100.0}, setting=elsewhere),
        )
    )
    assert made.outcome is BreakEvenOutcome.UNDECIDED
    assert made.first_slower_concurrency is None
    assert "no baseline of its own: the nearest one has" in made.note
    assert f"{field} {value or 'not given'} instead of" in made.note
    for point in made.curve.points:
        assert point.side is Side.UNKNOWN
        assert point.speedup.value is None
        assert point.speedup.missing == made.note


def test_without_any_baseline_the_answer_says_how_to_mark_one() -> None:
    made = only_answer(table(throughputs(EAGLE, {1: 200.0})))
    assert made.note == "the file has no baseline: no row with drafter `none`"


def test_a_load_without_its_baseline_has_no_speedup_and_the_others_do() -> None:
    made = only_answer(
        table(
            throughputs(BASELINE_ARM, {1: 100.0, 8: 100.0}),
            throughputs(EAGLE, {1: 200.0, 4: 150.0, 8: 90.0}),
        )
    )
    missing = [point.speedup.missing for point in made.curve.points]
    assert missing == [
        None,
        "the baseline has no figure for throughput at concurrency 4",
        None,
    ]
    assert made.outcome is BreakEvenOutcome.PAYS_UP_TO


def test_a_file_without_tpot_has_no_answer_by_tpot() -> None:
    (curve,) = pair_points(table(paired({1: 2.0})))
    assert curve.tables.frame.metric is SpeedupMetric.THROUGHPUT


def test_a_tpot_speedup_is_baseline_over_arm() -> None:
    points = tpots(paired({1: 2.0}), [10.0, 8.0])
    by_metric = {
        a.break_even.curve.metric: a.break_even.curve.points[0].speedup.value
        for a in conclude_points(table(points)).answers
    }
    assert by_metric == {
        SpeedupMetric.THROUGHPUT: pytest.approx(2.0),
        SpeedupMetric.TPOT: pytest.approx(1.25),
    }


def test_a_tpot_that_the_baseline_has_not_gives_no_speedup() -> None:
    base, arm = paired({1: 2.0})
    points = [base, *tpots([arm], [8.0])]
    by_tpot = conclude_points(table(points)).answers[1].break_even
    (point,) = by_tpot.curve.points
    assert (
        point.speedup.missing == "the baseline has no figure for tpot at concurrency 1"
    )


def test_arms_that_differ_in_draft_length_are_two() -> None:
    longer = replace(EAGLE, k="5")
    points = table(paired({1: 2.0}), throughputs(longer, {1: 300.0}))
    names = [answer.arm.name for answer in conclude_points(points).answers]
    assert names == ["eagle3 k=3", "eagle3 k=5"]


def test_the_order_of_rows_changes_no_answer() -> None:
    rows = paired({1: 2.0, 8: 1.1, 64: 0.8})
    told = {
        only_answer(table(list(order))).crossing for order in permutations(rows[:6], 6)
    }
    assert len(told) == 1


def test_replicates_give_intervals_and_single_runs_do_not() -> None:
    noise = {0: 1.0, 1: 1.01, 2: 0.995}
    rows = [
        point
        for replicate, factor in noise.items()
        for point in paired({1: 2.0 * factor, 8: 1.5, 64: 0.5 / factor}, replicate)
    ]
    made = only_answer(table(rows))
    assert made.note.startswith("from 3 replicates of each arm")
    crossing = made.crossing
    assert crossing is not None
    assert crossing.interval is not None
    alone = only_answer(table(paired({1: 2.0, 64: 0.5})))
    assert alone.crossing is not None
    assert alone.crossing.interval is None
    assert alone.crossing.no_interval == (
        "one run of an arm does not say how much runs differ"
    )


def test_replicates_that_share_no_load_are_no_replicates() -> None:
    rows = [*paired({1: 2.0}, replicate=0), *paired({64: 0.5}, replicate=1)]
    made = only_answer(table(rows))
    assert made.outcome is BreakEvenOutcome.PAYS_UP_TO
    assert "the replicates share no load" in made.note
    assert made.next_step == ""


def test_advice_is_in_replicates() -> None:
    rows = [
        point
        for replicate, factor in enumerate((0.97, 1.0, 1.04))
        for point in paired({1: 2.0, 8: 1.002 * factor, 64: 0.5}, replicate)
    ]
    made = only_answer(table(rows))
    assert made.loads(Side.OPEN) == (8,)
    assert "launch" not in made.note + made.next_step


def test_a_baseline_beside_which_nothing_was_measured_is_counted() -> None:
    idle = replace(SETTING, gpu="H100")
    points = table(paired({1: 2.0}), throughputs(BASELINE_ARM, {1: 9.0}, setting=idle))
    assert conclude_points(points).notes == (
        "1 of the baselines have no arm beside them",
    )


def test_a_ready_speedup_is_taken_as_it_stands() -> None:
    arm = PointArm("eagle", "3", "")
    points = throughputs(arm, {16: 1.02, 24: 0.93})
    made = only_answer(table(points, form=PointForm.SPEEDUPS))
    values = [point.speedup.value for point in made.curve.points]
    assert values == [pytest.approx(1.02), pytest.approx(0.93)]
    assert made.crossing is not None
    up, down = math.log(1.02), math.log(0.93)
    at = 16 * (24 / 16) ** (up / (up - down))
    assert made.crossing.at == pytest.approx(at)


def test_a_ready_speedup_that_is_missing_is_no_speedup() -> None:
    one, other = throughputs(EAGLE, {1: 1.5, 2: 1.2})
    points = [one, replace(other, figures={})]
    made = only_answer(table(points, form=PointForm.SPEEDUPS))
    assert made.curve.points[1].speedup.missing == (
        "the arm has no figure for throughput at batch 2"
    )
