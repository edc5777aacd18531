"""Distributions: only requests that have the figure take part."""

import itertools
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specbench.analysis.latencies import (
    distribution,
    gap_distribution,
    itl_distribution,
)
from specbench.analysis.requests import derive_figures
from tests.factories import chunks_of, sample

VALUES = st.lists(
    st.none() | st.floats(min_value=1e-4, max_value=100), min_size=1, max_size=30
)


def test_a_missing_value_is_left_out_and_not_a_zero() -> None:
    found = distribution([None, 0.03, None])
    assert found is not None
    assert (found.n, found.mean, found.p50, found.p99) == (1, 0.03, 0.03, 0.03)


def test_without_any_value_there_is_no_distribution() -> None:
    assert distribution([None, None]) is None
    assert distribution([]) is None


def test_the_quantiles_are_the_named_ones() -> None:
    found = distribution(float(v) for v in range(101))
    assert found is not None
    assert (found.p50, found.p90, found.p95, found.p99) == (50, 90, 95, 99)
    assert found.mean == 50


@given(VALUES, st.randoms(use_true_random=False))
def test_a_distribution_does_not_depend_on_the_order(
    values: list[float | None], random: Random
) -> None:
    shuffled = list(values)
    random.shuffle(shuffled)
    assert distribution(shuffled) == distribution(values)


@given(VALUES)
def test_quantiles_of_a_distribution_rise(values: list[float | None]) -> None:
    found = distribution(values)
    if found is None:
        return
    ascending = (found.p50, found.p90, found.p95, found.p99)
    for low, high in itertools.pairwise(ascending):
        assert low <= high * (1 + 1e-12)


def test_one_uncounted_chunk_leaves_no_inter_token_latency_for_the_cell() -> None:
    counted = derive_figures(sample(chunks_of([10, 20], [1, 2], counted=True)))
    bare = derive_figures(
        sample(chunks_of([10, 20], [1, 2], counted=False), output_tokens=3)
    )
    assert itl_distribution([counted]) is not None
    assert itl_distribution([counted, bare]) is None


def test_chunk_gaps_count_once_a_chunk_whatever_it_holds() -> None:
    figures = derive_figures(sample(chunks_of([10, 20, 40], [1, 5, 2], counted=True)))
    gaps = gap_distribution([figures])
    assert gaps is not None
    assert gaps.n == 2
    assert gaps.mean == pytest.approx(0.015)
