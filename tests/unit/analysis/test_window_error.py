"""The standard error of a window's throughput, from inside the window."""

import math
import random
import statistics
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specbench.analysis.cell import summarise_cell
from specbench.analysis.missing import Missing
from specbench.analysis.window import (
    PARTS,
    Window,
    WindowTokens,
    find_window,
    tokens_in_window,
)
from specbench.analysis.window_error import find_window_error
from specbench.schema.sample import RequestSample
from tests.factories import (
    chunk,
    closed_loop,
    failed_sample,
    observations,
    sample,
    steady_sample,
)


def tokens(*slots: tuple[float, ...], is_known: bool = True) -> WindowTokens:
    return WindowTokens(slots, is_exact=True, is_known=is_known)


def error_of(seen: WindowTokens) -> float:
    error = find_window_error(seen)
    assert isinstance(error, float)
    return error


def why_none(seen: WindowTokens) -> str:
    error = find_window_error(seen)
    assert isinstance(error, Missing)
    return error.reason


def test_an_even_flow_of_tokens_has_no_error() -> None:
    assert error_of(tokens((50.0,) * PARTS, (50.0,) * PARTS)) == 0.0


def test_the_spread_of_the_parts_is_taken_to_the_whole() -> None:
    # twelve parts of 60 or 140: standard deviation 40 sqrt(12 / 11), sum 1200
    uneven = tokens((60.0, 140.0) * (PARTS // 2))
    expected = math.sqrt(PARTS) * 40.0 * math.sqrt(12 / 11) / 1200
    assert error_of(uneven) == pytest.approx(expected)


def test_slots_that_differ_make_an_error_where_the_parts_are_even() -> None:
    slow, fast = (40.0,) * PARTS, (60.0,) * PARTS
    # totals of 480 and 720: standard deviation 120 sqrt(2), sum 1200
    expected = math.sqrt(2) * 120 * math.sqrt(2) / 1200
    assert error_of(tokens(slow, fast)) == pytest.approx(expected)


def test_one_slot_has_no_spread_of_slots() -> None:
    assert error_of(tokens((50.0,) * PARTS)) == 0.0


def test_unknown_counts_and_an_empty_window_have_reasons() -> None:
    assert "usage" in why_none(tokens((9.0,) * PARTS, is_known=False))
    assert "no token" in why_none(tokens((0.0,) * PARTS))


@given(
    st.lists(
        st.lists(st.integers(0, 10**6), min_size=PARTS, max_size=PARTS),
        min_size=1,
        max_size=5,
    ),
    st.integers(1, 1000),
    st.randoms(use_true_random=False),
)
def test_the_error_does_not_hang_on_the_unit_or_on_the_order_of_the_slots(
    slots: list[list[int]], factor: int, shuffler: random.Random
) -> None:
    there = find_window_error(tokens(*[tuple(map(float, s)) for s in slots]))
    shuffler.shuffle(slots)
    more = find_window_error(
        tokens(*[tuple(float(x * factor) for x in s) for s in slots])
    )
    if isinstance(there, Missing):
        assert more == there
    else:
        assert more == pytest.approx(there)


def loop(
    rng: random.Random, slots: int, pace: Callable[[float, float], float]
) -> list[RequestSample]:
    """12 s of answers of most uneven lengths; `pace(start, own)` = ms a token."""
    made: list[RequestSample] = []
    for slot in range(slots):
        start = rng.random() * 1000
        while start < 12_000:
            count = max(2, round(rng.lognormvariate(3.5, 0.6)))
            own = rng.lognormvariate(0, 0.2)
            made.append(
                steady_sample(
                    start, count, pace(start, own), slot=slot, index=len(made)
                )
            )
            start = made[-1].end_ns / 1e6
    return made


def requests_differ(start: float, own: float) -> float:
    return 20 * own


def nothing_differs(start: float, own: float) -> float:
    return 20.0


def times_differ(start: float, own: float) -> float:
    """Every second has a pace of its own, the same for all slots."""
    return 20 * random.Random(int(start // 1000)).lognormvariate(0, 0.2)


@pytest.mark.parametrize("slots", [2, 16])
def test_the_error_is_about_what_windows_with_noise_of_each_request_differ_by(
    slots: int,
) -> None:
    rng = random.Random(5)
    rates, errors = [], []
    for _ in range(60):
        samples = loop(rng, slots, requests_differ)
        window = find_window(samples, slots)
        assert isinstance(window, Window)
        seen = tokens_in_window(samples, window)
        rates.append(seen.total / window.seconds)
        errors.append(error_of(seen))
    really = statistics.stdev(rates) / statistics.mean(rates)
    said = math.sqrt(statistics.mean(e * e for e in errors))
    assert 0.8 * really < said < 2.0 * really


def test_noise_that_all_slots_share_is_in_the_error() -> None:
    samples = loop(random.Random(5), 16, times_differ)
    alike = loop(random.Random(5), 16, nothing_differs)
    found = []
    for one in (samples, alike):
        window = find_window(one, 16)
        assert isinstance(window, Window)
        found.append(error_of(tokens_in_window(one, window)))
    assert found[0] > 3 * found[1]


# -- in a cell ---------------------------------------------------------------


def test_requests_that_ended_well_inside_the_window_are_counted() -> None:
    samples = closed_loop([[100, 200, 300, 400], [130, 230, 330, 430]])
    stats = summarise_cell(observations(samples, concurrency=2))
    # the window runs from 130 to 400: it holds 200, 300, 400 and 230, 330
    assert stats.window_completed == 5
    assert stats.window_error is not None


def test_a_request_that_failed_inside_the_window_did_not_end_there() -> None:
    good = closed_loop([[100, 200, 300]])
    bad = failed_sample(sent_ms=300, end_ms=301)
    last = sample([chunk(400, 1)], sent_ms=301, scheduled_ms=301, end_ms=400)
    stats = summarise_cell(observations([*good, bad, last]))
    assert stats.window_completed == 3


def test_without_a_window_there_is_neither_count_nor_error() -> None:
    stats = summarise_cell(observations(closed_loop([[100, 200]]), concurrency=4))
    assert (stats.window_completed, stats.window_error) == (None, None)
    assert "slots" in stats.missing["window_completed"]
    assert "slots" in stats.missing["window_error"]


def test_without_token_counts_there_is_no_error_and_a_reason() -> None:
    bare = [
        sample([chunk(end)], sent_ms=start, scheduled_ms=start, output_tokens=None)
        for start, end in ((0, 100), (100, 200), (200, 300))
    ]
    stats = summarise_cell(observations(bare))
    assert stats.window_completed == 2
    assert stats.window_error is None
    assert "usage" in stats.missing["window_error"]
