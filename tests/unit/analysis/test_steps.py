"""Tokens per step: two sources that err to different sides, used where they agree."""

import pytest

from specbench.analysis.acceptance import Missing
from specbench.analysis.steps import AGREEMENT, tokens_per_step
from specbench.schema.sample import Outcome, RequestSample
from tests.factories import chunks_of, failed_sample, role_chunk, sample


def speculated(sizes: list[int], accepted: int) -> RequestSample:
    """One request whose chunks are its steps."""
    arrivals = [100.0 + 20 * place for place in range(len(sizes))]
    return sample(
        [role_chunk(10, 0), *chunks_of(arrivals, sizes, counted=True)],
        speculation={"num_accepted_draft_tokens": accepted},
    )


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


def test_of_two_sources_that_agree_the_lower_counts() -> None:
    # one accepted token beyond the stop: 100 / (100 - 51) against 100 / 50
    found = tokens_per_step([speculated([1, *[2] * 50], 51)])
    assert found == pytest.approx(2.0)
    # two steps joined into one chunk: 100 / 50 against 100 / 49
    found = tokens_per_step([speculated([1, *[2] * 48, 4], 50)])
    assert found == pytest.approx(2.0)


def test_sources_just_within_the_bound_agree_and_just_beyond_do_not() -> None:
    # 1000 decode tokens in 500 chunks; by acceptance 1000 / (1000 - A)
    within = int(1000 - 500 / (1 + AGREEMENT)) - 1
    assert tokens_per_step([speculated([1, *[2] * 500], within)]) == pytest.approx(2.0)
    beyond = tokens_per_step([speculated([1, *[2] * 500], within + 2)])
    assert isinstance(beyond, Missing)
    assert "disagree" in beyond.reason


def test_steps_joined_under_load_leave_no_figure() -> None:
    # the first token alone, then eight a chunk, whatever the steps gave
    found = tokens_per_step([speculated([1, 8, 8, 8, 8, 8, 7], 24)])
    assert isinstance(found, Missing)


def test_one_request_without_the_engines_figures_leaves_none() -> None:
    bare = sample(chunks_of([100, 120], [1, 2], counted=True))
    found = tokens_per_step([speculated([1, 2], 1), bare])
    assert isinstance(found, Missing)
    assert "per request" in found.reason


def test_more_accepted_than_decoded_is_no_figure() -> None:
    found = tokens_per_step([speculated([1, 3], 3)])
    assert isinstance(found, Missing)


@pytest.mark.parametrize("sizes", [[1], []])
def test_without_a_second_token_there_is_no_step(sizes: list[int]) -> None:
    found = tokens_per_step([speculated(sizes, 0)] if sizes else [])
    assert isinstance(found, Missing)


def test_failed_and_empty_requests_take_no_part() -> None:
    good = speculated([1, 2, 2], 2)
    empty = sample([role_chunk(10, 0)], outcome=Outcome.EMPTY, output_tokens=0)
    assert tokens_per_step([failed_sample(), empty, good]) == pytest.approx(2.0)
