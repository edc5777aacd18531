"""Which source a cell's acceptance is taken from, and when two sources disagree."""

from dataclasses import replace
from typing import Any

import pytest

from specbench.analysis.acceptance import NOT_EXPOSED, PAUSES
from specbench.analysis.cell import CellObservations, summarise_cell
from specbench.schema.acceptance import IDLE_EDGES
from specbench.schema.drafting import Drafter, RequestDrafts
from specbench.schema.findings import CellStats
from specbench.schema.sample import RequestSample
from specbench.schema.snapshot import EngineReading, Phase
from tests.factories import (
    closed_loop,
    counters,
    failed_sample,
    observations,
    reading,
    steady_sample,
)

PLAIN = Drafter("EAGLE3", is_overlapped=False, is_adaptive=False, branches=1)
PASSES, ACCEPTED = 4, 6
"""Of each request of ten decode tokens."""


def requests(count: int = 6) -> list[RequestSample]:
    """One slot, back to back, 11 tokens each."""
    return [
        steady_sample(1000.0 * n, 11, 50.0, index=n, category=f"kind {n % 2}")
        for n in range(count)
    ]


def said(accepted: int = ACCEPTED, passes: int = PASSES) -> RequestDrafts:
    return RequestDrafts(passes, passes, 3 * passes, accepted, (accepted, 0, 0), 3)


def pages(passes: float, decoded: float, ended: float) -> list[EngineReading]:
    """Idle edges around so much; whatever stands inside is not to be used."""
    first = counters(verify_calls=7.0, decode_tokens=7.0, requests_ended=1.0)
    last = counters(
        verify_calls=7 + passes, decode_tokens=7 + decoded, requests_ended=1 + ended
    )
    inside = counters(verify_calls=8.0, decode_tokens=900.0, requests_ended=2.0)
    return [
        reading(Phase.BEFORE, 0, first),
        reading(Phase.OPEN, 1, inside),
        reading(Phase.CLOSE, 2, inside),
        reading(Phase.AFTER, 3, last),
    ]


def at_request_end(**changes: Any) -> CellObservations:
    """An arm on an engine whose counters move when a request ends."""
    samples = requests()
    per_request = PASSES + ACCEPTED
    count = len(samples)
    made = observations(
        samples,
        pages(count * PASSES, count * per_request, count),
        expects_speculation=True,
        counts_at_request_end=True,
        drafter=PLAIN,
        drafts={n: said() for n in range(count)},
    )
    return replace(made, **changes)


def codes(stats: CellStats) -> set[str]:
    return {finding.code for finding in stats.findings}


def test_where_counters_move_at_the_end_the_requests_in_the_window_count() -> None:
    drafts = {0: said(accepted=0), **{n: said() for n in range(1, 6)}}
    stats = summarise_cell(at_request_end(drafts=drafts))
    assert stats.acceptance is not None
    # the first request of a slot met the opening and is not in the window
    assert stats.acceptance.drafts == 5 * PASSES
    assert stats.acceptance.length == pytest.approx(1 + ACCEPTED / PASSES)
    assert stats.acceptance.source == "requests in the window"
    assert stats.tokens_per_step == pytest.approx(10 / PASSES)


def test_without_a_window_all_measured_requests_count_and_are_named_so() -> None:
    samples = [replace(s, slot=n) for n, s in enumerate(requests(2))]
    seen = at_request_end(samples=tuple(samples), drafts={0: said(), 1: said()})
    stats = summarise_cell(seen)
    assert stats.acceptance is not None
    assert stats.acceptance.source == "all measured requests"


def test_failing_that_the_counters_over_the_whole_cell_are_taken_and_marked() -> None:
    stats = summarise_cell(at_request_end(drafts={}))
    assert stats.acceptance is not None
    assert stats.acceptance.source == IDLE_EDGES
    assert stats.acceptance.length == pytest.approx((PASSES + ACCEPTED) / PASSES)
    assert stats.acceptance.rate is None
    assert "draft tokens" in stats.missing["acceptance_rate"]
    assert "position" in stats.missing["acceptance_by_position"]
    assert "per request" in stats.missing["acceptance_by_category"]
    assert "per request" in stats.missing["tokens_per_step"]


def test_without_either_both_reasons_are_given() -> None:
    stats = summarise_cell(at_request_end(drafts={1: said()}, readings=()))
    assert stats.acceptance is None
    assert "without the server's figures" in stats.missing["acceptance"]
    assert "metrics page" in stats.missing["acceptance"]


def test_a_baseline_of_such_an_engine_has_one_reason_and_no_remark() -> None:
    plain = [reading(phase, 0, counters(decode_tokens=5.0)) for phase in Phase]
    seen = at_request_end(drafts={}, readings=tuple(plain), expects_speculation=False)
    stats = summarise_cell(seen)
    assert stats.missing["acceptance"] == NOT_EXPOSED
    assert "acceptance-unknown" not in codes(stats)
    assert "acceptance_difference" not in stats.missing


def test_requests_without_a_verify_pass_are_an_arm_without_drafts() -> None:
    none = RequestDrafts(0, 0, 0, 0, (), None)
    stats = summarise_cell(at_request_end(drafts=dict.fromkeys(range(6), none)))
    assert "no-drafts" in codes(stats)


def test_both_routes_over_the_whole_cell_are_kept_and_agree() -> None:
    stats = summarise_cell(at_request_end())
    whole = stats.whole_run
    assert whole.acceptance is not None
    assert whole.acceptance_by_requests is not None
    assert whole.acceptance_by_requests.length == whole.acceptance.length == 2.5
    assert whole.acceptance_difference == 0.0
    assert "acceptance-disagrees" not in codes(stats)


@pytest.mark.parametrize(
    ("accepted", "is_flagged"), [(6.1, False), (5.9, False), (6.3, True), (5.7, True)]
)
def test_routes_that_differ_by_over_two_per_cent_are_flagged(
    accepted: float, is_flagged: bool
) -> None:
    # 2.5 by requests against (4 + 6.1) / 4 = 2.525 by counters, and so on
    seen = at_request_end(readings=pages(6 * PASSES, 6 * (PASSES + accepted), 6))
    assert ("acceptance-disagrees" in codes(summarise_cell(seen))) is is_flagged


def test_counters_of_each_step_are_held_against_the_requests_too() -> None:
    readings = [
        reading(Phase.BEFORE, 0, counters(drafts=0.0)),
        reading(
            Phase.AFTER,
            3,
            counters(drafts=24.0, draft_tokens=72.0, accepted_tokens=36.0),
        ),
    ]
    seen = at_request_end(readings=tuple(readings), counts_at_request_end=False)
    assert summarise_cell(seen).whole_run.acceptance_difference == 0.0


def test_more_requests_than_were_sent_are_not_the_same_set() -> None:
    seen = at_request_end(readings=pages(30, 75, 7))
    stats = summarise_cell(seen)
    assert stats.whole_run.acceptance_difference is None
    assert "counted 7" in stats.missing["acceptance_difference"]


def test_a_failed_request_is_in_the_counters_alone() -> None:
    failed = failed_sample(index=6, sent_ms=6000, end_ms=6100, scheduled_ms=6000)
    seen = at_request_end(samples=(*requests(), failed))
    stats = summarise_cell(seen)
    assert stats.whole_run.acceptance_difference is None
    assert "1 of 7 requests failed" in stats.missing["acceptance_difference"]
    assert stats.whole_run.acceptance_by_requests is not None


def test_a_cell_whose_requests_say_nothing_has_no_second_route() -> None:
    stats = summarise_cell(observations(closed_loop([[100, 200, 300]])))
    assert stats.whole_run.acceptance_by_requests is None
    assert stats.whole_run.acceptance_difference is None


def test_categories_are_of_the_same_requests_and_add_up() -> None:
    stats = summarise_cell(at_request_end())
    found = stats.acceptance_by_category
    assert found is not None
    assert stats.acceptance is not None
    assert [one.category for one in found] == ["kind 0", "kind 1"]
    assert [one.requests for one in found] == [2, 3]
    assert sum(one.acceptance.drafts for one in found) == stats.acceptance.drafts
    assert {one.acceptance.source for one in found} == {stats.acceptance.source}


def test_both_routes_agree_where_steps_overlap() -> None:
    """Each of the six requests is in a fifth pass, of 2.5 tokens."""
    seen = at_request_end(
        readings=pages(6 * PASSES, 6 * 12.5, 6),
        drafter=replace(PLAIN, is_overlapped=True),
    )
    stats = summarise_cell(seen)
    assert stats.whole_run.acceptance_difference == pytest.approx(0.0)
    assert "acceptance-disagrees" not in codes(stats)


def test_where_nobody_knows_whether_they_overlap_the_routes_are_not_compared() -> None:
    stats = summarise_cell(at_request_end(drafter=None))
    assert stats.acceptance is not None
    assert stats.whole_run.acceptance is None
    assert stats.whole_run.acceptance_difference is None


def test_an_adaptive_drafter_has_steps_and_no_acceptance() -> None:
    """Its passes may have had no draft; nothing accepted is no fault of it."""
    for accepted in (ACCEPTED, 0):
        seen = at_request_end(
            drafter=replace(PLAIN, is_adaptive=True),
            drafts={n: said(accepted) for n in range(6)},
        )
        stats = summarise_cell(seen)
        assert stats.acceptance is None
        assert PAUSES in stats.missing["acceptance"]
        assert stats.tokens_per_step == pytest.approx(10 / PASSES)
        assert stats.acceptance_by_category is None
        assert not {"nothing-accepted", "low-acceptance", "acceptance-unknown"} & codes(
            stats
        )


def test_an_adaptive_drafter_of_which_nothing_is_known_is_flagged() -> None:
    seen = at_request_end(drafter=replace(PLAIN, is_adaptive=True), drafts={})
    assert "acceptance-unknown" in codes(summarise_cell(seen))


@pytest.mark.parametrize(("method", "is_flagged"), [("EAGLE3", True), ("NGRAM", False)])
def test_padded_drafts_may_be_refused_at_the_first_token(
    method: str, is_flagged: bool
) -> None:
    drafts = {n: RequestDrafts(8, 8, 24, 2, (2, 0, 0), 3) for n in range(6)}
    seen = at_request_end(drafter=replace(PLAIN, method=method), drafts=drafts)
    assert ("low-acceptance" in codes(summarise_cell(seen))) is is_flagged
