"""What SGLang says of one request's drafts, under the names of each release. What a
real server sends is tested against the captures in tests/contract."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specbench.engines.sglang_requests import read_request
from specbench.schema.drafting import RequestDrafts

NEW = ("spec_num_correct_drafts", "spec_num_proposed_drafts")
GENERATIONS = [
    (*NEW, "spec_correct_drafts_histogram"),
    ("spec_accepted_drafts", "spec_proposed_drafts", "spec_accept_histogram"),
    ("spec_accept_token_num", "spec_draft_token_num", "spec_accept_histogram"),
]


def figures(
    histogram: list[int],
    width: int = 3,
    names: tuple[str, str, str] = GENERATIONS[0],
    **changes: Any,
) -> dict[str, Any]:
    """As the server sends them; a change to None takes a key away."""
    accepted, proposed, of_drafts = names
    verifies = sum(histogram)
    made = {
        "spec_verify_ct": verifies,
        accepted: sum(k * count for k, count in enumerate(histogram)),
        proposed: verifies * width,
        of_drafts: histogram,
        "spec_accept_rate": 0.5,
        "spec_accept_length": 9.0,
        **changes,
    }
    return {key: value for key, value in made.items() if value is not None}


@pytest.mark.parametrize("names", GENERATIONS)
def test_each_release_says_the_same_under_its_own_names(
    names: tuple[str, str, str],
) -> None:
    assert read_request(figures([2, 1, 1, 4], names=names)) == RequestDrafts(
        steps=8,
        drafts=8,
        draft_tokens=24,
        accepted_tokens=15,
        accepted_by_position=(6, 5, 4),
        longest_draft=3,
    )


@given(
    st.lists(st.integers(0, 300), min_size=1, max_size=12).filter(any),
    st.integers(0, 5),
)
def test_positions_add_up_to_the_accepted_tokens(
    histogram: list[int], wider: int
) -> None:
    width = max(1, len(histogram) - 1) + wider
    read = read_request(figures(histogram, width))
    assert read is not None
    assert read.accepted_by_position is not None
    assert sum(read.accepted_by_position) == read.accepted_tokens
    in_order = sorted(read.accepted_by_position, reverse=True)
    assert list(read.accepted_by_position) == in_order
    assert read.longest_draft == width
    assert read.drafts == sum(histogram)


def test_nothing_accepted_is_a_first_position_of_none() -> None:
    read = read_request(figures([23]))
    assert read is not None
    assert (read.accepted_tokens, read.accepted_by_position) == (0, (0,))


def test_no_verify_pass_is_a_request_without_drafts() -> None:
    assert read_request(figures([])) == RequestDrafts(0, 0, 0, 0, (), None)


@pytest.mark.parametrize(
    "histogram",
    [[2, 1, 1, 5], [3, 0, 1, 4], [], None, "2114", [2, 1, 1.0, 4], [2, 1, -1, 6]],
    ids=str,
)
def test_a_histogram_that_does_not_fit_the_counts_gives_no_positions(
    histogram: Any,
) -> None:
    changed = {"spec_correct_drafts_histogram": histogram}
    read = read_request(figures([2, 1, 1, 4], **changed))
    assert read is not None
    assert read.accepted_by_position is None
    assert (read.steps, read.accepted_tokens, read.draft_tokens) == (8, 15, 24)


def test_fewer_proposed_than_accepted_is_no_number_of_draft_tokens() -> None:
    read = read_request(figures([2, 1, 1, 4], spec_num_proposed_drafts=14))
    assert read is not None
    assert (read.draft_tokens, read.longest_draft) == (None, None)


def test_drafts_of_unequal_length_have_no_one_width() -> None:
    read = read_request(figures([2, 1, 1, 4], spec_num_proposed_drafts=23))
    assert read is not None
    assert (read.draft_tokens, read.longest_draft) == (23, None)


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"spec_verify_ct": 8},
        {"spec_num_correct_drafts": 3},
        {"spec_verify_ct": True, "spec_num_correct_drafts": 1},
        {"spec_verify_ct": 0, "spec_num_correct_drafts": 3},
        {"num_accepted_draft_tokens": 16, "num_spec_steps": 13},
    ],
)
def test_figures_without_both_counts_do_not_say(given: dict[str, Any]) -> None:
    assert read_request(given) is None


def test_counts_that_were_left_out_beside_a_histogram_are_not_zero() -> None:
    """A paused adaptive drafter: the figures' own zeros stand in for what is absent."""
    paused = {"spec_verify_ct": 0, NEW[0]: 0, NEW[1]: 0}
    histogram = "spec_correct_drafts_histogram"
    assert read_request({**paused, histogram: [9]}) is None
    assert read_request({histogram: [9]}) is None
    for nothing in ([], [0], None):
        assert read_request({**paused, histogram: nothing}) is not None
