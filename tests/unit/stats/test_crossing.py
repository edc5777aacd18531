"""Crossing of a sampled curve through zero: sides, weights, log interpolation."""

import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specbench.stats.crossing import (
    SignChange,
    falling_root,
    interpolate_log2,
    root_weight,
    sign_changes,
)

# the throughput ratios published with case H17, by load
LOADS = (1, 2, 4, 8, 16, 32, 64)
RATIOS = (2.00, 1.85, 1.70, 1.50, 1.25, 0.95, 0.80)

VALUES = st.floats(min_value=-3, max_value=3)
AXIS = st.floats(min_value=0.5, max_value=512)


def test_the_published_ratios_change_sides_once_between_16_and_32() -> None:
    logs = [math.log(r) for r in RATIOS]
    assert sign_changes(logs) == [SignChange(left=4, is_downward=True)]
    assert (LOADS[4], LOADS[5]) == (16, 32)


def test_the_published_ratios_cross_at_28_when_both_axes_are_logarithmic() -> None:
    weight = root_weight(math.log(1.25), math.log(0.95))
    crossing = interpolate_log2(16, 32, weight)
    assert crossing == pytest.approx(28.11, abs=0.01)


def test_a_value_of_exactly_zero_is_not_below() -> None:
    assert sign_changes([1.0, 0.0, 1.0]) == []
    assert sign_changes([0.0, -1.0]) == [SignChange(left=0, is_downward=True)]
    assert sign_changes([-1.0, 0.0]) == [SignChange(left=0, is_downward=False)]


@given(st.lists(VALUES, max_size=12))
def test_sign_changes_alternate_in_direction(values: list[float]) -> None:
    directions = [change.is_downward for change in sign_changes(values)]
    assert all(a != b for a, b in itertools.pairwise(directions))


@given(st.lists(VALUES.filter(bool), max_size=12))
def test_mirrored_values_change_sides_at_the_same_places(values: list[float]) -> None:
    mirrored = sign_changes([-v for v in values])
    assert [c.left for c in mirrored] == [c.left for c in sign_changes(values)]


@given(
    st.floats(min_value=1e-6, max_value=3),
    st.floats(min_value=-3, max_value=-1e-6),
    st.booleans(),
)
def test_a_straight_line_is_zero_at_its_root(
    above: float, below: float, is_downward: bool
) -> None:
    left, right = (above, below) if is_downward else (below, above)
    weight = root_weight(left, right)
    assert 0 <= weight <= 1
    assert left + weight * (right - left) == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize(("left", "right"), [(1.0, 2.0), (-1.0, -2.0), (0.0, 1.0)])
def test_two_values_on_one_side_have_no_root(left: float, right: float) -> None:
    with pytest.raises(ValueError, match="no sign change"):
        root_weight(left, right)


@given(AXIS, AXIS, st.floats(min_value=0, max_value=1))
def test_interpolation_stays_between_its_ends(
    a: float, b: float, weight: float
) -> None:
    low, high = sorted((a, b))
    value = interpolate_log2(a, b, weight)
    assert low * (1 - 1e-12) <= value <= high * (1 + 1e-12)


def test_half_way_on_a_log_axis_is_the_geometric_middle() -> None:
    assert interpolate_log2(4, 16, 0.5) == pytest.approx(8.0, rel=1e-12)


@pytest.mark.parametrize(("left", "right"), [(0.0, 4.0), (4.0, 0.0), (-1.0, 4.0)])
def test_a_log_axis_has_no_place_for_zero(left: float, right: float) -> None:
    with pytest.raises(ValueError, match="above zero"):
        interpolate_log2(left, right, 0.5)


def pooled(values: list[float]) -> list[float]:
    """The falling sequence nearest to the values, by the formula that defines it
    (Robertson et al. 1988, "Order Restricted Statistical Inference", 1.4): the least
    over starts of the greatest over ends of the mean between them."""
    places = range(len(values))
    return [
        min(
            max(math.fsum(values[a : b + 1]) / (b + 1 - a) for b in places if b >= i)
            for a in places
            if a <= i
        )
        for i in places
    ]


FALLING = st.builds(
    lambda first, inner, last: [first, *inner, last],
    st.floats(0, 3),
    st.lists(st.floats(-1, 1), max_size=6),
    st.floats(-3, -1e-6),
)


@given(FALLING)
def test_the_root_of_a_falling_curve_is_that_of_the_nearest_falling_sequence(
    values: list[float],
) -> None:
    left, weight = falling_root(values)
    level = pooled(values)
    assert 0 <= left < len(values) - 1
    assert 0 <= weight <= 1
    line = level[left] + weight * (level[left + 1] - level[left])
    assert line == pytest.approx(0, abs=1e-9)


@given(FALLING)
def test_the_root_lies_between_the_first_and_the_last_change_of_sign(
    values: list[float],
) -> None:
    left, _ = falling_root(values)
    changes = [change.left for change in sign_changes(values)]
    assert changes[0] <= left <= changes[-1]


@given(FALLING)
def test_where_nothing_rises_the_root_is_the_plain_one(values: list[float]) -> None:
    falling = sorted(values, reverse=True)
    (change,) = sign_changes(falling)
    left, weight = falling_root(falling)
    assert left == change.left
    assert weight == root_weight(falling[left], falling[left + 1])


def test_a_dip_and_a_bump_of_one_size_cross_between_them() -> None:
    # -0.1 and 0.1 pool to 0, which counts as not below
    assert falling_root([1.0, -0.1, 0.1, -1.0]) == (2, 0.0)


@pytest.mark.parametrize(
    "values", [[], [1.0], [1.0, 0.5], [-1.0, 1.0], [-1.0, -2.0], [1.0, -1.0, 0.0]]
)
def test_a_curve_that_does_not_fall_through_zero_has_no_falling_root(
    values: list[float],
) -> None:
    with pytest.raises(ValueError, match="does not fall"):
        falling_root(values)
