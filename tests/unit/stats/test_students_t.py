"""Tails and quantiles of t and F: printed tables, closed forms, integrals of the
density, and what must hold for any degrees of freedom."""

import math
from collections.abc import Callable

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from specbench.stats.students_t import f_tail, t_quantile, t_tail

# NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7.2, "Critical values of the
# Student's t distribution": df, then the values exceeded with these chances
T_CHANCES = (0.10, 0.05, 0.025, 0.01, 0.005)
T_TABLE = (
    (1, 3.078, 6.314, 12.706, 31.821, 63.657),
    (2, 1.886, 2.920, 4.303, 6.965, 9.925),
    (3, 1.638, 2.353, 3.182, 4.541, 5.841),
    (4, 1.533, 2.132, 2.776, 3.747, 4.604),
    (5, 1.476, 2.015, 2.571, 3.365, 4.032),
    (8, 1.397, 1.860, 2.306, 2.896, 3.355),
    (10, 1.372, 1.812, 2.228, 2.764, 3.169),
    (16, 1.337, 1.746, 2.120, 2.583, 2.921),
    (30, 1.310, 1.697, 2.042, 2.457, 2.750),
    (100, 1.290, 1.660, 1.984, 2.364, 2.626),
    (math.inf, 1.282, 1.645, 1.960, 2.326, 2.576),
)
# the same, 1.3.6.7.3, "Upper critical values of the F distribution": chance, degrees of
# freedom above and below, value
F_TABLE = (
    (0.05, 1, 1, 161.448),
    (0.05, 2, 4, 6.944),
    (0.05, 3, 12, 3.490),
    (0.05, 4, 10, 3.478),
    (0.05, 5, 20, 2.711),
    (0.05, 8, 16, 2.591),
    (0.05, 10, 10, 2.978),
    (0.10, 2, 10, 2.924),
    (0.01, 1, 10, 10.044),
    (0.01, 3, 12, 5.953),
    (0.01, 4, 16, 4.773),
    (0.01, 8, 16, 3.890),
)
HALF_A_DIGIT = 0.0005

DFS = st.floats(min_value=0.5, max_value=1e6)
WIDE_DFS = st.floats(min_value=0.7, max_value=1e6)
TAILS = st.floats(min_value=1e-9, max_value=0.5)
VALUES = st.floats(min_value=-1e4, max_value=1e4)


@pytest.mark.parametrize("row", T_TABLE, ids=lambda row: f"df {row[0]}")
def test_t_quantiles_are_those_of_the_printed_table(row: tuple[float, ...]) -> None:
    df, *printed = row
    found = [t_quantile(chance, df) for chance in T_CHANCES]
    assert found == pytest.approx(printed, abs=HALF_A_DIGIT * 1.001)


@pytest.mark.parametrize(("chance", "above", "below", "value"), F_TABLE)
def test_f_tails_are_those_of_the_printed_table(
    chance: float, above: float, below: float, value: float
) -> None:
    """Between the chances of the value's neighbours in the last printed digit."""
    least = f_tail(value + HALF_A_DIGIT, above, below)
    most = f_tail(value - HALF_A_DIGIT, above, below)
    assert least <= chance <= most


def cauchy(value: float) -> float:
    """df = 1; written for the far tail, where 1/2 - atan/pi has no digits left."""
    return math.atan2(1, value) / math.pi


def two_degrees(value: float) -> float:
    root = math.sqrt(2 + value * value)
    return 1 / (root * (root + value))


def four_degrees(value: float) -> float:
    scaled = value / math.sqrt(1 + value * value / 4)
    return 0.5 - 3 / 8 * scaled * (1 - scaled * scaled / 12)


def normal(value: float) -> float:
    return math.erfc(value / math.sqrt(2)) / 2


@pytest.mark.parametrize("value", [0.0, 1e-8, 0.1, 1.0, 2.5, 9.0, 300.0, 1e6])
@pytest.mark.parametrize(
    ("df", "closed"), [(1, cauchy), (2, two_degrees), (math.inf, normal)]
)
def test_tails_that_have_a_closed_form_are_exact(
    df: float, closed: Callable[[float], float], value: float
) -> None:
    assert t_tail(value, df) == pytest.approx(closed(value), rel=1e-12)


@pytest.mark.parametrize("value", [0.0, 0.1, 1.0, 2.5, 9.0])
def test_the_tail_with_four_degrees_of_freedom_is_its_closed_form(value: float) -> None:
    assert t_tail(value, 4) == pytest.approx(four_degrees(value), rel=1e-9)


@pytest.mark.parametrize("df", [1.0, 1.7, 2.5, 7.3, 44.4, 130.2])
@pytest.mark.parametrize("value", [0.3, 1.0, 2.0, 4.0])
def test_tails_of_fractional_degrees_are_integrals_of_the_density(
    df: float, value: float
) -> None:
    """With t = sqrt(df) tan(u) the density is cos(u)^(df - 1), but for its constant."""

    def area(start: float, end: float, steps: int = 20_000) -> float:
        width = (end - start) / steps
        return width * math.fsum(
            math.cos(start + (i + 0.5) * width) ** (df - 1) for i in range(steps)
        )

    edge = math.atan(value / math.sqrt(df))
    share = area(edge, math.pi / 2) / area(-math.pi / 2, math.pi / 2)
    assert t_tail(value, df) == pytest.approx(share, rel=1e-4)


@given(VALUES, DFS)
def test_t_is_symmetric_about_0(value: float, df: float) -> None:
    assert t_tail(value, df) + t_tail(-value, df) == pytest.approx(1.0, abs=1e-12)
    assert t_tail(0.0, df) == 0.5


@given(VALUES, VALUES, DFS)
def test_a_farther_value_has_no_larger_tail(a: float, b: float, df: float) -> None:
    near, far = sorted((a, b))
    assert t_tail(far, df) <= t_tail(near, df) * (1 + 1e-12)


@given(st.floats(0.01, 100), WIDE_DFS, st.floats(1.01, 10))
def test_fewer_degrees_of_freedom_have_a_heavier_tail(
    value: float, df: float, factor: float
) -> None:
    assert t_tail(value, df) >= t_tail(value, df * factor) * (1 - 1e-8)


@given(TAILS, WIDE_DFS)
@example(0.5, 4.0)
@example(1e-9, 1e6)
@example(1e-9, 1.0)
def test_the_quantile_turns_the_tail_round(tail: float, df: float) -> None:
    assert t_tail(t_quantile(tail, df), df) == pytest.approx(tail, rel=1e-9)


@given(st.floats(0.001, 0.999), WIDE_DFS)
def test_quantiles_of_both_tails_are_opposite(tail: float, df: float) -> None:
    # 1 - tail is rounded
    there, back = t_quantile(tail, df), t_quantile(1 - tail, df)
    assert there == pytest.approx(-back, rel=1e-9, abs=1e-9)


@given(TAILS, TAILS, WIDE_DFS)
def test_a_smaller_tail_has_a_farther_quantile(a: float, b: float, df: float) -> None:
    small, large = sorted((a, b))
    assert t_quantile(small, df) >= t_quantile(large, df)


def test_many_degrees_of_freedom_are_as_good_as_known_noise() -> None:
    for tail in (0.1, 0.025, 0.001):
        normal_quantile = t_quantile(tail, math.inf)
        assert t_quantile(tail, 1e6) == pytest.approx(normal_quantile, rel=1e-5)


@pytest.mark.parametrize("df", [0.0, -1.0, math.nan])
def test_t_needs_degrees_of_freedom(df: float) -> None:
    with pytest.raises(ValueError, match="degrees of freedom"):
        t_tail(1.0, df)


@pytest.mark.parametrize("tail", [0.0, 1.0, -0.1, 1.1, math.nan])
def test_a_chance_outside_0_to_1_has_no_quantile(tail: float) -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        t_quantile(tail, 3.0)


RATIOS = st.floats(min_value=1e-3, max_value=1e3)
F_DFS = st.floats(min_value=1, max_value=500)


@given(RATIOS, F_DFS)
def test_f_with_two_degrees_above_has_a_closed_form(ratio: float, df: float) -> None:
    expected = math.exp(-df / 2 * math.log1p(2 * ratio / df))
    assert f_tail(ratio, 2, df) == pytest.approx(expected, rel=1e-9, abs=1e-14)


@given(RATIOS, F_DFS)
def test_f_with_one_degree_above_is_t_squared(ratio: float, df: float) -> None:
    both_sides = 2 * t_tail(math.sqrt(ratio), df)
    assert f_tail(ratio, 1, df) == pytest.approx(both_sides, rel=1e-9, abs=1e-14)


@given(RATIOS, F_DFS, F_DFS)
def test_f_turned_over_is_f_with_its_degrees_exchanged(
    ratio: float, above: float, below: float
) -> None:
    turned = f_tail(1 / ratio, below, above)
    assert f_tail(ratio, above, below) == pytest.approx(1 - turned, abs=1e-9)


@given(RATIOS, RATIOS, F_DFS, F_DFS)
def test_a_larger_ratio_has_no_larger_tail(
    a: float, b: float, above: float, below: float
) -> None:
    small, large = sorted((a, b))
    assert f_tail(large, above, below) <= f_tail(small, above, below) + 1e-12


def test_every_ratio_is_above_0() -> None:
    assert f_tail(0.0, 3, 5) == 1.0
    assert f_tail(math.inf, 3, 5) == 0.0


def test_the_quantile_of_a_very_heavy_tail_is_found_too() -> None:
    assert t_tail(t_quantile(1e-9, 0.5), 0.5) == pytest.approx(1e-9, rel=1e-6)
