"""Drift: a change of pace is told from the noise of a closed loop."""

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specbench.analysis.drift import ENOUGH_REQUESTS, LEAST_LIMIT, find_drift
from specbench.analysis.missing import Missing
from specbench.analysis.window import (
    PARTS,
    Window,
    WindowTokens,
    find_window,
    tokens_in_window,
)
from specbench.schema.findings import Drift
from specbench.schema.sample import RequestSample
from tests.factories import ns, sample, steady_sample


def tokens(*slots: tuple[float, ...], is_known: bool = True) -> WindowTokens:
    return WindowTokens(slots, is_exact=True, is_known=is_known)


def found(seen: WindowTokens, finished: int = 100) -> Drift:
    drift = find_drift(seen, finished)
    assert isinstance(drift, Drift)
    return drift


def why_none(seen: WindowTokens, finished: int = 100) -> str:
    drift = find_drift(seen, finished)
    assert isinstance(drift, Missing)
    return drift.reason


def test_a_steady_pace_has_ratio_1_and_the_least_limit() -> None:
    assert found(tokens((50.0,) * PARTS)) == Drift(1.0, 1 + LEAST_LIMIT)


def test_the_ratio_is_the_last_third_over_the_first() -> None:
    steps = (10.0,) * 4 + (99.0,) * 4 + (8.0,) * 4
    drift = found(tokens(steps, steps))
    assert drift.ratio == pytest.approx(0.8)
    assert drift.is_clear


def test_noise_between_the_parts_widens_the_limit() -> None:
    noisy = tokens((60.0, 140.0) * (PARTS // 2))
    # 4 standard errors: sqrt(8 * 12 * 1600 / 9) of a third of 400
    expected = 1 + 4 * math.sqrt(2 * 4 * 12 * 40.0**2 / 9) / 400
    assert found(noisy).limit == pytest.approx(expected)


def test_noise_between_the_slots_widens_the_limit() -> None:
    # together they are steady; each by itself is not: chance could tip it
    up = (0.0,) * 4 + (50.0,) * 4 + (100.0,) * 4
    drift = found(tokens(up, up[::-1]))
    assert drift.ratio == pytest.approx(1.0)
    # changes of +400 and -400: sqrt(2 * 320000 / 1) of a third of 400
    assert drift.limit == pytest.approx(1 + 4 * math.sqrt(2 * 2 * 400.0**2) / 400)


@pytest.mark.parametrize("finished", [0, ENOUGH_REQUESTS - 1])
def test_few_requests_say_nothing_about_drift(finished: int) -> None:
    assert "fewer than 12" in why_none(tokens((9.0,) * PARTS), finished)
    found(tokens((9.0,) * PARTS), ENOUGH_REQUESTS)


def test_without_counts_or_without_tokens_there_is_no_drift() -> None:
    assert "usage" in why_none(tokens((9.0,) * PARTS, is_known=False))
    assert "no token" in why_none(tokens((0.0,) * 4 + (9.0,) * 8))
    assert "no token" in why_none(tokens((9.0,) * 8 + (0.0,) * 4))


@given(
    st.lists(
        st.lists(st.integers(0, 10**6), min_size=PARTS, max_size=PARTS),
        min_size=1,
        max_size=5,
    ),
    st.integers(1, 1000),
)
def test_drift_does_not_hang_on_the_unit_and_turns_round_with_time(
    slots: list[list[int]], factor: int
) -> None:
    there = find_drift(tokens(*[tuple(map(float, s)) for s in slots]), 99)
    more = find_drift(tokens(*[tuple(float(x * factor) for x in s) for s in slots]), 99)
    back = find_drift(tokens(*[tuple(map(float, s[::-1])) for s in slots]), 99)
    if isinstance(there, Missing):
        assert isinstance(more, Missing)
        assert isinstance(back, Missing)
        return
    assert isinstance(more, Drift)
    assert isinstance(back, Drift)
    assert more.ratio == pytest.approx(there.ratio)
    assert more.limit == pytest.approx(there.limit)
    assert back.ratio == pytest.approx(1 / there.ratio)
    assert back.limit == pytest.approx(there.limit)


def closed_loop(rng: random.Random, slots: int, slowdown: float) -> list[RequestSample]:
    """Answers of most uneven lengths; the last token comes `slowdown` times as slowly
    as the first."""
    made: list[RequestSample] = []
    for slot in range(slots):
        start = rng.random() * 1000
        while start < 12_000:
            spacing = 20 * (1 + (slowdown - 1) * start / 12_000)
            count = max(2, round(rng.lognormvariate(3.5, 0.6)))
            made.append(
                steady_sample(
                    start,
                    count,
                    spacing * rng.lognormvariate(0, 0.15),
                    slot=slot,
                    index=len(made),
                )
            )
            start = made[-1].end_ns / 1e6
    return made


def drift_of(samples: list[RequestSample], slots: int) -> Drift:
    window = find_window(samples, slots)
    assert isinstance(window, Window)
    return found(tokens_in_window(samples, window))


def test_a_steady_closed_loop_is_hardly_ever_called_drifting() -> None:
    rng = random.Random(7)
    alarms = sum(
        drift_of(closed_loop(rng, slots, 1.0), slots).is_clear
        for slots in (1, 4, 16)
        for _ in range(20)
    )
    assert alarms <= 2


def test_a_closed_loop_that_slows_down_by_half_is_called_drifting() -> None:
    rng = random.Random(7)
    caught = sum(drift_of(closed_loop(rng, 16, 1.5), 16).is_clear for _ in range(10))
    assert caught >= 9


def test_each_token_lies_in_one_part_of_the_window() -> None:
    window = Window(ns(0), ns(120), ns(0))
    one_each = sample(
        steady_sample(0, 12, 10).chunks,
        slot=3,
        end_ms=120,
    )
    seen = tokens_in_window([one_each], window)
    assert seen.by_slot == ((1.0,) * PARTS,)
    assert seen.total == PARTS
