"""Tokens per step: of two sources that can each only miss steps the one that missed
fewer counts, as long as they do not contradict each other; an engine that counts steps
is believed."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specbench.analysis.missing import Missing
from specbench.analysis.request_drafts import read_drafts
from specbench.analysis.steps import count_steps
from specbench.engines import sglang_requests, vllm_requests
from specbench.schema.sample import Outcome, RequestSample
from tests.factories import chunks_of, failed_sample, role_chunk, sample

K = 3
"""Draft tokens a step."""


def speculated(sizes: list[int], accepted: int, limit: int | None = K) -> RequestSample:
    """One request as it arrived: chunks of so many tokens, the first from prefill."""
    arrivals = [100.0 + 20 * place for place in range(len(sizes))]
    figures = {"num_accepted_draft_tokens": accepted, "num_spec_tokens": limit}
    return sample(
        [role_chunk(10, 0), *chunks_of(arrivals, sizes, counted=True)],
        speculation={key: v for key, v in figures.items() if v is not None},
    )


def verified(sizes: list[int], passes: int, accepted: int) -> RequestSample:
    """The same by an engine that counts verify passes."""
    figures = {"spec_verify_ct": passes, "spec_num_correct_drafts": accepted}
    return replace(speculated(sizes, accepted), speculation=figures)


def tokens_per_step(samples: Sequence[RequestSample]) -> float | Missing:
    numbered = [replace(s, index=place) for place, s in enumerate(samples)]
    drafts = read_drafts(
        numbered,
        lambda f: vllm_requests.read_request(f) or sglang_requests.read_request(f),
    )
    found = count_steps(numbered, drafts)
    return found if isinstance(found, Missing) else found.tokens_per_step


def test_prefills_token_is_no_decode_token() -> None:
    # prefill gives 1, then 4 steps give 3, 1, 2, 4: six of these ten were drafts
    assert tokens_per_step([speculated([1, 3, 1, 2, 4], 6)]) == pytest.approx(10 / 4)


def test_requests_are_joined_as_sums_and_not_as_means_of_ratios() -> None:
    long = speculated([1, *[3] * 10], 20)
    short = speculated([1, 1, 1], 0)
    assert tokens_per_step([long, short]) == pytest.approx(32 / 12)


def test_steps_without_a_draft_count() -> None:
    assert tokens_per_step([speculated([1, 1, 1, 1, 4], 3)]) == pytest.approx(7 / 4)


def test_no_accepted_token_is_one_token_a_step() -> None:
    assert tokens_per_step([speculated([1, 1, 1, 1], 0)]) == 1.0


@given(st.lists(st.integers(1, K + 1), min_size=1, max_size=40))
def test_clean_sources_give_the_true_ratio(steps: list[int]) -> None:
    accepted = sum(steps) - len(steps)
    found = tokens_per_step([speculated([1, *steps], accepted)])
    assert found == pytest.approx(sum(steps) / len(steps))


@given(st.lists(st.integers(1, K + 1), min_size=1, max_size=30), st.integers(1, K))
def test_accepted_tokens_beyond_the_stop_do_not_move_the_figure(
    steps: list[int], beyond: int
) -> None:
    accepted = sum(steps) - len(steps) + beyond
    found = tokens_per_step([speculated([1, *steps], accepted)])
    assert found == pytest.approx(sum(steps) / len(steps))


@given(st.lists(st.integers(1, K + 1), min_size=2, max_size=30), st.integers(2, 8))
def test_steps_joined_into_one_chunk_do_not_move_the_figure(
    steps: list[int], joined: int
) -> None:
    chunks = [sum(steps[i : i + joined]) for i in range(0, len(steps), joined)]
    found = tokens_per_step([speculated([1, *chunks], sum(steps) - len(steps))])
    assert found == pytest.approx(sum(steps) / len(steps))


def test_as_many_chunks_too_many_as_a_step_has_drafts_agree_and_one_more_does_not() -> (
    None
):
    # ten decode tokens in ten chunks, of which K or K + 1 are said to be drafts
    chunks = [1] * 11
    assert tokens_per_step([speculated(chunks, K)]) == 1.0
    found = tokens_per_step([speculated(chunks, K + 1)])
    assert isinstance(found, Missing)
    assert "disagree" in found.reason


def test_without_the_draft_length_no_contradiction_is_allowed() -> None:
    assert tokens_per_step([speculated([1] * 11, 0, limit=None)]) == 1.0
    assert isinstance(tokens_per_step([speculated([1] * 11, 1, limit=None)]), Missing)


def test_one_request_without_the_engines_figures_leaves_none() -> None:
    bare = sample(chunks_of([100, 120], [1, 2], counted=True))
    found = tokens_per_step([speculated([1, 2], 1), bare])
    assert isinstance(found, Missing)
    assert "per request" in found.reason


@pytest.mark.parametrize("sizes", [[1], []])
def test_without_a_second_token_there_is_no_step(sizes: list[int]) -> None:
    found = tokens_per_step([speculated(sizes, 0)] if sizes else [])
    assert isinstance(found, Missing)


def test_failed_and_empty_requests_take_no_part() -> None:
    good = speculated([1, 2, 2], 2)
    empty = sample([role_chunk(10, 0)], outcome=Outcome.EMPTY, output_tokens=0)
    assert tokens_per_step([failed_sample(), empty, good]) == pytest.approx(2.0)


@given(st.lists(st.integers(1, K + 1), min_size=1, max_size=30), st.integers(2, 8))
def test_steps_that_the_engine_counts_are_taken_however_they_were_joined(
    steps: list[int], joined: int
) -> None:
    chunks = [sum(steps[i : i + joined]) for i in range(0, len(steps), joined)]
    found = tokens_per_step(
        [verified([1, *chunks], len(steps), sum(steps) - len(steps))]
    )
    assert found == pytest.approx(sum(steps) / len(steps))


def test_tokens_accepted_beyond_the_stop_are_not_delivered() -> None:
    # SGLang 0.5.23: 24 tokens of 4 passes with 30 accepted; 23 of them were decoded
    assert tokens_per_step([verified([1, 8, 8, 7], 4, 30)]) == pytest.approx(23 / 4)


def test_steps_in_which_an_adaptive_drafter_paused_are_in_the_engines_count() -> None:
    # 10 decode tokens, 2 passes of 3 accepted tokens each, and 2 of none
    assert tokens_per_step([verified([1, 4, 4, 1, 1], 4, 6)]) == pytest.approx(10 / 4)


def test_a_pass_that_gives_two_tokens_of_its_own_is_one_step() -> None:
    # SGLang 0.5.23, UNO: 3 passes of 2 tokens and 1, 0 and 2 accepted ones
    assert tokens_per_step([verified([1, 3, 2, 4], 3, 3)]) == pytest.approx(9 / 3)


def test_a_request_of_one_token_needs_no_figures() -> None:
    bare = sample(chunks_of([100], [1], counted=True))
    assert tokens_per_step([verified([1, 2, 2], 2, 2), bare]) == pytest.approx(2.0)
