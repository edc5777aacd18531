"""The arms of a run over its contexts."""

import math
from dataclasses import replace

import pytest

from specbench.analysis.contexts import find_families
from specbench.analysis.run import conclude
from specbench.analysis.speedup import find_comparisons
from specbench.schema.comparison import CLOSED_LOOP, Axis, BreakEvenOutcome, Side
from specbench.schema.context import (
    CriticalOutcome,
    Direction,
    OverContext,
    PlannedOut,
)
from specbench.schema.findings import CellStats, Finding, Severity
from specbench.schema.sweep import BASELINE
from tests.factories import condition
from tests.unit.analysis.contexts_of import MAGIC, grid_cells

VOID = (Finding(Severity.VOID, "errors", "all failed", ""),)


def of_throughput(cells: list[CellStats]) -> OverContext:
    first, *_ = conclude(cells, []).over_context
    return first


def test_an_arm_at_several_contexts_has_a_break_even_context_at_each_load() -> None:
    over = of_throughput(grid_cells())
    assert (over.target, over.dataset, over.arm) == ("target", "questions", "ngram")
    by_load = {a.curve.points[0].condition.concurrency: a for a in over.break_evens}
    assert {load: answer.outcome for load, answer in by_load.items()} == {
        1: BreakEvenOutcome.PAYS_EVERYWHERE,
        4: BreakEvenOutcome.PAYS_EVERYWHERE,
        16: BreakEvenOutcome.PAYS_FROM,
    }
    assert all(answer.axis is Axis.CONTEXT for answer in over.break_evens)
    crossing = by_load[16].crossing
    assert crossing is not None
    low, high = math.log(0.80), math.log(1.06)
    by_hand = 512 * (2048 / 512) ** (low / (low - high))
    assert crossing.at == pytest.approx(by_hand, rel=0.01)
    assert crossing.interval is not None
    # two octaves apart: the interval is the whole bracket
    assert (crossing.interval.low, crossing.interval.high) == (512, 2048)
    assert crossing.joint_interval is not None


def test_each_metric_that_was_compared_has_its_own() -> None:
    found = conclude(grid_cells(), []).over_context
    assert tuple(over.metric for over in found) == CLOSED_LOOP


def test_the_critical_context_is_where_the_trend_turns() -> None:
    critical = of_throughput(grid_cells()).critical
    assert critical.outcome is CriticalOutcome.BETWEEN
    assert (critical.below, critical.above) == (2048, 8192)
    assert [t.direction for t in critical.trends] == [
        Direction.FALLS,
        Direction.FALLS,
        Direction.GROWS,
    ]
    assert all(t.error for t in critical.trends)


def test_a_trend_that_launches_do_not_tell_leaves_it_undecided() -> None:
    critical = of_throughput(grid_cells(deviations=(0.5, -0.4, -0.1))).critical
    assert critical.outcome is CriticalOutcome.UNDECIDED


def test_one_launch_of_each_arm_gives_signs_and_no_interval() -> None:
    over = of_throughput(grid_cells(deviations=(0.0,)))
    assert over.critical.outcome is CriticalOutcome.BETWEEN
    assert all(trend.error is None for trend in over.critical.trends)
    crossing = over.break_evens[-1].crossing
    assert crossing is not None
    assert crossing.interval is None


def test_prompts_as_they_are_are_no_place_on_the_axis() -> None:
    cells = grid_cells({0: {1: 1.5, 4: 1.4}, 512: {1: 1.2, 4: 1.1}})
    assert conclude(cells, []).over_context == ()
    three = grid_cells({0: {1: 0.5}, 512: {1: 1.2}, 1024: {1: 1.1}})
    over = of_throughput(three)
    (answer,) = over.break_evens
    assert [p.condition.context for p in answer.curve.points] == [512, 1024]


def test_a_run_with_one_context_has_none() -> None:
    assert conclude(grid_cells({512: {1: 1.2, 4: 0.9}}), []).over_context == ()


def test_other_temperatures_are_not_other_contexts() -> None:
    cells = grid_cells({512: {1: 1.2}}) + grid_cells({1024: {1: 0.9}}, temperature=0.7)
    assert conclude(cells, []).over_context == ()


def test_an_open_loop_has_a_curve_at_each_rate() -> None:
    cells = [
        cell
        for rate in (0.5, 2.0)
        for cell in grid_cells(
            {512: {1: 1.2}, 2048: {1: 0.8}}, concurrency=0, request_rate=rate
        )
    ]
    for over in conclude(cells, []).over_context:
        rates = [a.curve.points[0].condition.request_rate for a in over.break_evens]
        assert rates in ([0.5, 2.0], [])
        assert [len(a.curve.points) for a in over.break_evens] in ([2, 2], [])


def test_rows_are_of_the_same_launch_at_all_contexts() -> None:
    """A search may measure a context in later launches only."""
    cells = [
        cell
        for cell in grid_cells()
        if cell.key.condition.context != 2048 or cell.key.replicate > 1
    ]
    family = find_families(find_comparisons(cells))[0]
    at_2048 = family.by_context[1]
    assert at_2048.frame.context == 2048
    assert at_2048.arm[0] == (None, None, None)
    for curve in family.over:
        assert [row[1] is None for row in curve.arm] == [True, False, False]
        assert [row[0] is None for row in curve.arm] == [False, False, False]


def test_joint_intervals_count_the_break_evens_over_contexts_too() -> None:
    """More answers, wider joint intervals."""
    alone = conclude(grid_cells({512: MAGIC[512]}), [])
    together = conclude(grid_cells(), [])
    (one,) = [
        answer for answer in alone.break_evens if answer.curve.metric is CLOSED_LOOP[0]
    ]
    other = next(
        answer
        for answer in together.break_evens
        if answer.curve.metric is CLOSED_LOOP[0] and answer.curve.context == 512
    )
    assert one.crossing is not None
    assert other.crossing is not None
    assert other.crossing.interval == one.crossing.interval
    narrow, wide = one.crossing.joint_interval, other.crossing.joint_interval
    assert narrow is not None
    assert wide is not None
    assert (wide.low or 0) <= (narrow.low or 0)
    assert (wide.high or math.inf) >= (narrow.high or math.inf)


def test_an_arm_whose_requests_queue_alone_at_long_context_loses_by_capacity() -> None:
    cells = grid_cells({1024: {16: 1.3}, 8192: {16: 0.7}})
    full = [
        replace(cell, waiting=6.0)
        if cell.key.arm != BASELINE and cell.key.condition.context == 8192
        else cell
        for cell in cells
    ]
    (answer,) = of_throughput(full).break_evens
    assert answer.outcome is BreakEvenOutcome.LOSES_BY_CAPACITY
    assert answer.crossing is not None
    assert answer.crossing.above.condition.context == 8192
    (plain,) = of_throughput(cells).break_evens
    assert plain.outcome is BreakEvenOutcome.PAYS_UP_TO


def test_void_cells_take_no_part() -> None:
    cells = [
        replace(cell, findings=VOID) if cell.key.condition.context == 8192 else cell
        for cell in grid_cells()
    ]
    over = of_throughput(cells)
    for answer in over.break_evens:
        sides = {p.condition.context: p.side for p in answer.curve.points}
        assert sides[8192] is Side.UNKNOWN
    assert [t.context for t in over.critical.trends] == [512, 2048]


def test_what_was_planned_out_is_handed_on() -> None:
    out = PlannedOut(condition(64, context=8192), "it does not fit")
    assert conclude(grid_cells(), [], planned_out=[out]).planned_out == (out,)
