"""When to send: starts spread over one request, slot by slot."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specbench.load.pacing import (
    deal_slots,
    is_hopeless,
    load_processes,
    scrape_pause,
    stagger_delays,
)


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


@given(st.integers(1, 2048), st.integers(1, 8))
def test_every_slot_is_dealt_once_and_evenly(concurrency: int, processes: int) -> None:
    dealt = deal_slots(concurrency, processes)
    assert sorted(slot for slots in dealt for slot in slots) == list(range(concurrency))
    sizes = [len(slots) for slots in dealt]
    assert min(sizes) >= 1
    assert max(sizes) - min(sizes) <= 1


@pytest.mark.parametrize(
    ("concurrency", "cpus", "expected"),
    [(1, 1, 1), (128, 16, 1), (129, 16, 2), (256, 2, 1), (1024, 64, 8), (4096, 64, 8)],
)
def test_a_load_gets_a_process_for_128_streams_where_half_the_cpus_allow(
    concurrency: int, cpus: int, expected: int
) -> None:
    assert load_processes(concurrency, cpus) == expected


@pytest.mark.parametrize(
    ("window_s", "expected"), [(0, 0.25), (3, 0.1), (30, 0.5), (60, 1.0), (600, 1.0)]
)
def test_a_window_has_some_sixty_readings_between_ten_and_one_a_second(
    window_s: float, expected: float
) -> None:
    assert scrape_pause(window_s) == pytest.approx(expected)


def test_a_cell_is_hopeless_when_a_fifth_and_some_have_failed() -> None:
    assert not is_hopeless(3, 3)
    assert is_hopeless(4, 4)
    assert not is_hopeless(23, 100)
    assert is_hopeless(24, 100)
