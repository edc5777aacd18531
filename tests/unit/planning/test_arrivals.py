"""Arrivals of an open loop: Poisson by a test that a wrong law fails, the same for
every arm and launch, at the rate that was asked, and of one pattern at every rate."""

import itertools
import math
import random
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specbench.planning.arrivals import arrival_times
from specbench.schema.plan import CellSize
from tests.poisson import dispersion, dispersion_limit, ks_distance, ks_limit

RATES = st.floats(0.01, 1000.0)
SEEDS = st.integers(0, 2**31)
SIZES = st.builds(CellSize, st.integers(0, 40), st.integers(1, 60))


def gaps(instants: Sequence[float]) -> list[float]:
    return [b - a for a, b in itertools.pairwise((0.0, *instants))]


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("rate", [0.2, 3.0, 400.0])
def test_poisson_arrivals_pass_a_test_against_poisson(seed: int, rate: float) -> None:
    instants = arrival_times(CellSize(500, 2000), rate, seed, "poisson")
    assert ks_distance(gaps(instants), rate) < ks_limit(2500)
    assert abs(dispersion(instants, bins=250) - 1) < dispersion_limit(250)


@pytest.mark.parametrize(
    "gap",
    [lambda _: 1.0, lambda draw: 2 * draw, lambda draw: -0.8 * math.log(1 - draw)],
    ids=["constant", "uniform", "a fifth too fast"],
)
def test_the_test_against_poisson_finds_what_is_none(gap: object) -> None:
    assert callable(gap)
    draw = random.Random(1)
    drawn = [gap(draw.random()) for _ in range(2500)]
    assert ks_distance(drawn, 1.0) > ks_limit(2500)


def test_clusters_are_found_by_the_dispersion_of_counts() -> None:
    draw = random.Random(1)
    pairs = sorted(2 * [draw.uniform(0, 1000) for _ in range(500)])
    assert abs(dispersion(pairs, bins=100) - 1) > dispersion_limit(100)


@given(SIZES, RATES, SEEDS)
def test_every_request_is_due_once_and_in_order(
    size: CellSize, rate: float, seed: int
) -> None:
    instants = arrival_times(size, rate, seed, "poisson")
    assert len(instants) == size.warmup + size.measured
    assert list(instants) == sorted(instants)
    assert instants[0] > 0


@given(SIZES, RATES, SEEDS)
def test_the_same_seed_gives_the_same_instants(
    size: CellSize, rate: float, seed: int
) -> None:
    first = arrival_times(size, rate, seed, "poisson")
    assert first == arrival_times(size, rate, seed, "poisson")
    # a part of one request has no pattern: it takes 1 / rate
    if max(size.warmup, size.measured) > 1:
        assert first != arrival_times(size, rate, seed + 1, "poisson")


@given(SIZES, RATES, SEEDS)
def test_the_requests_of_each_part_come_at_the_rate_that_was_asked(
    size: CellSize, rate: float, seed: int
) -> None:
    instants = arrival_times(size, rate, seed, "poisson")
    warm = (0.0, *instants)[size.warmup]
    assert warm == pytest.approx(size.warmup / rate)
    assert instants[-1] - warm == pytest.approx(size.measured / rate)


@pytest.mark.parametrize("count", [3, 12, 400])
def test_where_requests_fall_within_the_measured_time_is_uniform(count: int) -> None:
    """What a Poisson process is, given when its last request comes."""
    rate = 2.0
    places = sorted(
        instant * rate / count
        for seed in range(4000 // count)
        for instant in arrival_times(CellSize(0, count), rate, seed, "poisson")[:-1]
    )
    n = len(places)
    distance = max(
        max((i + 1) / n - place, place - i / n) for i, place in enumerate(places)
    )
    assert distance < ks_limit(n)


@given(SIZES, SIZES, RATES, SEEDS)
def test_cells_of_different_rates_meet_the_same_pattern(
    one: CellSize, other: CellSize, rate: float, seed: int
) -> None:
    slow = gaps(arrival_times(one, 1.0, seed, "poisson"))[one.warmup :]
    fast = gaps(arrival_times(other, rate, seed, "poisson"))[other.warmup :]
    shared = min(one.measured, other.measured)
    unit, scaled = slow[:shared], fast[:shared]
    stretch = sum(scaled) / sum(unit)
    # differences of sums lose the last digits
    lost = 1e-9 * (stretch + 1) * max(*slow, *fast, 1) * len(fast)
    assert scaled == pytest.approx([stretch * gap for gap in unit], abs=lost)


@given(SIZES, RATES, SEEDS)
def test_constant_arrivals_are_evenly_spaced(
    size: CellSize, rate: float, seed: int
) -> None:
    instants = arrival_times(size, rate, seed, "constant")
    expected = [(n + 1) / rate for n in range(size.warmup + size.measured)]
    assert list(instants) == pytest.approx(expected)
