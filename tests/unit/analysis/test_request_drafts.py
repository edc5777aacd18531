"""Acceptance from single requests: sums over a set of them, and nothing where one of
the set does not say."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specbench.analysis.missing import Missing
from specbench.analysis.request_drafts import (
    NO_DRAFT_COUNT,
    NOT_SAID,
    acceptance_of_requests,
    join_drafts,
    read_drafts,
    request_lengths,
)
from specbench.engines.draft_histogram import positions_of
from specbench.engines.sglang_requests import read_request
from specbench.schema.acceptance import Acceptance
from specbench.schema.drafting import RequestDrafts
from specbench.schema.sample import Outcome, RequestSample
from tests.factories import chunk, failed_sample, sample


def drafted(histogram: list[int], width: int | None = None) -> RequestDrafts:
    """`histogram[k]` drafts had k tokens accepted."""
    drafts = sum(histogram)
    accepted = sum(k * count for k, count in enumerate(histogram))
    return RequestDrafts(
        steps=drafts,
        drafts=drafts,
        draft_tokens=drafts * (width or len(histogram) - 1),
        accepted_tokens=accepted,
        accepted_by_position=positions_of(histogram, drafts, accepted),
        longest_draft=width or len(histogram) - 1,
    )


def joined(*known: RequestDrafts) -> Acceptance:
    found = join_drafts(known, "requests")
    assert isinstance(found, Acceptance)
    return found


def test_requests_are_joined_as_sums_and_not_as_means_of_ratios() -> None:
    found = joined(drafted([0, 0, 0, 30]), drafted([10, 0, 0, 0]))
    assert (found.drafts, found.draft_tokens, found.accepted_tokens) == (40, 120, 90)
    assert found.rate == pytest.approx(90 / 120)
    assert found.length == pytest.approx(1 + 90 / 40)
    assert found.by_position == pytest.approx((0.75, 0.75, 0.75))
    assert found.conditional_by_position == pytest.approx((0.75, 1.0, 1.0))


def test_a_request_whose_drafts_never_got_so_far_adds_none_there() -> None:
    found = joined(drafted([0, 2, 2], width=3), drafted([1, 0, 0, 3], width=3))
    assert found.by_position == pytest.approx((7 / 8, 5 / 8, 3 / 8))


@given(
    st.lists(
        st.lists(st.integers(0, 40), min_size=2, max_size=6).filter(any), min_size=1
    )
)
def test_one_plus_the_sum_of_positions_is_the_length(
    histograms: list[list[int]],
) -> None:
    found = joined(*(drafted(one) for one in histograms))
    assert found.by_position is not None
    assert found.length == pytest.approx(1 + sum(found.by_position))


def test_a_count_that_one_request_lacks_all_lack() -> None:
    bare = RequestDrafts(4, 4, None, 6, None, None)
    found = joined(drafted([1, 2, 1]), bare)
    assert (found.drafts, found.accepted_tokens) == (8, 10)
    assert (found.draft_tokens, found.rate, found.by_position) == (None, None, None)


def test_without_a_number_of_drafts_there_is_no_acceptance() -> None:
    bare = RequestDrafts(None, None, None, 6, None, None)
    assert join_drafts([drafted([1, 2, 1]), bare], "") == Missing(NO_DRAFT_COUNT)


def test_requests_without_a_verify_pass_have_no_draft() -> None:
    found = joined(RequestDrafts(0, 0, 0, 0, (), None))
    assert (found.drafts, found.rate, found.length) == (0, None, None)
    assert found.by_position is None


def told(index: int, **figures: int) -> RequestSample:
    """A request of three tokens with the engine's word on it."""
    return sample([chunk(100, 1), chunk(200, 3)], index=index, speculation=figures)


def of(*samples: RequestSample) -> Acceptance | Missing:
    return acceptance_of_requests(samples, read_drafts(samples, read_request), "r")


GOOD = {"spec_verify_ct": 1, "spec_num_correct_drafts": 1}


def test_only_requests_that_ended_well_count() -> None:
    failed = failed_sample(index=1, speculation={**GOOD, "spec_num_correct_drafts": 9})
    found = of(told(0, **GOOD), failed)
    assert isinstance(found, Acceptance)
    assert (found.drafts, found.accepted_tokens) == (1, 1)


def test_one_silent_request_leaves_none() -> None:
    silent = sample([chunk(100, 1), chunk(200, 3)], index=1)
    found = of(told(0, **GOOD), silent)
    assert isinstance(found, Missing)
    assert found.reason.startswith("1 of 2 requests")


@pytest.mark.parametrize(
    "short",
    [
        sample([chunk(100, 1)], index=1),
        sample(index=1, outcome=Outcome.EMPTY, output_tokens=0),
        sample(index=1, outcome=Outcome.EMPTY),
    ],
)
def test_a_request_that_decoded_nothing_may_be_silent(short: RequestSample) -> None:
    assert isinstance(of(told(0, **GOOD), short), Acceptance)


def test_without_any_figures_the_server_does_not_say() -> None:
    assert of(sample([chunk(100, 1), chunk(200, 3)])) == Missing(NOT_SAID)
    assert of(told(0, other=3)) == Missing(NOT_SAID)


def test_own_lengths_of_requests_are_spread_over_those_with_a_draft() -> None:
    known = [drafted([4, 0]), drafted([0, 4]), RequestDrafts(0, 0, 0, 0, (), None)]
    lengths = request_lengths(known)
    assert lengths is not None
    assert (lengths.n, lengths.p50) == (2, 1.5)
    assert 1.0 < lengths.p10 < 1.5 < lengths.p90 < 2.0
    assert request_lengths(known[2:]) is None
