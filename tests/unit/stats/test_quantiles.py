"""Quantiles: the definition that numpy, R (type 7) and spreadsheets share."""

import math
import statistics
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specbench.stats.quantiles import median, quantile

LATENCIES = st.floats(min_value=1e-6, max_value=1e6)
SAMPLES = st.lists(LATENCIES, min_size=1, max_size=40)
SHARES = st.floats(min_value=0, max_value=1)


@pytest.mark.parametrize(
    ("q", "expected"),
    [(0, 10.0), (0.25, 17.5), (0.5, 25.0), (0.9, 37.0), (0.99, 39.7), (1, 40.0)],
)
def test_quantile_interpolates_between_order_statistics(
    q: float, expected: float
) -> None:
    assert quantile([10.0, 20.0, 30.0, 40.0], q) == pytest.approx(expected, rel=1e-12)


def test_every_quantile_of_one_value_is_that_value() -> None:
    assert {quantile([7.5], q) for q in (0, 0.5, 0.99, 1)} == {7.5}


@given(SAMPLES, SHARES)
def test_quantile_lies_within_the_sample(values: list[float], q: float) -> None:
    ordered = sorted(values)
    assert ordered[0] <= quantile(ordered, q) <= ordered[-1]


@given(SAMPLES, SHARES, SHARES)
def test_quantile_rises_with_its_share(values: list[float], a: float, b: float) -> None:
    ordered = sorted(values)
    low, high = sorted((a, b))
    assert quantile(ordered, low) <= quantile(ordered, high) * (1 + 1e-12)


@given(SAMPLES, SHARES, st.floats(min_value=1e-3, max_value=1e3))
def test_quantile_scales_with_the_unit(
    values: list[float], q: float, factor: float
) -> None:
    ordered = sorted(values)
    scaled = quantile([v * factor for v in ordered], q)
    assert scaled == pytest.approx(quantile(ordered, q) * factor, rel=1e-9)


@given(SAMPLES.filter(lambda values: len(values) > 1))
def test_quartiles_agree_with_the_standard_library(values: list[float]) -> None:
    ours = [quantile(sorted(values), q) for q in (0.25, 0.5, 0.75)]
    theirs = statistics.quantiles(values, n=4, method="inclusive")
    assert ours == pytest.approx(theirs, rel=1e-9)


@given(SAMPLES, st.randoms())
def test_median_does_not_depend_on_the_order(
    values: list[float], random: Random
) -> None:
    shuffled = list(values)
    random.shuffle(shuffled)
    assert median(shuffled) == median(values)


def test_median_of_an_even_sample_is_the_middle_of_its_two_middle_values() -> None:
    assert median([4.0, 1.0, 3.0, 2.0]) == 2.5


def test_an_empty_sample_has_no_quantile() -> None:
    with pytest.raises(ValueError, match="empty"):
        quantile([], 0.5)


@pytest.mark.parametrize("q", [-0.01, 1.01, math.nan])
def test_a_share_outside_0_to_1_is_refused(q: float) -> None:
    with pytest.raises(ValueError, match="outside"):
        quantile([1.0], q)
