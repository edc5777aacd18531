"""The difference of two replicated curves: what lies between measured places is a line,
its noise is that of both sides, and the allowance covers what the line is off by."""

import math
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specbench.stats.noisy_curve import NoisyCurve, Reading, wander
from specbench.stats.replicated_means import joined_df, replicated_means
from specbench.stats.students_t import t_quantile
from tests.unit.stats.simulated import noisy_table

PLACES = st.lists(st.integers(-400, 400), min_size=3, max_size=9, unique=True).map(
    lambda xs: tuple(sorted(x / 40 for x in xs))
)
COEFFICIENTS = st.tuples(st.floats(-2, 2), st.floats(-2, 2), st.floats(-0.5, 0.5))
WEIGHTS = st.floats(0, 1)


def exact_curve(x: tuple[float, ...], values: list[float]) -> NoisyCurve:
    """Two equal replicates of each side: nothing varies."""
    zeros = [(0.0,) * len(x)] * 2
    return NoisyCurve(x, replicated_means([values] * 2), replicated_means(zeros))


def noisy_curve(
    seed: int, x: tuple[float, ...], values: list[float], noise: float, rows: int = 3
) -> NoisyCurve:
    random = Random(seed)
    upper = noisy_table(random, values, rows, (noise, noise))
    lower = noisy_table(random, [0.0] * len(x), rows, (noise / 2, noise / 2))
    return NoisyCurve(x, replicated_means(upper), replicated_means(lower))


def parabola(coefficients: tuple[float, float, float], x: float) -> float:
    a, b, c = coefficients
    return a + b * x + c * x * x


def test_the_curve_is_upper_less_lower() -> None:
    upper = replicated_means([(1.0, 3.0), (3.0, 3.0)])
    lower = replicated_means([(0.5, 4.0), (1.5, 4.0)])
    assert NoisyCurve((0.0, 1.0), upper, lower).values == (1.0, -1.0)


def test_between_two_places_it_is_a_straight_line() -> None:
    curve = exact_curve((0.0, 4.0), [2.0, -6.0])
    assert [curve.at(0, w).value for w in (0.0, 0.25, 0.5, 1.0)] == [2.0, 0.0, -2.0, -6]


@given(PLACES, COEFFICIENTS, st.data())
def test_a_line_through_a_parabola_is_off_by_exactly_its_allowance(
    x: tuple[float, ...], coefficients: tuple[float, float, float], data: st.DataObject
) -> None:
    """On any grid, and in the first and the last stretch too."""
    curve = exact_curve(x, [parabola(coefficients, place) for place in x])
    left = data.draw(st.integers(0, len(x) - 2))
    weight = data.draw(WEIGHTS)
    between = x[left] + weight * (x[left + 1] - x[left])
    reading = curve.at(left, weight)
    error = abs(reading.value - parabola(coefficients, between))
    assert reading.bias == pytest.approx(error, rel=1e-6, abs=1e-9)


@given(PLACES, st.floats(-2, 2), st.floats(-2, 2), WEIGHTS, st.data())
def test_a_straight_curve_needs_no_allowance(
    x: tuple[float, ...], a: float, b: float, weight: float, data: st.DataObject
) -> None:
    curve = exact_curve(x, [a + b * place for place in x])
    left = data.draw(st.integers(0, len(x) - 2))
    assert curve.at(left, weight).bias == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("left", range(8))
@pytest.mark.parametrize("rate", [0.1, 0.3, 0.5])
def test_the_allowance_covers_a_curve_that_bends_more_and_more(
    left: int, rate: float
) -> None:
    """exp: its second derivative is largest at the end of a stretch, where the last
    stretch has no second difference of its own. What is left is a few percent."""
    x = tuple(float(i) for i in range(9))
    curve = exact_curve(x, [-math.exp(rate * place) for place in x])
    for weight in (0.1, 0.3, 0.5, 0.7, 0.9):
        reading = curve.at(left, weight)
        error = abs(reading.value + math.exp(rate * (left + weight)))
        is_last = left == 7
        assert error <= reading.bias * (1 + rate if is_last else 1)


def test_a_measured_place_has_no_allowance_from_either_side() -> None:
    curve = exact_curve((0.0, 1.0, 3.0), [0.0, 1.0, 9.0])
    assert curve.at(0).bias == curve.at(0, 1.0).bias == curve.at(1).bias == 0
    assert curve.at(0, 1.0).value == curve.at(1).value


def test_bends_that_noise_explains_are_not_allowed_for() -> None:
    """A straight truth under noise: its second differences are noise, and on average
    the allowance stays well below what they would make."""
    x = tuple(float(i) for i in range(9))
    biases, raw = [], []
    for seed in range(200):
        curve = noisy_curve(seed, x, [0.5 - 0.1 * i for i in range(9)], 0.02)
        biases.append(curve.at(4, 0.5).bias)
        v = curve.values
        bends = [abs(v[i - 1] - 2 * v[i] + v[i + 1]) for i in (4, 5)]
        raw.append(max(bends) / 8)
    assert math.fsum(biases) < 0.6 * math.fsum(raw)
    assert min(biases) == 0


@given(st.integers(0, 10**6), st.integers(0, 7), WEIGHTS)
def test_the_error_is_that_of_both_sides(seed: int, left: int, weight: float) -> None:
    x = tuple(float(i) for i in range(9))
    curve = noisy_curve(seed, x, [0.0] * 9, 0.1)
    weights = {left: 1 - weight, left + 1: weight}
    terms = [*curve.upper.variance_terms(weights), *curve.lower.variance_terms(weights)]
    reading = curve.at(left, weight)
    assert reading.error**2 == pytest.approx(math.fsum(t.variance for t in terms))
    assert reading.df == pytest.approx(joined_df(terms), rel=1e-6)


@given(st.integers(0, 10**6), st.integers(0, 7), WEIGHTS)
def test_degrees_of_freedom_lie_between_one_arms_launches_and_all_cells(
    seed: int, left: int, weight: float
) -> None:
    x = tuple(float(i) for i in range(9))
    curve = noisy_curve(seed, x, [0.0] * 9, 0.1)
    assert curve.replicate_df == 4
    assert 2 <= curve.at(left, weight).df <= 2 * (2 + 16)


@given(st.integers(0, 10**6), st.integers(0, 6), WEIGHTS)
def test_exchanging_the_sides_turns_the_value_and_nothing_else(
    seed: int, left: int, weight: float
) -> None:
    x = (0.0, 1.0, 2.5, 3.0, 4.0, 6.0, 7.0, 9.0)
    curve = noisy_curve(seed, x, [0.4 - 0.1 * i for i in range(8)], 0.05)
    turned = NoisyCurve(x, curve.lower, curve.upper)
    here, there = curve.at(left, weight), turned.at(left, weight)
    assert there.value == pytest.approx(-here.value, abs=1e-12)
    assert (there.error, there.df, there.bias) == pytest.approx(
        (here.error, here.df, here.bias), rel=1e-9, abs=1e-12
    )


def test_one_side_without_replicates_leaves_the_curve_without_a_variance() -> None:
    one, two = replicated_means([(1.0, 2.0)]), replicated_means([(1.0, 2.0)] * 2)
    assert not NoisyCurve((0.0, 1.0), one, two).has_variance
    assert not NoisyCurve((0.0, 1.0), two, one).has_variance
    assert NoisyCurve((0.0, 1.0), two, two).has_variance


@pytest.mark.parametrize("x", [(1.0, 1.0), (2.0, 1.0)])
def test_places_that_do_not_rise_are_refused(x: tuple[float, ...]) -> None:
    two = replicated_means([(1.0, 2.0)] * 2)
    with pytest.raises(ValueError, match="must rise"):
        NoisyCurve(x, two, two)


def test_a_place_without_a_figure_is_refused() -> None:
    gap, full = replicated_means([(1.0, None)] * 2), replicated_means([(1.0, 2.0)] * 2)
    with pytest.raises(ValueError, match="no figure"):
        _ = NoisyCurve((0.0, 1.0), full, gap).values


READINGS = st.builds(
    Reading,
    value=st.floats(-1, 1),
    error=st.floats(0.001, 1),
    df=st.floats(1, 60),
    bias=st.floats(0, 0.5),
)
CHANCES = st.floats(0.0005, 0.2)
MOST = st.one_of(st.just(math.inf), st.floats(1, 20))


@given(READINGS, CHANCES, MOST)
def test_zero_lies_in_the_interval_exactly_where_its_chance_is_not_too_small(
    reading: Reading, tail: float, most_df: float
) -> None:
    half, chance = reading.half_width(tail, most_df), reading.chance_beyond(most_df)
    if not math.isclose(chance, tail, rel_tol=1e-6):
        assert (abs(reading.value) <= half) is (chance >= tail)


@given(READINGS, CHANCES)
def test_an_interval_is_t_errors_and_the_allowance(
    reading: Reading, tail: float
) -> None:
    expected = t_quantile(tail, reading.df) * reading.error + reading.bias
    assert reading.half_width(tail) == pytest.approx(expected)


@given(READINGS, CHANCES, MOST)
def test_fewer_credited_degrees_never_narrow_an_interval(
    reading: Reading, tail: float, most_df: float
) -> None:
    assert reading.half_width(tail, most_df) >= reading.half_width(tail) * (1 - 1e-12)


def test_without_noise_only_the_allowance_is_left() -> None:
    sure = Reading(value=0.3, error=0.0, df=math.inf, bias=0.1)
    assert sure.half_width(0.025) == 0.1
    assert sure.chance_beyond() == 0.0
    assert Reading(0.1, 0.0, math.inf, 0.1).chance_beyond() == 1.0


@given(PLACES, st.floats(-2, 2), st.floats(-2, 2))
def test_the_slope_of_a_straight_line_is_its_own(
    x: tuple[float, ...], a: float, b: float
) -> None:
    slope = exact_curve(x, [a + b * place for place in x]).slope()
    assert slope is not None
    assert slope.value == pytest.approx(b, abs=1e-9)
    assert slope.error == 0


def test_one_place_has_no_slope() -> None:
    assert exact_curve((1.0,), [2.0]).slope() is None


@given(st.integers(0, 10**6), PLACES)
def test_what_whole_rows_share_has_no_part_in_a_slope(
    seed: int, x: tuple[float, ...]
) -> None:
    random = Random(seed)
    rows = [[random.gauss(0, 1)] * len(x) for _ in range(3)]
    shifted = NoisyCurve(x, replicated_means(rows), replicated_means(rows[::-1]))
    slope = shifted.slope()
    assert slope is not None
    assert slope.value == pytest.approx(0, abs=1e-9)
    assert slope.error == pytest.approx(0, abs=1e-9)


def test_the_error_of_a_slope_is_the_spread_of_slopes() -> None:
    """Over many repetitions, with the noise of launches and of cells."""
    x = (0.0, 1.0, 2.0, 3.0)
    found = []
    for seed in range(400):
        slope = noisy_curve(seed, x, [0.0] * 4, 0.05).slope()
        assert slope is not None
        found.append(slope)
    spread = math.sqrt(math.fsum(s.value**2 for s in found) / len(found))
    usual = math.sqrt(math.fsum(s.error**2 for s in found) / len(found))
    assert usual == pytest.approx(spread, rel=0.1)


# -- places that are sums of random steps --------------------------------------


@given(st.integers(1, 500), st.integers(0, 500), WEIGHTS)
def test_what_was_measured_does_not_wander(few: int, more: int, weight: float) -> None:
    assert wander(few, few + more, 0.0) == wander(few, few + more, 1.0) == 0
    assert wander(few, few, weight) == 0
    assert wander(few, few + more, weight) >= 0


@pytest.mark.parametrize(("few", "many"), [(40, 60), (120, 156), (400, 440)])
@pytest.mark.parametrize("weight", [0.25, 0.5, 0.75])
def test_a_stretched_walk_wanders_between_two_lengths_as_said(
    few: int, many: int, weight: float
) -> None:
    random = Random(few)
    middle = round(few + weight * (many - few))
    off = []
    for _ in range(3000):
        sums = [0.0]
        for _ in range(many):
            sums.append(sums[-1] + random.expovariate(1.0))
        logs = [math.log2(n / sums[n]) for n in (few, middle, many)]
        share = (middle - few) / (many - few)
        off.append(logs[1] - (1 - share) * logs[0] - share * logs[2])
    deviation = math.sqrt(sum(x * x for x in off) / len(off))
    share = (middle - few) / (many - few)
    assert deviation == pytest.approx(wander(few, many, share), rel=0.15)


def test_the_allowance_grows_with_the_slope_and_the_steps_between() -> None:
    def bias(values: list[float], steps: tuple[int, ...]) -> float:
        plain = exact_curve((0.0, 1.0, 2.0), values)
        curve = NoisyCurve(plain.x, plain.upper, plain.lower, steps=steps)
        assert curve.at(0).bias == 0
        return curve.at(0, 0.5).bias - plain.at(0, 0.5).bias

    line = [1.0, 0.0, -1.0]
    assert (
        bias(line, ()) == bias(line, (16, 16, 16)) == bias([1.0] * 3, (9, 20, 40)) == 0
    )
    once = bias(line, (100, 140, 180))
    assert once == pytest.approx(2 * math.sqrt(10) / 120 / math.log(2))
    assert bias([2.0, 0.0, -2.0], (100, 140, 180)) == pytest.approx(2 * once)
    assert bias(line, (100, 180, 260)) > once
