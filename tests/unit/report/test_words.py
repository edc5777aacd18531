"""How numbers are written for people."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specbench.report import words
from specbench.schema.comparison import SpeedupMetric
from specbench.schema.estimate import Estimate, Interval, absent

REASONABLE = st.floats(1e-6, 1e9)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (19.46, "19.5"),
        (0.0456, "0.0456"),
        (9.996, "10.0"),
        (99.96, "100"),
        (999.6, "1000"),
        (12345.6, "12346"),
        (-2.5, "-2.50"),
    ],
)
def test_three_digits_count_and_whole_digits_stay(value: float, text: str) -> None:
    assert words.significant(value) == text


@given(REASONABLE)
def test_written_number_is_within_half_a_unit_of_its_last_digit(value: float) -> None:
    text = words.significant(value)
    assert "e" not in text
    assert math.isclose(float(text), value, rel_tol=0.0051)


@given(st.floats(0.01, 100))
def test_speedup_off_one_is_never_written_as_one(value: float) -> None:
    text = words.speedup(value)
    if abs(value - 1) > 1e-5:
        assert (float(text) < 1) == (value < 1)


@pytest.mark.parametrize(
    ("value", "text"),
    [(1.0, "1.00"), (0.9996, "0.9996"), (1.004, "1.004"), (0.79, "0.79")],
)
def test_speedup_near_one_gets_the_digits_that_it_needs(
    value: float, text: str
) -> None:
    assert words.speedup(value) == text


def test_missing_number_is_a_dash_and_not_a_zero() -> None:
    assert words.shown(None, words.batch) == words.DASH
    assert words.with_interval(absent("void"), words.speedup) == words.DASH


def test_interval_stands_beside_its_value_and_its_absence_is_said() -> None:
    three = Estimate(1.25, 1.24, 1.26, n=3, interval=Interval(1.2, 1.31))
    one = Estimate(1.25, 1.25, 1.25, n=1, no_interval="one launch")
    apart = Estimate(1.25, 1.24, 1.26, n=2, no_interval="no load is shared")
    assert words.with_interval(three, words.speedup) == "1.25 [1.20, 1.31]"
    assert words.with_interval(one, words.speedup) == "1.25 (1 launch)"
    assert words.with_interval(apart, words.speedup) == "1.25 (no interval)"


def test_one_launch_with_known_launch_noise_has_an_interval() -> None:
    known = Estimate(1.25, 1.25, 1.25, n=1, interval=Interval(1.1, 1.4))
    assert words.with_interval(known, words.speedup) == "1.25 [1.10, 1.40]"


def test_interval_that_leaves_one_out_never_ends_at_one() -> None:
    close = Estimate(1.002, n=3, interval=Interval(1.0004, 1.0036))
    assert words.with_interval(close, words.speedup) == "1.002 [1.0004, 1.004]"


def test_open_end_of_an_interval_is_a_word() -> None:
    assert words.interval(Interval(None, 2.0), words.share) == "[open, 2.00]"
    beyond = ("below 1", "beyond 256")
    assert words.interval(Interval(3, None), words.load, beyond) == "[3, beyond 256]"


@pytest.mark.parametrize(
    ("value", "width", "text"),
    [
        (61.3, 13.2, "61"),
        (7.46, 2.9, "7.5"),
        (2.59, 0.08, "2.59"),
        (2.3, 16.0, "2.3"),
        (300.2, 0.5, "300"),
        (61.3, None, "61.3"),
        (61.3, 0.0, "61.3"),
    ],
)
def test_place_has_the_decimals_that_its_interval_earns(
    value: float, width: float | None, text: str
) -> None:
    assert words.place(width)(value) == text


def test_deviation_is_the_root_of_a_variance_in_percent() -> None:
    assert words.deviation(0.012**2) == "1.2"
    assert words.deviation(0.0) == "0"
    assert words.deviation(1e-30) == "<0.001"


def test_every_metric_has_a_name_of_its_own() -> None:
    names = [words.metric(metric) for metric in SpeedupMetric]
    assert names[:3] == ["throughput", "median TPOT", "p95 TPOT"]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize(
    ("value", "text"), [(4.0, "4"), (6.28, "6.3"), (96.34, "96.3"), (167.2, "167")]
)
def test_measured_loads_are_whole_and_interpolated_ones_need_not_be(
    value: float, text: str
) -> None:
    assert words.load(value) == text
