"""Acceptance formulas: closed forms, limits, and conversions that undo each other."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from specbench.theory.acceptance import (
    conditional_from_unconditional,
    expected_tokens_at_rate,
    expected_tokens_per_step,
    speedup,
    unconditional_from_conditional,
)

rates = st.floats(min_value=0.0, max_value=1.0)
rate_lists = st.lists(rates, max_size=10)
drafts = st.integers(min_value=0, max_value=16)


@given(rates, drafts)
def test_one_rate_agrees_with_the_closed_form(rate: float, k: int) -> None:
    assume(rate < 0.99)  # beyond it the quotient itself loses digits
    closed = (1 - rate ** (k + 1)) / (1 - rate)
    assert expected_tokens_at_rate(rate, k) == pytest.approx(closed, rel=1e-9)


@given(rate_lists)
def test_expectation_is_one_plus_the_sum_of_unconditional_rates(
    conditional: list[float],
) -> None:
    expected = 1 + sum(unconditional_from_conditional(conditional))
    assert expected_tokens_per_step(conditional) == pytest.approx(expected)


@given(rate_lists)
def test_expectation_lies_between_one_and_all_drafts_plus_bonus(
    conditional: list[float],
) -> None:
    assert 1 <= expected_tokens_per_step(conditional) <= len(conditional) + 1


@given(rates, drafts)
def test_another_draft_never_lowers_the_expectation(rate: float, k: int) -> None:
    assert expected_tokens_at_rate(rate, k + 1) >= expected_tokens_at_rate(rate, k)


@pytest.mark.parametrize("k", [0, 1, 3, 7])
def test_perfect_drafts_give_all_of_them_and_the_bonus(k: int) -> None:
    assert expected_tokens_at_rate(1.0, k) == k + 1


@pytest.mark.parametrize("k", [0, 1, 3, 7])
def test_a_rate_just_under_one_keeps_its_digits(k: int) -> None:
    assert expected_tokens_at_rate(1.0 - 2**-53, k) == pytest.approx(k + 1, rel=1e-12)


def test_published_example_holds() -> None:
    # 5 drafts with a conditional rate of about 0.69 give an acceptance rate of 0.38
    # (E - 1 accepted of 5) and 2.89 tokens a step.
    expected = expected_tokens_at_rate(0.69, 5)
    assert expected == pytest.approx(2.89, abs=0.02)
    assert (expected - 1) / 5 == pytest.approx(0.38, abs=0.005)


@given(st.lists(st.floats(min_value=1e-3, max_value=1.0), max_size=10))
def test_conditional_rates_come_back_from_unconditional_ones(
    conditional: list[float],
) -> None:
    back = conditional_from_unconditional(unconditional_from_conditional(conditional))
    assert back == pytest.approx(tuple(conditional))


def test_after_a_position_that_was_never_accepted_nothing_is_known() -> None:
    assert conditional_from_unconditional([0.5, 0.0, 0.0]) == (0.5, 0.0, None)


def test_rates_by_position_must_not_rise() -> None:
    with pytest.raises(ValueError, match="must not rise"):
        conditional_from_unconditional([0.5, 0.6])


@pytest.mark.parametrize("rate", [-0.1, 1.1, float("nan"), 63.3])
def test_a_rate_outside_zero_to_one_is_refused(rate: float) -> None:
    with pytest.raises(ValueError, match=r"0\.\.1"):
        expected_tokens_per_step([rate])


def test_speedup_is_the_yield_over_the_relative_step_cost() -> None:
    assert speedup(3.0, drafts=4, draft_cost=0.1, verify_cost=1.1) == pytest.approx(2.0)


@given(st.floats(min_value=1, max_value=17), drafts)
def test_free_drafts_and_verification_give_the_whole_yield(e: float, k: int) -> None:
    assert speedup(e, drafts=k, draft_cost=0.0) == e


def test_a_step_without_cost_is_refused() -> None:
    with pytest.raises(ValueError, match="must cost"):
        speedup(2.0, drafts=0, draft_cost=0.1, verify_cost=0.0)
