"""When to send: starts spread over one request, slot by slot."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specbench.load.pacing import stagger_delays


@pytest.mark.parametrize(
    ("concurrency", "request_s", "delays"),
    [
        (1, 3.0, (0.0,)),
        (4, 2.0, (0.0, 0.5, 1.0, 1.5)),
        (3, 0.0, (0.0, 0.0, 0.0)),
    ],
)
def test_starts_are_spread_evenly(
    concurrency: int, request_s: float, delays: tuple[float, ...]
) -> None:
    assert stagger_delays(concurrency, request_s) == pytest.approx(delays)


@given(st.integers(1, 300), st.floats(min_value=1e-3, max_value=600))
def test_no_two_slots_start_in_step_and_all_within_one_request(
    concurrency: int, request_s: float
) -> None:
    delays = stagger_delays(concurrency, request_s)
    assert len(delays) == concurrency
    assert delays[0] == 0
    assert all(a < b for a, b in itertools.pairwise(delays))
    assert delays[-1] < request_s
