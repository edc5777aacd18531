"""Where a noisy curve may be zero: exact without noise, the hull of what a fine grid
finds with it, open at the ends where zero is not ruled out there."""

import math
from random import Random

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from specbench.stats.noisy_curve import NoisyCurve
from specbench.stats.replicated_means import replicated_means
from specbench.stats.students_t import t_quantile
from specbench.stats.zero_region import SAMPLES, ZeroRegion, zero_region
from tests.unit.stats.simulated import noisy_table

TAIL = 0.025
SEEDS = st.integers(0, 10**6)
NOISES = st.sampled_from([0.001, 0.005, 0.02, 0.1])
CURVES = st.sampled_from(
    [
        (0.7, 0.6, 0.5, 0.35, 0.2, -0.1, -0.3, -0.5),
        (0.2, 0.15, 0.1, 0.05, 0.01, -0.02, -0.05, -0.1),
        (-0.3, -0.2, -0.1, 0.05, 0.1, 0.3, 0.5, 0.8),
        (0.3, 0.1, -0.1, -0.2, 0.1, 0.2, 0.3, 0.4),
        (0.0,) * 8,
        (0.4, 0.4, 0.4, 0.4, -0.4, -0.4, -0.4, -0.4),
    ]
)
X = (0.0, 1.0, 2.0, 3.5, 4.0, 5.0, 7.0, 8.0)


def exact_curve(x: tuple[float, ...], values: list[float]) -> NoisyCurve:
    zeros = [(0.0,) * len(x)] * 2
    return NoisyCurve(x, replicated_means([values] * 2), replicated_means(zeros))


def noisy_curve(seed: int, values: tuple[float, ...], noise: float) -> NoisyCurve:
    random = Random(seed)
    upper = noisy_table(random, values, 3, (noise, noise))
    lower = noisy_table(random, [0.0] * len(values), 3, (noise / 2, noise / 2))
    return NoisyCurve(X, replicated_means(upper), replicated_means(lower))


def ends(region: ZeroRegion, last: int) -> tuple[float, float]:
    """In places, counted from the first; open ends are the curve's own."""
    low = region.low.left + region.low.weight if region.low else 0.0
    high = region.high.left + region.high.weight if region.high else float(last)
    return low, high


def test_without_noise_a_straight_curve_is_zero_at_its_root_only() -> None:
    region = zero_region(exact_curve((0.0, 4.0), [1.0, -3.0]), TAIL)
    assert region is not None
    assert ends(region, 1) == pytest.approx((0.25, 0.25))


@given(st.floats(0.02, 1), st.floats(0.02, 1))
def test_without_noise_any_straight_curve_is_zero_at_its_root(
    above: float, below: float
) -> None:
    region = zero_region(exact_curve((0.0, 1.0), [above, -below]), TAIL)
    assert region is not None
    assert ends(region, 1) == pytest.approx([above / (above + below)] * 2, abs=1e-9)


def test_without_noise_a_bent_curve_is_zero_within_its_allowance() -> None:
    """1 - x^2/4 + ...: the parabola y = 2 - x^2 / 2 is zero at 2; between 1 and 3 the
    line is 1.5 - 2 (x - 1), its allowance (x - 1)(3 - x) / 2 by |y''| = 1."""
    curve = exact_curve((-1.0, 1.0, 3.0, 5.0), [1.5, 1.5, -2.5, -10.5])
    region = zero_region(curve, TAIL)
    assert region is not None
    assert region.low is not None
    assert region.high is not None
    low, high = (1 + 2 * p.weight for p in (region.low, region.high))
    # line + allowance = 0 at the parabola's own root; line - allowance = 0 below it
    assert high == pytest.approx(2.0, abs=1e-9)
    assert low == pytest.approx(4 - math.sqrt(6), abs=1e-9)


def test_a_curve_that_is_nowhere_near_zero_has_no_region() -> None:
    assert zero_region(exact_curve((0.0, 1.0, 2.0), [1.0, 0.9, 0.7]), TAIL) is None
    assert zero_region(noisy_curve(3, (0.9,) * 8, 0.01), TAIL) is None


def test_one_place_is_a_curve_too() -> None:
    assert zero_region(exact_curve((3.0,), [0.0]), TAIL) == ZeroRegion(None, None)
    assert zero_region(exact_curve((3.0,), [0.1]), TAIL) is None


def test_where_noise_hides_everything_both_ends_are_open() -> None:
    """Zero is ruled out at a place in 1 of 1,000 such tables, on each side."""
    values = (0.003, 0.002, 0.001, 0.0, 0.0, -0.001, -0.002, -0.003)
    found = [zero_region(noisy_curve(seed, values, 0.3), 0.0005) for seed in range(100)]
    assert found.count(ZeroRegion(None, None)) >= 98


def test_an_end_is_open_only_where_zero_is_not_ruled_out_at_the_last_place() -> None:
    curve = noisy_curve(5, (0.5, 0.4, 0.3, 0.2, 0.1, 0.05, 0.0, -0.01), 0.02)
    region = zero_region(curve, TAIL)
    assert region is not None
    assert curve.at(0).chance_beyond() < TAIL
    assert region.low is not None
    assert curve.at(7).chance_beyond() >= TAIL
    assert region.high is None


@given(SEEDS, NOISES, CURVES)
def test_the_region_holds_every_zero_of_the_means(
    seed: int, noise: float, values: tuple[float, ...]
) -> None:
    curve = noisy_curve(seed, values, noise)
    region = zero_region(curve, TAIL)
    roots = [
        left + a / (a - b)
        for left, (a, b) in enumerate(zip(curve.values, curve.values[1:], strict=False))
        if (a >= 0) != (b >= 0)
    ]
    for root in roots:
        assert region is not None
        low, high = ends(region, 7)
        assert low - 1e-9 <= root <= high + 1e-9


@settings(max_examples=40)
@given(SEEDS, NOISES, CURVES)
def test_the_region_is_the_hull_of_what_a_fine_grid_finds(
    seed: int, noise: float, values: tuple[float, ...]
) -> None:
    """Place by place |value| <= t x error + allowance, written out here. What is
    narrower than the search's own samples may be missed at an end."""
    curve = noisy_curve(seed, values, noise)
    steps = 4 * SAMPLES
    inside = []
    for i in range(7 * steps + 1):
        left = min(i // steps, 6)
        reading = curve.at(left, i / steps - left)
        limit = t_quantile(TAIL, reading.df) * reading.error + reading.bias
        if abs(reading.value) <= limit:
            inside.append(i / steps)
    region = zero_region(curve, TAIL)
    if region is None:
        assert not inside or inside[-1] - inside[0] < 1 / SAMPLES
        return
    low, high = ends(region, 7)
    if inside:
        assert inside[0] - 1 / steps <= low <= inside[0] + 1 / SAMPLES
        assert inside[-1] - 1 / SAMPLES <= high <= inside[-1] + 1 / steps


@given(SEEDS, NOISES, CURVES)
def test_at_an_edge_zero_is_just_not_ruled_out(
    seed: int, noise: float, values: tuple[float, ...]
) -> None:
    curve = noisy_curve(seed, values, noise)
    region = zero_region(curve, TAIL)
    assume(region is not None)
    assert region is not None
    for edge, outwards in ((region.low, -1), (region.high, 1)):
        if edge is None:
            continue
        assert curve.at(*edge).chance_beyond() >= TAIL * (1 - 1e-6)
        beyond = edge.weight + outwards * 1e-6
        if 0 <= beyond <= 1:
            assert curve.at(edge.left, beyond).chance_beyond() < TAIL


@given(SEEDS, NOISES, CURVES, st.floats(0.0005, 0.02))
def test_a_smaller_tail_has_a_region_at_least_as_wide(
    seed: int, noise: float, values: tuple[float, ...], tail: float
) -> None:
    curve = noisy_curve(seed, values, noise)
    narrow, wide = zero_region(curve, TAIL), zero_region(curve, tail)
    if narrow is None:
        return
    assert wide is not None
    assert ends(wide, 7)[0] <= ends(narrow, 7)[0] + 1e-9
    assert ends(wide, 7)[1] >= ends(narrow, 7)[1] - 1e-9
    assert wide.low is None or narrow.low is not None
    assert wide.high is None or narrow.high is not None


@given(SEEDS, NOISES, CURVES, st.floats(1, 6))
def test_fewer_credited_degrees_have_a_region_at_least_as_wide(
    seed: int, noise: float, values: tuple[float, ...], most_df: float
) -> None:
    curve = noisy_curve(seed, values, noise)
    narrow, wide = zero_region(curve, TAIL), zero_region(curve, TAIL, most_df)
    if narrow is None:
        return
    assert wide is not None
    assert ends(wide, 7)[0] <= ends(narrow, 7)[0] + 1e-9
    assert ends(wide, 7)[1] >= ends(narrow, 7)[1] - 1e-9


@given(SEEDS, NOISES, CURVES)
def test_a_search_between_two_places_stays_between_them(
    seed: int, noise: float, values: tuple[float, ...]
) -> None:
    curve = noisy_curve(seed, values, noise)
    region = zero_region(curve, TAIL, first=2, last=5)
    if region is None:
        return
    for edge in (region.low, region.high):
        if edge is not None:
            assert 2 <= edge.left + edge.weight <= 5
            assert 0 <= edge.weight <= 1


@given(SEEDS, NOISES, CURVES)
def test_exchanging_the_sides_leaves_the_region(
    seed: int, noise: float, values: tuple[float, ...]
) -> None:
    curve = noisy_curve(seed, values, noise)
    turned = NoisyCurve(X, curve.lower, curve.upper)
    here, there = zero_region(curve, TAIL), zero_region(turned, TAIL)
    assert (here is None) is (there is None)
    if here is not None and there is not None:
        assert ends(there, 7) == pytest.approx(ends(here, 7), abs=1e-9)


def test_more_replicates_narrow_the_region_on_average() -> None:
    def width(rows: int) -> float:
        total = 0.0
        for seed in range(60):
            random = Random(seed)
            values = [0.7 - 0.2 * x for x in X]
            upper = noisy_table(random, values, rows, (0.03, 0.03))
            lower = noisy_table(random, [0.0] * 8, rows, (0.02, 0.02))
            curve = NoisyCurve(X, replicated_means(upper), replicated_means(lower))
            region = zero_region(curve, TAIL)
            assert region is not None
            low, high = ends(region, 7)
            total += high - low
        return total / 60

    assert width(2) > 1.5 * width(3) > 1.5 * width(6)
