"""The window: opens when every slot has turned over, closes when the first runs dry."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specbench.analysis.window import (
    NoWindow,
    Window,
    find_window,
    mean_in_flight,
    tokens_in_window,
)
from specbench.schema.sample import Role
from tests.factories import (
    chunk,
    chunks_of,
    closed_loop,
    failed_sample,
    ns,
    role_chunk,
    sample,
)


def window(open_ms: float, close_ms: float, busy_ms: float = 0.0) -> Window:
    return Window(ns(open_ms), ns(close_ms), ns(busy_ms))


def test_the_window_runs_from_the_last_turnover_to_the_first_dry_slot() -> None:
    slots = [[100, 200, 300, 400], [130, 230, 330, 430], [160, 250, 350, 380]]
    assert find_window(closed_loop(slots), 3) == window(160, 380)


def test_one_slot_has_a_window_from_its_first_end_to_its_last() -> None:
    assert find_window(closed_loop([[100, 200, 300]]), 1) == window(100, 300)


def test_the_order_of_the_requests_does_not_move_the_window() -> None:
    samples = closed_loop([[100, 200, 300], [150, 240, 310]])
    assert find_window(samples[::-1], 2) == find_window(samples, 2)


def test_a_slot_that_sent_one_request_gives_a_reason_instead_of_a_window() -> None:
    found = find_window(closed_loop([[100, 200], [150]]), 2)
    assert isinstance(found, NoWindow)
    assert "at least 2 requests a slot" in found.reason


def test_a_slot_that_sent_nothing_gives_a_reason_with_both_numbers() -> None:
    found = find_window(closed_loop([[100, 200]]), 3)
    assert isinstance(found, NoWindow)
    assert "1 of 3 slots" in found.reason


def test_a_slot_dry_before_the_last_has_turned_over_gives_a_reason() -> None:
    found = find_window(closed_loop([[100, 200], [250, 400]]), 2)
    assert isinstance(found, NoWindow)
    assert "ran dry" in found.reason


def test_without_requests_there_is_no_window() -> None:
    assert isinstance(find_window([], 1), NoWindow)


def test_a_request_had_full_load_when_all_slots_were_busy_all_along() -> None:
    found = window(100, 200, busy_ms=50)
    assert found.had_full_load(sample([chunk(150)], sent_ms=51, end_ms=200))
    assert not found.had_full_load(sample([chunk(150)], sent_ms=49, end_ms=200))
    assert not found.had_full_load(sample([chunk(150)], sent_ms=51, end_ms=201))


def test_no_first_request_of_a_slot_had_full_load() -> None:
    samples = closed_loop([[100, 200, 300], [130, 230, 330]])
    found = find_window(samples, 2)
    assert isinstance(found, Window)
    full = [s.index for s in samples if found.had_full_load(s)]
    firsts = {s.index for s in samples if s.sent_ns == 0}
    assert full
    assert not firsts & set(full)


def test_slots_that_start_late_put_off_the_full_load() -> None:
    late = sample([chunk(250)], slot=1, sent_ms=120, end_ms=250, scheduled_ms=120)
    more = [
        sample([chunk(end)], slot=1, sent_ms=start, end_ms=end, scheduled_ms=start)
        for start, end in ((250, 350), (350, 450))
    ]
    found = find_window([*closed_loop([[100, 200, 300, 400]]), late, *more], 2)
    assert isinstance(found, Window)
    assert found.all_busy_ns == ns(120)


def test_tokens_count_by_the_instant_at_which_they_arrived() -> None:
    chunks = chunks_of([50, 100, 150, 200, 250], [1, 2, 3, 4, 5], counted=True)
    found = tokens_in_window([sample(chunks)], window(100, 200))
    # what arrives at the opening belongs to the ramp, at the closing to the window
    assert found.total == 3 + 4
    assert found.is_exact


def test_two_windows_that_touch_share_no_token_and_lose_none() -> None:
    samples = [sample(chunks_of([50, 100, 150, 200], [1, 2, 3, 4], counted=True))]
    left = tokens_in_window(samples, window(0, 100)).total
    right = tokens_in_window(samples, window(100, 200)).total
    assert left + right == tokens_in_window(samples, window(0, 200)).total == 10


def test_a_failed_request_brings_no_token_into_the_window() -> None:
    good = sample(chunks_of([120, 140], [1, 1], counted=True))
    bad = failed_sample(chunks=chunks_of([120, 140], [9, 9], counted=True))
    assert tokens_in_window([good, bad], window(100, 200)).total == 2


def test_tokens_of_requests_that_began_before_the_window_count_by_arrival() -> None:
    one = sample([role_chunk(90, 0), *chunks_of([110, 120], [3, 2], counted=True)])
    begun = sample(chunks_of([50, 120], [1, 4], counted=True))
    found = tokens_in_window([one, begun], window(100, 200))
    assert found.total == 9


def test_tokens_that_were_spread_mark_the_count_as_not_exact() -> None:
    bare = sample(chunks_of([120, 140], [2, 2], counted=False), output_tokens=4)
    assert not tokens_in_window([bare], window(100, 200)).is_exact


def test_warmup_requests_load_the_server_and_count_in_the_window() -> None:
    late = sample([chunk(150, 3)], role=Role.WARMUP)
    assert tokens_in_window([late], window(100, 200)).total == 3


def test_full_slots_keep_the_concurrency_in_flight() -> None:
    samples = closed_loop([[100, 200, 300], [150, 250, 350]])
    assert mean_in_flight(samples, window(150, 300)) == pytest.approx(2.0)


def test_in_flight_is_weighted_by_time() -> None:
    # one request over the whole window, one over its last quarter
    samples = [
        sample([chunk(500, 1)], sent_ms=0, end_ms=500),
        sample([chunk(250, 1)], sent_ms=175, end_ms=250, slot=1),
    ]
    assert mean_in_flight(samples, window(100, 200)) == pytest.approx(1.25)


def test_a_failed_request_was_in_flight_all_the_same() -> None:
    samples = [failed_sample(sent_ms=100, end_ms=150)]
    assert mean_in_flight(samples, window(100, 200)) == pytest.approx(0.5)


@given(
    st.lists(
        st.lists(st.integers(10, 90), min_size=2, max_size=6), min_size=1, max_size=5
    )
)
def test_in_a_window_every_slot_has_turned_over_and_none_is_dry(
    durations: list[list[int]],
) -> None:
    slots = [[float(sum(row[: i + 1])) for i in range(len(row))] for row in durations]
    samples = closed_loop(slots)
    found = find_window(samples, len(slots))
    if isinstance(found, NoWindow):
        assert max(row[0] for row in slots) >= min(row[-1] for row in slots)
        return
    assert all(ns(row[0]) <= found.open_ns for row in slots)
    assert all(ns(row[-1]) >= found.close_ns for row in slots)
    assert mean_in_flight(samples, found) == pytest.approx(len(slots))


def test_a_request_that_failed_is_no_generation_that_turned_over() -> None:
    # slot 1 is refused after 1 ms, then serves its first generation until 200
    first = closed_loop([[100, 200, 300]])
    refused = failed_sample(slot=1, sent_ms=0, end_ms=1)
    rest = [
        sample([chunk(end, 1)], slot=1, sent_ms=start, end_ms=end)
        for start, end in ((1, 200), (200, 280), (280, 360))
    ]
    found = find_window([*first, refused, *rest], 2)
    assert isinstance(found, Window)
    assert found.open_ns == ns(200)


def test_a_slot_whose_requests_all_failed_gives_a_reason() -> None:
    dead = [failed_sample(slot=1, sent_ms=at, end_ms=at + 9) for at in (0, 10, 20)]
    found = find_window([*closed_loop([[100, 200, 300]]), *dead], 2)
    assert isinstance(found, NoWindow)
    assert "failed" in found.reason


def test_tokens_that_the_server_did_not_count_are_unknown_and_not_none() -> None:
    bare = sample([chunk(120), chunk(140)], output_tokens=None)
    assert not tokens_in_window([bare], window(100, 200)).is_known
    empty = sample([role_chunk(120)], output_tokens=None)
    assert tokens_in_window([empty], window(100, 200)).is_known
