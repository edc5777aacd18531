"""Which launches of one arm at one load are added up, and to what."""

import math
from dataclasses import replace

import pytest

from specbench.report.arm_figures import Mark, flag_codes, join_launches
from specbench.schema.acceptance import IDLE_EDGES
from specbench.schema.cell import CellKey, Condition
from specbench.schema.findings import CellStats, Finding, LatencyBasis, Severity
from tests.golden.synthetic import make_cell, with_drafts

CONDITION = Condition("t", "d", 0, 0.0, 4)
VOID = Finding(Severity.VOID, "client-lag", "late", "do less")
FLAG = Finding(Severity.FLAG, "looping", "loops", "other prompts")


def cell(launch: int, throughput: float = 100.0, *found: Finding) -> CellStats:
    """A cell of some arm."""
    stats = make_cell(CellKey(CONDITION, "a", launch), throughput, 4 / throughput)
    return replace(stats, findings=found)


def test_figures_are_over_all_valid_launches_of_the_arm() -> None:
    side = join_launches((cell(1, 100.0), cell(2, 400.0), cell(3, 900.0, VOID)))
    assert side.output_throughput.value == pytest.approx(200.0)
    assert side.output_throughput.low == 100.0
    assert side.output_throughput.n == 2


def test_p95_stands_beside_the_median() -> None:
    side = join_launches((cell(1), cell(2)))
    assert side.tpot.value
    assert side.tpot_p95.value == pytest.approx(1.3 * side.tpot.value)


def test_void_cells_give_no_figure_but_their_reason() -> None:
    side = join_launches((cell(1, 100.0, VOID), cell(2, 100.0, VOID)))
    assert side.output_throughput.value is None
    assert side.output_throughput.missing == "void: client-lag"


def test_worst_lag_counts_void_launches_too() -> None:
    late = replace(cell(2, 100.0, VOID), client_lag_p99=0.5)
    side = join_launches((cell(1), late))
    assert side.client_lag_p99.value == 0.5


def test_missing_figure_brings_the_cells_own_reason() -> None:
    bare = replace(cell(1), tpot=None, missing={"tpot": "one token each"})
    assert join_launches((bare,)).tpot.missing == "one token each"


def test_arm_without_cells_was_not_measured() -> None:
    assert join_launches(()).tpot.missing == "not measured"


def test_acceptance_is_a_ratio_of_sums_over_launches() -> None:
    few = with_drafts(cell(1), (0.5, 0.5))
    many = with_drafts(cell(2), (0.9, 0.1))
    assert few.acceptance
    assert many.acceptance
    many = replace(
        many,
        acceptance=replace(
            many.acceptance, drafts=1300.0, draft_tokens=2600.0, accepted_tokens=2600.0
        ),
    )
    side = join_launches((few, many))
    assert side.acceptance_rate.value == pytest.approx((130 + 2600) / (260 + 2600))
    assert side.acceptance_length.value == pytest.approx(1 + 2730 / 1430)


def test_no_drafts_is_no_rate_and_no_length() -> None:
    drafted = with_drafts(cell(1), (0.5,))
    assert drafted.acceptance
    none = replace(
        drafted,
        acceptance=replace(
            drafted.acceptance,
            drafts=0.0,
            draft_tokens=0.0,
            accepted_tokens=0.0,
            rate=None,
            length=None,
        ),
    )
    side = join_launches((none,))
    assert side.acceptance_rate.missing == "no drafts were made"
    assert side.acceptance_length.value is None


def test_means_of_arms_with_unlike_launches_divide_to_the_speedup() -> None:
    base = join_launches((cell(1, 100.0), cell(2, 120.0), cell(3, 110.0)))
    arm = join_launches((cell(1, 130.0), cell(2, 90.0, VOID), cell(4, 140.0)))
    ratio = math.sqrt(130 * 140) / (100 * 120 * 110) ** (1 / 3)
    assert base.output_throughput.value
    assert arm.output_throughput.value
    shown = arm.output_throughput.value / base.output_throughput.value
    assert shown == pytest.approx(ratio)


def test_flags_name_launches_only_where_not_all_are_concerned() -> None:
    cells = (cell(1, 100.0, FLAG), cell(2, 100.0, FLAG, VOID))
    assert flag_codes(cells) == ("VOID client-lag r2", "looping")


def test_figures_made_in_another_way_are_marked() -> None:
    drafted = with_drafts(cell(1), (0.5,))
    assert drafted.acceptance
    odd = replace(
        drafted,
        acceptance=replace(drafted.acceptance, source=IDLE_EDGES),
        tpot_is_usual=True,
        tokens_exact=False,
        latency_basis=LatencyBasis.WHOLE_RUN,
    )
    assert join_launches((odd,)).marks == set(Mark)
    assert join_launches((cell(1),)).marks == set()


def test_a_launch_that_counts_no_draft_tokens_has_no_rate_and_keeps_its_length() -> (
    None
):
    counted = with_drafts(cell(1), (0.5, 0.5))
    bare = with_drafts(cell(2), (0.5, 0.5))
    assert bare.acceptance
    bare = replace(
        bare,
        acceptance=replace(
            bare.acceptance, draft_tokens=None, rate=None, source=IDLE_EDGES
        ),
        missing={"acceptance_rate": "no draft tokens"},
    )
    alone = join_launches((bare,))
    assert alone.acceptance_rate.missing == "no draft tokens"
    assert alone.acceptance_length.value == pytest.approx(2.0)
    both = join_launches((counted, bare))
    assert both.acceptance_rate.value == pytest.approx(0.5)
    assert both.acceptance_rate.n == 1
    assert both.acceptance_length.n == 2


def test_acceptance_that_is_not_the_windows_is_marked() -> None:
    drafted = with_drafts(cell(1), (0.5, 0.5))
    assert drafted.acceptance
    stand_in = replace(drafted.acceptance, source=IDLE_EDGES)
    assert (
        Mark.CELL_DRAFTS
        in join_launches((replace(drafted, acceptance=stand_in),)).marks
    )
    assert Mark.CELL_DRAFTS not in join_launches((drafted,)).marks
