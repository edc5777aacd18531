"""One stream of accepted counts a request, with the programmed chances."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specbench.sim.acceptance_draws import AcceptanceDraws, AcceptanceLaw


def take(draws: AcceptanceDraws, count: int, ahead: int = 64) -> list[int]:
    return [(draws.ahead or draws.refill(ahead)).pop() for _ in range(count)]


@given(st.integers(1, 100), st.lists(st.floats(0, 1), min_size=1, max_size=6))
def test_how_far_ahead_is_drawn_does_not_change_the_stream(
    ahead: int, rates: list[float]
) -> None:
    law = AcceptanceLaw(rates)
    one_by_one = take(AcceptanceDraws(law, "a"), 50, ahead=1)
    assert take(AcceptanceDraws(law, "a"), 50, ahead) == one_by_one
    assert all(0 <= accepted <= len(rates) for accepted in one_by_one)


def test_each_key_has_a_stream_of_its_own() -> None:
    law = AcceptanceLaw((0.5, 0.5, 0.5))
    first = take(AcceptanceDraws(law, "1/a"), 50)
    assert first == take(AcceptanceDraws(law, "1/a"), 50)
    assert first != take(AcceptanceDraws(law, "2/a"), 50)


def test_certain_positions_are_certain() -> None:
    for rates, accepted in [((1.0, 1.0), 2), ((1.0, 0.0), 1), ((0.0, 1.0), 0)]:
        draws = AcceptanceDraws(AcceptanceLaw(rates), "a")
        assert set(take(draws, 200)) == {accepted}


def test_each_count_comes_as_often_as_the_conditional_rates_say() -> None:
    draws = AcceptanceDraws(AcceptanceLaw((0.8, 0.5, 0.25)), "a")
    n = 40_000
    seen = Counter(take(draws, n))
    chances = [0.2, 0.8 * 0.5, 0.8 * 0.5 * 0.75, 0.8 * 0.5 * 0.25]
    shares = [seen[count] / n for count in range(4)]
    assert shares == pytest.approx(chances, abs=0.01)
