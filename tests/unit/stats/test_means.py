"""Means: geometric for ratios, time-weighted for gauges that were read now and then."""

import math
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specbench.stats.means import (
    arithmetic_mean,
    geometric_mean,
    time_weighted_mean,
    value_at,
)

RATIOS = st.lists(st.floats(min_value=0.01, max_value=100), min_size=1, max_size=20)
GAUGES = st.floats(min_value=0, max_value=1000)
INSTANTS = st.floats(min_value=-5, max_value=15)


def test_a_gain_of_two_and_a_loss_of_two_cancel() -> None:
    assert geometric_mean([2.0, 0.5]) == pytest.approx(1.0, rel=1e-15)


@given(RATIOS)
def test_geometric_mean_lies_within_its_values(ratios: list[float]) -> None:
    mean = geometric_mean(ratios)
    assert min(ratios) * (1 - 1e-12) <= mean <= max(ratios) * (1 + 1e-12)


@given(RATIOS)
def test_inverting_all_ratios_inverts_their_mean(ratios: list[float]) -> None:
    inverted = geometric_mean([1 / r for r in ratios])
    assert inverted == pytest.approx(1 / geometric_mean(ratios), rel=1e-9)


@given(RATIOS)
def test_geometric_mean_is_never_above_the_arithmetic_one(ratios: list[float]) -> None:
    assert geometric_mean(ratios) <= arithmetic_mean(ratios) * (1 + 1e-12)


@given(RATIOS, st.floats(min_value=0.01, max_value=100))
def test_geometric_mean_scales_with_its_values(
    ratios: list[float], factor: float
) -> None:
    scaled = geometric_mean([r * factor for r in ratios])
    assert scaled == pytest.approx(geometric_mean(ratios) * factor, rel=1e-9)


@pytest.mark.parametrize("bad", [0.0, -1.0])
def test_a_ratio_of_zero_or_below_has_no_geometric_mean(bad: float) -> None:
    with pytest.raises(ValueError, match="above zero"):
        geometric_mean([1.0, bad])


def test_an_empty_sample_has_no_mean() -> None:
    with pytest.raises(ValueError, match="empty"):
        geometric_mean([])
    with pytest.raises(ValueError, match="empty"):
        arithmetic_mean([])


def test_a_constant_gauge_has_its_value_as_mean() -> None:
    assert time_weighted_mean([(1.0, 8.0), (2.5, 8.0)], 0.0, 10.0) == 8.0


def test_readings_count_by_the_time_that_they_stand_for() -> None:
    # ten seconds at 4 and a short second of falling to 0: not the mean of 4, 4, 0
    mean = time_weighted_mean([(0.0, 4.0), (10.0, 4.0), (11.0, 0.0)], 0.0, 11.0)
    assert mean == pytest.approx((40 + 2) / 11)


def test_a_gauge_is_linear_between_two_readings() -> None:
    assert time_weighted_mean([(0.0, 0.0), (10.0, 10.0)], 0.0, 10.0) == 5.0


def test_only_the_span_counts_even_where_readings_lie_outside() -> None:
    readings = [(-10.0, 0.0), (0.0, 10.0), (10.0, 10.0), (20.0, 100.0)]
    assert time_weighted_mean(readings, 0.0, 10.0) == 10.0


def test_before_the_first_and_after_the_last_reading_the_gauge_stands_still() -> None:
    assert time_weighted_mean([(4.0, 2.0), (6.0, 6.0)], 0.0, 10.0) == pytest.approx(4.0)


def test_one_reading_is_the_mean_wherever_it_lies() -> None:
    for when in (-3.0, 5.0, 30.0):
        assert time_weighted_mean([(when, 7.0)], 0.0, 10.0) == 7.0


@pytest.mark.parametrize(
    ("readings", "end"), [([], 10.0), ([(0.0, 1.0)], 0.0), ([(0.0, 1.0)], -1.0)]
)
def test_without_a_reading_or_a_span_there_is_no_mean(
    readings: list[tuple[float, float]], end: float
) -> None:
    assert time_weighted_mean(readings, 0.0, end) is None


@given(st.lists(st.tuples(INSTANTS, GAUGES), min_size=1, max_size=15))
def test_a_time_weighted_mean_lies_within_the_readings(
    readings: list[tuple[float, float]],
) -> None:
    mean = time_weighted_mean(readings, 0.0, 10.0)
    assert mean is not None
    values = [value for _, value in readings]
    slack = 1e-9 * max(1.0, *values)
    assert min(values) - slack <= mean <= max(values) + slack


@given(
    st.lists(
        st.tuples(INSTANTS, GAUGES), min_size=1, max_size=15, unique_by=lambda r: r[0]
    ),
    st.randoms(use_true_random=False),
)
def test_a_time_weighted_mean_does_not_depend_on_the_order(
    readings: list[tuple[float, float]], random: Random
) -> None:
    shuffled = list(readings)
    random.shuffle(shuffled)
    assert time_weighted_mean(shuffled, 0.0, 10.0) == time_weighted_mean(
        readings, 0.0, 10.0
    )


@given(
    st.lists(
        st.tuples(INSTANTS, GAUGES), min_size=1, max_size=10, unique_by=lambda r: r[0]
    ),
    st.floats(min_value=0.5, max_value=9.5),
)
def test_a_mean_over_a_span_is_the_mean_of_its_parts(
    readings: list[tuple[float, float]], cut: float
) -> None:
    whole = time_weighted_mean(readings, 0.0, 10.0)
    left = time_weighted_mean(readings, 0.0, cut)
    right = time_weighted_mean(readings, cut, 10.0)
    assert whole is not None
    assert left is not None
    assert right is not None
    joined = (left * cut + right * (10.0 - cut)) / 10.0
    assert math.isclose(whole, joined, rel_tol=1e-9, abs_tol=1e-9)


def test_value_at_is_exact_at_the_readings() -> None:
    points = [(0.0, 1.0), (1.0, 5.0), (4.0, 2.0)]
    assert [value_at(points, when) for when, _ in points] == [1.0, 5.0, 2.0]
