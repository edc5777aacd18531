"""Which conditions can exist."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specbench.planning.capacity import beyond_drafter, beyond_length, cannot_fit
from specbench.schema.cell import Condition
from tests.factories import condition

TOKENS = st.integers(1, 10**6)


def open_loop(context: int) -> Condition:
    return condition(0, context=context, request_rate=2.0)


@pytest.mark.parametrize(
    ("concurrency", "fits"), [(1, True), (10, True), (11, False), (64, False)]
)
def test_prompts_of_all_slots_together_have_to_fit(
    concurrency: int, fits: bool
) -> None:
    why = cannot_fit(condition(concurrency, context=1000), 100, 10_000)
    assert (why is None) is fits
    if why is not None:
        assert f"{1000 * concurrency:,} tokens of KV cache" in why
        assert "10,000" in why


def test_outputs_of_a_full_batch_may_queue() -> None:
    """That is capacity, which is measured."""
    assert cannot_fit(condition(10, context=1000), 5000, 10_000) is None


def test_one_request_has_to_fit_with_its_output() -> None:
    assert cannot_fit(condition(1, context=9000), 1001, 10_000) is not None
    assert cannot_fit(condition(1, context=9000), 1000, 10_000) is None


def test_an_open_loop_has_no_load_to_reach() -> None:
    assert cannot_fit(open_loop(9000), 1000, 10_000) is None
    why = cannot_fit(open_loop(9001), 1000, 10_000)
    assert why is not None
    assert why.startswith("one request alone, prompt and output, needs 10,001 tokens")


@given(st.integers(1, 10**4), TOKENS, st.none() | TOKENS)
def test_prompts_as_they_are_are_never_planned_out(
    concurrency: int, max_tokens: int, tokens: int | None
) -> None:
    as_they_are = condition(concurrency)
    assert cannot_fit(as_they_are, max_tokens, tokens) is None
    assert beyond_length(as_they_are, max_tokens, tokens) is None


@given(st.integers(1, 10**4), TOKENS, TOKENS)
def test_what_the_engine_does_not_say_plans_nothing_out(
    concurrency: int, context: int, max_tokens: int
) -> None:
    wanted = condition(concurrency, context=context)
    assert cannot_fit(wanted, max_tokens, None) is None
    assert beyond_length(wanted, max_tokens, None) is None


@given(st.integers(1, 100), TOKENS, TOKENS, TOKENS)
def test_what_fits_at_a_load_fits_at_every_lower_one(
    concurrency: int, context: int, max_tokens: int, capacity: int
) -> None:
    if cannot_fit(condition(concurrency + 1, context=context), max_tokens, capacity):
        return
    below = condition(concurrency, context=context)
    assert cannot_fit(below, max_tokens, capacity) is None


def test_prompt_and_output_have_to_fit_the_context_limit() -> None:
    assert beyond_length(condition(1, context=4000), 96, 4096) is None
    why = beyond_length(condition(1, context=4000), 97, 4096)
    assert why is not None
    assert "4,097 tokens, more than the 4,096 that the engine serves" in why


def test_a_drafter_is_named_with_the_context_from_which_on_it_lacks_positions() -> None:
    why = beyond_drafter([0, 512, 1920, 1921, 4096], 128, 2048)
    assert why is not None
    assert "knows 2,048 positions" in why
    assert "from context 1,921 on" in why
    assert why.endswith("that concerns context 1921, 4096")


def test_a_drafter_that_knows_all_positions_is_not_named() -> None:
    assert beyond_drafter([0, 512, 1920], 128, 2048) is None
    assert beyond_drafter([0], 10_000, 2048) is None
