"""Errors, no text, no counts, loops: each rule at both sides of its bound."""

from dataclasses import replace

import pytest

from specbench.analysis.rules.requests import (
    context_off,
    errors,
    given_up,
    looping,
    no_text,
    no_token_counts,
)
from specbench.schema.findings import PromptLength
from tests.factories import cell_stats
from tests.unit.analysis.rules.verdicts import BASE, verdict


@pytest.mark.parametrize(
    ("completed", "empty", "expected"),
    [
        (64, 0, None),
        (64, 63, None),
        (64, 64, "void no-text"),
        (0, 0, "void no-text"),
    ],
)
def test_a_cell_without_any_text_is_void(
    completed: int, empty: int, expected: str | None
) -> None:
    assert verdict(no_text, completed=completed, empty=empty) == expected


@pytest.mark.parametrize(
    ("completed", "failed", "expected"),
    [
        (100, 0, None),
        (99, 1, "flag some-errors"),
        (98, 2, "flag some-errors"),
        (97, 3, "void errors"),
        (0, 5, "void errors"),
        (0, 0, None),
    ],
)
def test_errors_beyond_two_percent_void_and_fewer_flag(
    completed: int, failed: int, expected: str | None
) -> None:
    found = verdict(errors, completed=completed, failed=failed, errors=("boom",))
    assert found == expected


def test_the_reason_of_the_failures_stands_in_the_message() -> None:
    found = errors(cell_stats(completed=3, failed=1, errors=("no memory",)), BASE)
    assert found is not None
    assert "no memory" in found.message
    assert "1 of 4" in found.message


@pytest.mark.parametrize(
    ("share", "expected"),
    [(None, None), (0.0, None), (0.1, None), (0.101, "flag looping")],
)
def test_loops_over_a_tenth_are_flagged(
    share: float | None, expected: str | None
) -> None:
    assert verdict(looping, looping_share=share) == expected


def test_text_without_token_counts_is_flagged() -> None:
    assert verdict(no_token_counts, mean_output_tokens=None) == "flag no-token-counts"


def test_counted_tokens_and_empty_cells_are_not_flagged() -> None:
    assert verdict(no_token_counts, mean_output_tokens=12.0) is None
    none = verdict(no_token_counts, mean_output_tokens=None, completed=4, empty=4)
    assert none is None


@pytest.mark.parametrize(("unsent", "expected"), [(0, None), (1, "void given-up")])
def test_a_cell_that_was_given_up_is_void_whatever_came_of_the_rest(
    unsent: int, expected: str | None
) -> None:
    assert verdict(given_up, replace(BASE, unsent=unsent)) == expected


@pytest.mark.parametrize(
    ("worst_off", "expected"),
    [(None, None), (0.0, None), (0.02, None), (0.0201, "flag context-off")],
)
def test_prompts_over_two_percent_off_their_context_are_flagged(
    worst_off: float | None, expected: str | None
) -> None:
    length = PromptLength(1030.0, 1020, 1045, worst_off)
    assert verdict(context_off, prompt_length=length) == expected
    assert verdict(context_off, prompt_length=None) is None
