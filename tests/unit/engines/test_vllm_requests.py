"""What vLLM says of one request's drafts, in its summary and its detailed form."""

from typing import Any

import pytest

from specbench.engines.vllm_requests import read_request
from specbench.schema.drafting import RequestDrafts

SUMMARY: dict[str, Any] = {
    "mean_acceptance_length": 2.230769230769231,
    "draft_acceptance_rate": 0.42105263157894735,
    "acceptance_histogram": [1, 10, 0, 2],
    "num_spec_steps": 13,
    "num_accepted_draft_tokens": 16,
    "num_draft_tokens": 38,
    "num_spec_tokens": 3,
}
"""Of vLLM 0.32.0, n-gram, k = 3."""
STEPS = {
    "per_step_accepted": [3, 1, 1, 0, 3, 1, 1, 1, 1, 1, 1, 1, 1],
    "per_step_drafted": [3, 3, 2, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3],
}


@pytest.mark.parametrize("figures", [SUMMARY, {**SUMMARY, **STEPS}])
def test_both_forms_say_the_same(figures: dict[str, Any]) -> None:
    assert read_request(figures) == RequestDrafts(
        steps=None,
        drafts=13,
        draft_tokens=38,
        accepted_tokens=16,
        accepted_by_position=(12, 2, 2),
        longest_draft=3,
    )


def test_a_histogram_of_other_drafts_gives_no_positions() -> None:
    read = read_request({**SUMMARY, "num_spec_steps": 14})
    assert read is not None
    assert read.accepted_by_position is None
    assert read.drafts == 14


def test_a_request_without_a_draft_has_drafts_of_none() -> None:
    none = {"num_spec_steps": 0, "num_accepted_draft_tokens": 0, "num_draft_tokens": 0}
    read = read_request({**none, "acceptance_histogram": [0, 0, 0, 0]})
    assert read is not None
    assert (read.drafts, read.draft_tokens) == (0, 0)
    assert read.accepted_by_position == (0, 0, 0)


def test_counts_that_are_not_there_are_not_zero() -> None:
    read = read_request({"num_accepted_draft_tokens": 3})
    assert read == RequestDrafts(None, None, None, 3, None, None)


@pytest.mark.parametrize("figures", [{}, {"num_accepted_draft_tokens": "16"}])
def test_figures_without_accepted_tokens_do_not_say(figures: dict[str, Any]) -> None:
    assert read_request(figures) is None
