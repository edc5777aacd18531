"""From cells to comparisons: paired by load, launches as rows, over 1 is better, void
cells take no part."""

import math
import random
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specbench.analysis.decide import decide
from specbench.analysis.frame import Table
from specbench.analysis.speedup import Comparison, find_comparisons
from specbench.schema.cell import CellKey
from specbench.schema.comparison import CLOSED_LOOP, Axis, SpeedupMetric, SpeedupPoint
from specbench.schema.findings import CellStats, Finding, LatencyBasis, Severity
from specbench.schema.sweep import BASELINE
from tests.factories import cell_stats, condition, latency

THROUGHPUT, TPOT = SpeedupMetric.THROUGHPUT, SpeedupMetric.TPOT
P95 = SpeedupMetric.TPOT_P95
VOID = (Finding(Severity.VOID, "client-lag", "too late", "use another CPU"),)
FLAG = (Finding(Severity.FLAG, "drift", "it drifted", "look"),)


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


def comparison(
    cells: Sequence[CellStats], metric: SpeedupMetric = THROUGHPUT
) -> Comparison:
    (found,) = (c for c in find_comparisons(cells) if c.frame.metric is metric)
    return found


def points(
    cells: Sequence[CellStats], metric: SpeedupMetric = THROUGHPUT
) -> tuple[SpeedupPoint, ...]:
    found = comparison(cells, metric)
    return decide(found.frame, found.baseline, found.arm)[0].points


def only_point(
    cells: Sequence[CellStats], metric: SpeedupMetric = THROUGHPUT
) -> SpeedupPoint:
    (point,) = points(cells, metric)
    return point


def figures(table: Table) -> list[list[float | None]]:
    """Logs turned back."""
    return [
        [None if v is None else pytest.approx(math.exp(v)) for v in row]  # type: ignore[misc]
        for row in table
    ]


def test_throughput_is_arm_over_baseline_and_tpot_the_other_way_round() -> None:
    cells = [cell(BASELINE), cell("ngram", throughput=150.0, tpot_s=0.008)]
    assert only_point(cells, THROUGHPUT).speedup.value == pytest.approx(1.5)
    assert only_point(cells, TPOT).speedup.value == pytest.approx(1.25)


def test_tpot_is_compared_by_its_median_and_by_its_95th_percentile() -> None:
    slow_tail = replace(latency(0.01), p95=0.04, mean=0.02, p99=0.9)
    cells = [
        cell_stats(BASELINE, tpot=replace(latency(0.02), p95=0.02)),
        cell_stats("ngram", tpot=slow_tail),
    ]
    assert only_point(cells, TPOT).speedup.value == pytest.approx(2.0)
    assert only_point(cells, P95).speedup.value == pytest.approx(0.5)


def test_launches_are_rows_and_loads_are_columns_by_rising_load() -> None:
    cells = [
        cell(arm, launch, load, throughput=rate + 10 * launch + load)
        for load in (8, 1, 2)
        for launch in (2, 1)
        for arm, rate in (("ngram", 200.0), (BASELINE, 100.0))
    ]
    found = comparison(cells)
    assert [load.condition.concurrency for load in found.frame.loads] == [1, 2, 8]
    assert figures(found.baseline) == [[111, 112, 118], [121, 122, 128]]
    assert figures(found.arm) == [[211, 212, 218], [221, 222, 228]]


@given(st.randoms(use_true_random=False))
def test_cells_may_come_in_any_order(order: random.Random) -> None:
    cells = [
        cell(arm, launch, load, throughput=100 + launch + load)
        for load in (8, 1, 2)
        for launch in (1, 2, 3)
        for arm in (BASELINE, "eagle", "ngram")
    ]
    shuffled = list(cells)
    order.shuffle(shuffled)
    assert find_comparisons(shuffled) == find_comparisons(cells)


def test_a_speedup_is_of_geometric_means_over_all_launches_of_each_arm() -> None:
    cells = [
        cell(BASELINE, 1),
        cell("ngram", 1, throughput=200.0),
        cell(BASELINE, 2),
        cell("ngram", 2, throughput=50.0),
    ]
    found = only_point(cells).speedup
    assert found.value == pytest.approx(1.0)
    assert (found.low, found.high) == pytest.approx((0.5, 2.0))
    assert found.n == 2


@pytest.mark.parametrize("void_arm", [BASELINE, "ngram"])
def test_a_void_cell_takes_no_part_and_its_counterpart_still_does(
    void_arm: str,
) -> None:
    cells = [
        cell(BASELINE, 1, throughput=100.0),
        cell("ngram", 1, throughput=150.0),
        cell(BASELINE, 2, throughput=400.0, is_void=void_arm == BASELINE),
        cell("ngram", 2, throughput=600.0, is_void=void_arm == "ngram"),
    ]
    found = only_point(cells).speedup
    baseline = 100.0 if void_arm == BASELINE else 200.0
    arm = 150.0 if void_arm == "ngram" else 300.0
    assert found.value == pytest.approx(arm / baseline)
    assert found.n == 1


def test_a_void_cell_takes_part_in_nothing() -> None:
    """Neither in the table, nor in the batches, nor in who queues, nor in the cells
    that stand behind a load."""
    cells = [
        cell(arm, launch, load, throughput=100.0 + launch, running_batch=float(load))
        for arm in (BASELINE, "ngram")
        for launch in (1, 2)
        for load in (1, 2)
    ]
    strange = [
        replace(
            cell(arm, 3, load, throughput=9e9, running_batch=999.0, is_void=True),
            waiting=50.0,
            preemptions=9.0,
        )
        for arm in (BASELINE, "ngram")
        for load in (1, 2)
    ]
    assert find_comparisons([*cells, *strange]) == find_comparisons(cells)


def test_a_flagged_cell_counts() -> None:
    cells = [cell(BASELINE), replace(cell("ngram", throughput=150.0), findings=FLAG)]
    assert only_point(cells).speedup.value == pytest.approx(1.5)


@pytest.mark.parametrize("void_arm", [BASELINE, "ngram"])
def test_where_all_is_void_there_is_a_reason_instead_of_a_number(
    void_arm: str,
) -> None:
    cells = [cell(arm, is_void=arm == void_arm) for arm in (BASELINE, "ngram")]
    found = only_point(cells).speedup
    assert found.value is None
    name = "baseline" if void_arm == BASELINE else "arm"
    assert found.missing == f"the {name}'s cells are void"


def test_where_both_are_missing_both_are_named() -> None:
    found = only_point([cell("ngram", is_void=True)]).speedup
    assert found.value is None
    assert found.missing == "the baseline was not measured; the arm's cells are void"


def test_an_arm_without_a_baseline_has_a_point_without_a_number() -> None:
    point = only_point([cell("ngram")])
    assert point.speedup.value is None
    assert "baseline was not measured" in (point.speedup.missing or "")
    assert point.running_batch is None
    assert point.arm_running_batch == 1.0


def test_launches_of_different_numbers_are_compared_all_the_same() -> None:
    cells = [cell(BASELINE, 1), cell("ngram", 2, throughput=150.0)]
    assert only_point(cells).speedup.value == pytest.approx(1.5)


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


def test_a_launch_without_a_figure_leaves_a_gap_in_its_row() -> None:
    cells = [
        cell(BASELINE, 1, 1),
        cell(BASELINE, 1, 2),
        cell("ngram", 1, 1, throughput=150.0),
        cell("ngram", 1, 2, throughput=None),
        cell("ngram", 2, 1, throughput=None),
        cell("ngram", 2, 2, throughput=160.0),
    ]
    assert figures(comparison(cells).arm) == [[150.0, None], [None, 160.0]]


def test_the_spread_is_of_launches_of_the_same_number() -> None:
    """The machine doubles its pace from launch to launch; the gain is 1.5 each time."""
    cells = [
        *(cell(BASELINE, n, throughput=50.0 * 2**n) for n in (1, 2, 3)),
        *(cell("ngram", n, throughput=75.0 * 2**n) for n in (1, 3)),
    ]
    found = only_point(cells).speedup
    assert found.value == pytest.approx(1.5)
    assert (found.low, found.high) == pytest.approx((1.5, 1.5))


def test_a_cell_without_tpot_still_has_a_throughput() -> None:
    cells = [cell(BASELINE), cell("ngram", tpot_s=None)]
    assert only_point(cells, THROUGHPUT).speedup.value == 1.0
    for metric in (TPOT, P95):
        assert only_point(cells, metric).speedup.value is None


def test_tpots_that_are_made_in_different_ways_are_not_compared() -> None:
    cells = [cell(BASELINE), replace(cell("ngram"), tpot_is_usual=True)]
    for metric in (TPOT, P95):
        found = only_point(cells, metric).speedup
        assert found.value is None
        assert "different ways" in (found.missing or "")
    assert only_point(cells, THROUGHPUT).speedup.value == 1.0


def test_of_two_ways_the_one_with_more_cells_is_compared() -> None:
    whole = LatencyBasis.WHOLE_RUN
    cells = [
        cell(BASELINE, 1, tpot_s=0.010),
        cell(BASELINE, 2, tpot_s=0.010),
        replace(cell(BASELINE, 3, tpot_s=0.9), latency_basis=whole),
        cell("ngram", 1, tpot_s=0.005),
        replace(cell("ngram", 2, tpot_s=0.9), latency_basis=whole),
    ]
    found = only_point(cells, TPOT).speedup
    assert found.value == pytest.approx(2.0)
    assert found.n == 1


def test_a_load_that_only_the_baseline_ran_has_no_point() -> None:
    cells = [cell(BASELINE, 1, 1), cell("ngram", 1, 1), cell(BASELINE, 1, 2)]
    assert [p.condition.concurrency for p in points(cells)] == [1]


def test_each_arm_condition_and_metric_has_a_comparison_of_its_own() -> None:
    conditions = (
        condition(1),
        condition(1, dataset="other"),
        condition(1, context=1024),
        condition(1, temperature=0.7),
        condition(1, target="larger"),
    )
    cells = [
        replace(cell(arm), key=CellKey(one, arm, 1))
        for arm in (BASELINE, "eagle", "ngram")
        for one in conditions
    ]
    frames = [c.frame for c in find_comparisons(cells)]
    assert len(frames) == 2 * len(conditions) * len(CLOSED_LOOP)
    names = {
        (f.arm, f.target, f.dataset, f.context, f.temperature, f.metric) for f in frames
    }
    assert len(names) == len(frames)
    assert {f.axis for f in frames} == {Axis.BATCH}
    assert all(len(f.loads) == 1 for f in frames)


def test_an_arm_is_compared_with_the_baseline_of_its_own_condition() -> None:
    cells = [
        replace(cell(arm, throughput=rate), key=CellKey(condition(1, **of), arm, 1))
        for of, base in (({"context": 0}, 100.0), ({"context": 4096}, 10.0))
        for arm, rate in ((BASELINE, base), ("ngram", 120.0))
    ]
    found = [c for c in find_comparisons(cells) if c.frame.metric is THROUGHPUT]
    values = [
        decide(c.frame, c.baseline, c.arm)[0].points[0].speedup.value for c in found
    ]
    assert values == pytest.approx([1.2, 12.0])


def test_the_baseline_has_no_comparison() -> None:
    assert find_comparisons([cell(BASELINE)]) == ()
    assert find_comparisons([]) == ()


def test_the_running_batch_is_the_baselines_and_the_arms_stands_beside_it() -> None:
    cells = [
        cell(BASELINE, 1, running_batch=10.0),
        cell(BASELINE, 2, running_batch=12.0),
        cell("ngram", 1, running_batch=7.0),
        cell("ngram", 2, running_batch=8.0),
    ]
    point = only_point(cells)
    assert (point.running_batch, point.arm_running_batch) == (11.0, 7.5)
    (load,) = comparison(cells).frame.loads
    assert load.x == 11.0


def test_void_and_unknown_batches_do_not_enter_the_mean() -> None:
    cells = [
        cell(BASELINE, 1, running_batch=10.0),
        cell(BASELINE, 2, running_batch=99.0, is_void=True),
        cell(BASELINE, 3, running_batch=None),
        cell("ngram", 1),
    ]
    assert only_point(cells).running_batch == 10.0


@pytest.mark.parametrize("batch", [None, 0.0])
def test_a_batch_that_is_unknown_or_zero_has_no_place_on_the_axis(
    batch: float | None,
) -> None:
    cells = [cell(BASELINE, running_batch=batch), cell("ngram")]
    (load,) = comparison(cells).frame.loads
    assert load.x is None


def test_a_load_at_which_only_the_arm_queues_is_marked() -> None:
    waits = replace(cell("ngram", 1, 2), waiting=12.0)
    cells = [cell(BASELINE, 1, 1), cell(BASELINE, 1, 2), cell("ngram", 1, 1), waits]
    assert [p.only_arm_queues for p in points(cells)] == [False, True]


def test_cells_that_count_stand_behind_each_load() -> None:
    cells = [
        cell(BASELINE, 1),
        cell(BASELINE, 2, is_void=True),
        cell("ngram", 1),
        cell("ngram", 2, throughput=None),
    ]
    found = comparison(cells)
    for table, counted in ((found.baseline, cells[0]), (found.arm, cells[2])):
        assert table == ((math.log(counted.output_throughput or 0.0),),)
