"""Named outcomes from the signs of measured speedups, with the measured neighbours."""

import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specbench.analysis.break_even import find_break_even
from specbench.schema.comparison import BreakEven, BreakEvenOutcome
from specbench.schema.estimate import Estimate
from tests.factories import curve, speedup_point

# case H17
LOADS = (1, 2, 4, 8, 16, 32, 64)
RATIOS = (2.00, 1.85, 1.70, 1.50, 1.25, 0.95, 0.80)

SPEEDUPS = st.lists(st.floats(min_value=0.3, max_value=3), min_size=1, max_size=9)


def break_even(speedups: list[float | None]) -> BreakEven:
    """Of a curve measured at 1, 2, 4, ..."""
    points = [speedup_point(2**i, speedup) for i, speedup in enumerate(speedups)]
    return find_break_even(curve(points))


def launches(low: float, high: float) -> Estimate:
    return Estimate(math.sqrt(low * high), low, high, n=3)


def test_h17_pays_up_to_28_between_its_measured_neighbours_16_and_32() -> None:
    found = break_even(list(RATIOS))
    assert found.outcome is BreakEvenOutcome.PAYS_UP_TO
    assert found.below is not None
    assert found.above is not None
    assert found.below.condition.concurrency == 16
    assert found.above.condition.concurrency == 32
    assert found.concurrency == pytest.approx(28.11, abs=0.01)
    assert found.batch == pytest.approx(28.11, abs=0.01)
    assert found.first_slower_concurrency == 32


def test_the_answer_is_on_the_running_batch_with_concurrency_beside_it() -> None:
    points = [
        speedup_point(16, 1.25, running_batch=15.0),
        speedup_point(32, 0.8, running_batch=20.0),
    ]
    found = find_break_even(curve(points))
    assert found.batch == pytest.approx(math.sqrt(15.0 * 20.0))
    assert found.concurrency == pytest.approx(math.sqrt(16 * 32))


def test_without_a_running_batch_the_concurrency_still_stands() -> None:
    points = [
        speedup_point(16, 1.25, has_batch=False),
        speedup_point(32, 0.8, has_batch=False),
    ]
    found = find_break_even(curve(points))
    assert found.outcome is BreakEvenOutcome.PAYS_UP_TO
    assert found.batch is None
    assert found.concurrency == pytest.approx(math.sqrt(16 * 32))


def test_a_rising_curve_pays_from_its_crossing() -> None:
    found = break_even([0.8, 0.9, 1.2])
    assert found.outcome is BreakEvenOutcome.PAYS_FROM
    assert found.first_slower_concurrency == 1
    assert found.batch is not None
    assert 2 < found.batch < 4


def test_a_curve_above_1_pays_everywhere_and_names_no_batch() -> None:
    found = break_even([1.8, 1.5, 1.1])
    assert found.outcome is BreakEvenOutcome.PAYS_EVERYWHERE
    assert (found.batch, found.concurrency) == (None, None)
    assert (found.below, found.above) == (None, None)
    assert found.first_slower_concurrency is None


def test_a_curve_below_1_never_pays_and_names_no_batch() -> None:
    found = break_even([0.9, 0.8, 0.7])
    assert found.outcome is BreakEvenOutcome.NEVER_PAYS
    assert (found.batch, found.concurrency) == (None, None)
    assert found.first_slower_concurrency == 1


def test_two_crossings_are_named_and_none_of_them_is_picked() -> None:
    found = break_even([1.3, 1.1, 0.9, 1.2])
    assert found.outcome is BreakEvenOutcome.SEVERAL
    assert (found.batch, found.concurrency) == (None, None)
    assert found.first_slower_concurrency == 4


def test_a_load_without_a_speedup_is_left_out_and_is_no_neighbour() -> None:
    found = break_even([1.5, 1.25, None, 0.8, 0.7])
    assert found.outcome is BreakEvenOutcome.PAYS_UP_TO
    assert found.below is not None
    assert found.above is not None
    assert found.below.condition.concurrency == 2
    assert found.above.condition.concurrency == 8
    assert found.concurrency == pytest.approx(4.0)


@pytest.mark.parametrize("speedups", [[], [None], [None, None]])
def test_without_any_speedup_it_is_undecided_and_says_why(
    speedups: list[float | None],
) -> None:
    found = break_even(speedups)
    assert found.outcome is BreakEvenOutcome.UNDECIDED
    assert found.batch is None
    assert "no load" in found.note


def test_one_load_gives_an_outcome_for_what_was_measured() -> None:
    assert break_even([1.2]).outcome is BreakEvenOutcome.PAYS_EVERYWHERE
    assert break_even([0.8]).outcome is BreakEvenOutcome.NEVER_PAYS


def test_a_speedup_of_exactly_1_is_not_slower() -> None:
    assert break_even([1.0, 1.0]).outcome is BreakEvenOutcome.PAYS_EVERYWHERE
    found = break_even([1.5, 1.0, 0.5])
    assert found.outcome is BreakEvenOutcome.PAYS_UP_TO
    assert found.concurrency == pytest.approx(2.0)
    assert found.first_slower_concurrency == 4


def test_the_note_says_how_many_launches_and_that_there_is_no_interval() -> None:
    points = [
        speedup_point(1, launches(1.4, 1.6)),
        speedup_point(2, launches(0.7, 0.9)),
    ]
    note = find_break_even(curve(points)).note
    assert "3 launches" in note
    assert "without an interval" in note
    assert "both sides" not in note


def test_the_note_names_the_loads_where_launches_disagree() -> None:
    points = [
        speedup_point(1, launches(1.4, 1.6)),
        speedup_point(8, launches(0.95, 1.1)),
        speedup_point(64, launches(0.7, 0.9)),
    ]
    note = find_break_even(curve(points)).note
    assert "concurrency 8" in note
    assert "both sides of 1" in note
    assert "64" not in note


@given(SPEEDUPS)
def test_the_outcome_follows_from_the_sides(speedups: list[float]) -> None:
    sides = [side for side, _ in itertools.groupby(s >= 1 for s in speedups)]
    expected = {
        (True,): BreakEvenOutcome.PAYS_EVERYWHERE,
        (False,): BreakEvenOutcome.NEVER_PAYS,
        (True, False): BreakEvenOutcome.PAYS_UP_TO,
        (False, True): BreakEvenOutcome.PAYS_FROM,
    }.get(tuple(sides), BreakEvenOutcome.SEVERAL)
    assert break_even(list(speedups)).outcome is expected


@given(SPEEDUPS)
def test_a_crossing_lies_between_its_neighbours(speedups: list[float]) -> None:
    found = break_even(list(speedups))
    if found.below is None or found.above is None:
        assert found.batch is None
        return
    low, high = found.below.condition.concurrency, found.above.condition.concurrency
    assert high == 2 * low
    for value in (found.batch, found.concurrency):
        assert value is not None
        assert low * (1 - 1e-12) <= value <= high * (1 + 1e-12)


@given(st.lists(st.floats(0.3, 3).filter(lambda s: s != 1), min_size=2, max_size=7))
def test_exchanging_the_arms_turns_the_outcome_round(speedups: list[float]) -> None:
    turned = {
        BreakEvenOutcome.PAYS_UP_TO: BreakEvenOutcome.PAYS_FROM,
        BreakEvenOutcome.PAYS_FROM: BreakEvenOutcome.PAYS_UP_TO,
        BreakEvenOutcome.PAYS_EVERYWHERE: BreakEvenOutcome.NEVER_PAYS,
        BreakEvenOutcome.NEVER_PAYS: BreakEvenOutcome.PAYS_EVERYWHERE,
        BreakEvenOutcome.SEVERAL: BreakEvenOutcome.SEVERAL,
    }
    there = break_even(list(speedups))
    back = break_even([1 / s for s in speedups])
    assert back.outcome is turned[there.outcome]
    if there.batch is not None:
        assert back.batch == pytest.approx(there.batch, rel=1e-6)


def test_noise_at_one_load_is_not_a_crossing() -> None:
    points = [
        speedup_point(1, launches(1.40, 1.44)),
        speedup_point(2, launches(1.20, 1.24)),
        speedup_point(4, launches(0.96, 1.03)),
        speedup_point(8, launches(1.10, 1.14)),
        speedup_point(16, launches(0.80, 0.84)),
    ]
    found = find_break_even(curve(points))
    assert found.outcome is not BreakEvenOutcome.SEVERAL
    if found.below is not None:
        assert found.below.condition.concurrency == 8


def test_two_crossings_on_which_all_launches_agree_are_several() -> None:
    points = [
        speedup_point(1, launches(1.2, 1.3)),
        speedup_point(2, launches(0.8, 0.9)),
        speedup_point(4, launches(1.1, 1.2)),
    ]
    assert find_break_even(curve(points)).outcome is BreakEvenOutcome.SEVERAL


@pytest.mark.parametrize("side", [1.2, 0.8])
def test_a_load_on_both_sides_of_1_leaves_everywhere_and_never_undecided(
    side: float,
) -> None:
    points = [
        speedup_point(1, launches(side, side + 0.05)),
        speedup_point(2, launches(0.97, 1.03)),
    ]
    found = find_break_even(curve(points))
    assert found.outcome is BreakEvenOutcome.UNDECIDED
    assert found.batch is None
    assert "concurrency 2" in found.note


def test_a_load_on_both_sides_of_1_inside_the_gap_is_a_neighbour() -> None:
    points = [
        speedup_point(8, launches(1.3, 1.4)),
        speedup_point(16, launches(0.98, 1.06)),
        speedup_point(32, launches(0.7, 0.8)),
    ]
    found = find_break_even(curve(points))
    assert found.outcome is BreakEvenOutcome.PAYS_UP_TO
    assert found.below is not None
    assert found.above is not None
    # its mean is above 1, so the line is crossed after it
    assert found.below.condition.concurrency == 16
    assert found.above.condition.concurrency == 32
    assert found.concurrency is not None
    assert 16 < found.concurrency < 32


@given(
    st.lists(st.tuples(st.floats(0.5, 2), st.floats(1.0, 1.5)), min_size=1, max_size=8)
)
def test_any_curve_of_several_launches_has_an_outcome_that_fits_itself(
    loads: list[tuple[float, float]],
) -> None:
    points = [
        speedup_point(2**place, launches(low, low * spread))
        for place, (low, spread) in enumerate(loads)
    ]
    found = find_break_even(curve(points))
    crosses = {BreakEvenOutcome.PAYS_UP_TO, BreakEvenOutcome.PAYS_FROM}
    if found.outcome not in crosses:
        assert (found.batch, found.below, found.above) == (None, None, None)
        return
    assert found.below is not None
    assert found.above is not None
    assert found.batch is not None
    low, high = found.below.condition.concurrency, found.above.condition.concurrency
    assert high == 2 * low
    assert low * (1 - 1e-12) <= found.batch <= high * (1 + 1e-12)
    left, right = found.below.speedup.value, found.above.speedup.value
    assert left is not None
    assert right is not None
    is_downward = found.outcome is BreakEvenOutcome.PAYS_UP_TO
    assert (left >= 1) == is_downward
    assert (right >= 1) != is_downward
