"""Tokens per step that an arm gets, against those that it would need."""

from dataclasses import replace

from specbench.report.blocks import Block, make_blocks
from specbench.report.needs import explain_needs, need_rows
from specbench.schema.comparison import SpeedupMetric
from specbench.schema.findings import CellStats
from tests.golden.comparing import compare
from tests.golden.synthetic import ArmCourse, Course, make_cells

COURSE = Course("d", (100.0,) * 3, {"a": ArmCourse((1.2,) * 3, (1.2,) * 3)})


def cells(launches: int = 2) -> tuple[CellStats, ...]:
    """One arm at three loads."""
    return make_cells((COURSE,), (1, 2, 4), launches)


def block(given: tuple[CellStats, ...]) -> Block:
    """The only block."""
    (only,) = make_blocks(compare(given))
    return only


def test_each_load_has_what_is_had_and_what_is_needed_with_intervals() -> None:
    first, *_ = need_rows(block(cells()))
    assert first.load == 1
    assert first.gets.value
    needed = first.needed(SpeedupMetric.THROUGHPUT)
    assert needed == "1.03 [0.99, 1.07]"
    assert first.prefill(SpeedupMetric.THROUGHPUT) == "0.08"
    assert first.prefill(SpeedupMetric.TPOT) == "0.03"
    assert explain_needs(block(cells())) == ()


def test_apparent_figure_is_marked_and_says_why_and_where() -> None:
    bare = tuple(replace(c, prefill_share=None) for c in cells())
    first, *_ = need_rows(block(bare))
    assert first.needed(SpeedupMetric.THROUGHPUT).startswith("~1.05 [")
    assert first.prefill(SpeedupMetric.THROUGHPUT) == "—"
    assert explain_needs(block(bare)) == (
        "~ the baseline's decode steps were not seen apart from prefill:"
        " throughput at 1, 2, 4; TPOT at 1, 2, 4",
    )


def test_missing_steps_are_a_dash_with_the_cells_reason() -> None:
    reason = {"tokens_per_step": "the sources disagree"}
    bare = tuple(
        replace(c, tokens_per_step=None, missing=reason)
        if c.key.condition.concurrency == 2
        else c
        for c in cells()
    )
    rows = need_rows(block(bare))
    assert rows[1].needed(SpeedupMetric.TPOT) == "—"
    assert explain_needs(block(bare)) == (
        "— the sources disagree: throughput at 2; TPOT at 2",
    )


def test_one_launch_has_no_interval_here_either() -> None:
    first, *_ = need_rows(block(cells(launches=1)))
    assert first.needed(SpeedupMetric.THROUGHPUT).endswith("(1 launch)")


def test_arm_without_any_such_figure_has_no_rows() -> None:
    alone = tuple(c for c in cells() if c.key.arm != "baseline")
    assert need_rows(block(alone)) == ()
