"""Speedups: paired by launch, over 1 is better, void cells take no part."""

import random
from dataclasses import replace

import pytest

from specbench.analysis.speedup import find_curves
from specbench.schema.cell import CellKey
from specbench.schema.comparison import SpeedupCurve, SpeedupMetric, SpeedupPoint
from specbench.schema.findings import CellStats, Finding, Severity
from specbench.schema.sweep import BASELINE
from tests.factories import cell_stats, condition, latency

VOID = (Finding(Severity.VOID, "client-lag", "too late", "use another CPU"),)


def cell(
    arm: str,
    replicate: int = 1,
    concurrency: int = 1,
    throughput: float | None = 100.0,
    tpot_s: float | None = 0.01,
    *,
    is_void: bool = False,
    running_batch: float | None = 1.0,
) -> CellStats:
    return cell_stats(
        arm,
        replicate,
        concurrency,
        output_throughput=throughput,
        tpot=None if tpot_s is None else latency(tpot_s),
        findings=VOID if is_void else (),
        running_batch=running_batch,
    )


def curves(cells: list[CellStats]) -> dict[SpeedupMetric, SpeedupCurve]:
    found = find_curves(cells)
    assert len({c.arm for c in found}) == 1
    return {c.metric: c for c in found}


def only_point(
    cells: list[CellStats], metric: SpeedupMetric = SpeedupMetric.THROUGHPUT
) -> SpeedupPoint:
    (point,) = curves(cells)[metric].points
    return point


def test_throughput_is_arm_over_baseline_and_tpot_the_other_way_round() -> None:
    cells = [cell(BASELINE), cell("ngram", throughput=150.0, tpot_s=0.008)]
    throughput = only_point(cells, SpeedupMetric.THROUGHPUT).speedup
    tpot = only_point(cells, SpeedupMetric.TPOT).speedup
    assert throughput.value == pytest.approx(1.5)
    assert tpot.value == pytest.approx(1.25)


def test_launches_of_one_number_are_compared_with_each_other() -> None:
    # the machine was twice as fast at the second launch; the gain was 1.5 both times
    cells = [
        cell(BASELINE, 1, throughput=100.0),
        cell("ngram", 1, throughput=150.0),
        cell(BASELINE, 2, throughput=200.0),
        cell("ngram", 2, throughput=300.0),
    ]
    found = only_point(cells).speedup
    assert found.value == pytest.approx(1.5)
    assert (found.low, found.high, found.n) == (1.5, 1.5, 2)


def test_ratios_are_joined_by_their_geometric_mean() -> None:
    cells = [
        cell(BASELINE, 1),
        cell("ngram", 1, throughput=200.0),
        cell(BASELINE, 2),
        cell("ngram", 2, throughput=50.0),
    ]
    found = only_point(cells).speedup
    assert found.value == pytest.approx(1.0)
    assert (found.low, found.high) == (0.5, 2.0)


@pytest.mark.parametrize("void_arm", [BASELINE, "ngram"])
def test_a_pair_with_a_void_cell_takes_no_part(void_arm: str) -> None:
    cells = [
        cell(BASELINE, 1),
        cell("ngram", 1, throughput=150.0),
        cell(BASELINE, 2, is_void=void_arm == BASELINE),
        cell("ngram", 2, throughput=900.0, is_void=void_arm == "ngram"),
    ]
    found = only_point(cells).speedup
    assert found.value == pytest.approx(1.5)
    assert found.n == 1


def test_where_all_is_void_there_is_a_reason_instead_of_a_number() -> None:
    found = only_point([cell(BASELINE), cell("ngram", is_void=True)]).speedup
    assert found.value is None
    assert "void" in (found.missing or "")


def test_a_launch_without_its_counterpart_takes_no_part() -> None:
    cells = [
        cell(BASELINE, 1),
        cell("ngram", 1, throughput=150.0),
        cell("ngram", 2, throughput=900.0),
    ]
    assert only_point(cells).speedup.n == 1
    alone = only_point([cell(BASELINE, 1), cell("ngram", 2)]).speedup
    assert alone.value is None
    assert "not measured" in (alone.missing or "")


def test_an_arm_without_a_baseline_has_a_point_without_a_number() -> None:
    point = only_point([cell("ngram")])
    assert point.speedup.value is None
    assert "baseline" in (point.speedup.missing or "")
    assert point.running_batch is None


@pytest.mark.parametrize("nothing", [None, 0.0])
@pytest.mark.parametrize("arm", [BASELINE, "ngram"])
def test_h07_a_cell_without_throughput_never_enters_a_speedup(
    nothing: float | None, arm: str
) -> None:
    cells = [
        cell(name, throughput=nothing if name == arm else 100.0)
        for name in (BASELINE, "ngram")
    ]
    found = only_point(cells).speedup
    assert found.value is None
    assert "throughput" in (found.missing or "")


def test_a_cell_without_tpot_still_has_a_throughput() -> None:
    cells = [cell(BASELINE), cell("ngram", tpot_s=None)]
    assert only_point(cells, SpeedupMetric.THROUGHPUT).speedup.value == 1.0
    assert only_point(cells, SpeedupMetric.TPOT).speedup.value is None


def test_tpot_is_compared_by_its_median() -> None:
    slow_tail = cell("ngram")
    assert slow_tail.tpot is not None
    cells = [cell(BASELINE, tpot_s=0.02), slow_tail]
    assert only_point(cells, SpeedupMetric.TPOT).speedup.value == pytest.approx(2.0)


def test_points_stand_by_rising_load_in_whatever_order_they_were_measured() -> None:
    cells = [
        cell(arm, 1, load, throughput=rate)
        for load in (16, 1, 128, 2)
        for arm, rate in ((BASELINE, 100.0), ("ngram", 100.0 + load))
    ]
    random.Random(3).shuffle(cells)
    found = curves(cells)[SpeedupMetric.THROUGHPUT]
    assert [p.condition.concurrency for p in found.points] == [1, 2, 16, 128]
    assert [p.speedup.value for p in found.points] == pytest.approx(
        [1.01, 1.02, 1.16, 2.28]
    )


def test_a_load_that_only_the_baseline_ran_has_no_point() -> None:
    cells = [cell(BASELINE, 1, 1), cell("ngram", 1, 1), cell(BASELINE, 1, 2)]
    found = curves(cells)[SpeedupMetric.THROUGHPUT]
    assert [p.condition.concurrency for p in found.points] == [1]


def test_each_arm_condition_and_metric_has_a_curve_of_its_own() -> None:
    cells = [
        replace(cell(arm), key=key)
        for arm in (BASELINE, "eagle", "ngram")
        for key in (
            CellKey(condition(1), arm, 1),
            CellKey(condition(1, dataset="other"), arm, 1),
            CellKey(condition(1, context=1024), arm, 1),
            CellKey(condition(1, temperature=0.7), arm, 1),
            CellKey(condition(1, target="larger"), arm, 1),
        )
    ]
    found = find_curves(cells)
    assert len(found) == 2 * 5 * 2
    names = {
        (c.arm, c.target, c.dataset, c.context, c.temperature, c.metric) for c in found
    }
    assert len(names) == len(found)
    assert all(p.speedup.value == 1.0 for c in found for p in c.points)


def test_the_baseline_has_no_curve() -> None:
    assert find_curves([cell(BASELINE)]) == ()


def test_the_running_batch_is_the_baselines_and_the_arms_stands_beside_it() -> None:
    cells = [
        cell(BASELINE, 1, running_batch=10.0),
        cell(BASELINE, 2, running_batch=12.0),
        cell("ngram", 1, running_batch=7.0),
        cell("ngram", 2, running_batch=8.0),
    ]
    point = only_point(cells)
    assert point.running_batch == 11.0
    assert point.arm_running_batch == 7.5


def test_void_and_unknown_batches_do_not_enter_the_mean() -> None:
    cells = [
        cell(BASELINE, 1, running_batch=10.0),
        cell(BASELINE, 2, running_batch=99.0, is_void=True),
        cell(BASELINE, 3, running_batch=None),
        cell("ngram", 1),
    ]
    assert only_point(cells).running_batch == 10.0
