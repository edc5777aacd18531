"""Acceptance from the growth of counters: a window's figure is never an engine's life,
and no draft is no figure."""

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specbench.analysis.acceptance import (
    NOT_EXPOSED,
    ONLY_SOME,
    OVERLAP_UNKNOWN,
    PAUSES,
    TWO_OF_ITS_OWN,
    UNEVEN,
    WENT_BACK,
    acceptance_between,
    counter_growth,
)
from specbench.analysis.missing import Missing
from specbench.schema.acceptance import Acceptance
from specbench.schema.drafting import Drafter
from specbench.schema.snapshot import EngineCounters, EngineReading, Phase
from tests.factories import counters, reading

EDGES = (Phase.OPEN, Phase.CLOSE)


def drafted(
    drafts: float,
    draft_tokens: float,
    accepted: float,
    by_position: tuple[float, ...] | None = None,
) -> EngineCounters:
    return counters(
        drafts=drafts,
        draft_tokens=draft_tokens,
        accepted_tokens=accepted,
        accepted_by_position=by_position,
        generation_tokens=drafts + accepted,
    )


PLAIN = Drafter("EAGLE3", is_overlapped=False, is_adaptive=False)
"""It has counts for as many passes as it has tokens of."""


def between(
    first: EngineCounters, last: EngineCounters, drafter: Drafter | None = PLAIN
) -> Acceptance | Missing:
    readings = [
        reading(Phase.BEFORE, 0, drafted(0, 0, 0)),
        reading(Phase.OPEN, 1, first),
        reading(Phase.CLOSE, 2, last),
        reading(Phase.AFTER, 3, drafted(9e9, 9e9, 9e9)),
    ]
    return acceptance_between(readings, EDGES, "the window", drafter)


def found_between(first: EngineCounters, last: EngineCounters) -> Acceptance:
    found = between(first, last)
    assert isinstance(found, Acceptance)
    return found


BEFORE = drafted(400, 1200, 700, (350.0, 220.0, 130.0))
H08_AFTER = drafted(1000, 3000, 1840, (890.0, 600.0, 350.0))


def test_h08_growth_gives_rate_length_and_positions() -> None:
    found = found_between(BEFORE, H08_AFTER)
    assert (found.drafts, found.draft_tokens, found.accepted_tokens) == (
        600,
        1800,
        1140,
    )
    assert found.rate == pytest.approx(1140 / 1800)
    assert found.length == pytest.approx(2.90)
    assert found.by_position == pytest.approx((0.900, 380 / 600, 220 / 600))


def test_h08b_series_that_appear_late_began_at_zero() -> None:
    late = counters(generation_tokens=0.0)
    found = found_between(late, drafted(600, 1800, 1140, (540.0, 380.0, 220.0)))
    assert found.drafts == 600
    assert found.rate == pytest.approx(1140 / 1800)
    assert found.by_position == pytest.approx((0.900, 380 / 600, 220 / 600))


def test_h09_sums_over_two_engines_give_their_joint_figures() -> None:
    # 2.75 on engine 0 and 2.125 on engine 1, of unequal size
    found = found_between(
        drafted(0, 0, 0, (0.0, 0.0, 0.0)), drafted(200, 600, 300, (150.0, 95.0, 55.0))
    )
    assert found.rate == 0.5
    assert found.length == 2.5
    assert found.by_position == pytest.approx((0.750, 0.475, 0.275))


def test_h10_no_draft_gives_no_rate_and_no_length() -> None:
    found = found_between(BEFORE, BEFORE)
    assert found.drafts == 0
    assert found.rate is None
    assert found.length is None
    assert found.by_position is None
    assert found.conditional_by_position is None


def test_h10_a_server_without_the_series_does_not_report_speculation() -> None:
    bare = counters(generation_tokens=10.0)
    assert between(bare, bare) == Missing(NOT_EXPOSED)


def test_drafts_of_which_none_was_accepted_have_length_one() -> None:
    found = found_between(drafted(0, 0, 0, (0.0, 0.0)), drafted(10, 20, 0, (0.0, 0.0)))
    assert (found.rate, found.length) == (0.0, 1.0)
    assert found.conditional_by_position == (0.0, None)


def test_conditional_rates_are_given_the_position_before() -> None:
    found = found_between(
        drafted(0, 0, 0, (0.0, 0.0, 0.0)), drafted(100, 300, 180, (90.0, 60.0, 30.0))
    )
    assert found.conditional_by_position == pytest.approx((0.9, 60 / 90, 0.5))


def test_a_restart_between_the_edges_is_named() -> None:
    assert between(H08_AFTER, BEFORE) == Missing(WENT_BACK)


def test_one_counter_that_goes_backwards_spoils_all() -> None:
    assert between(drafted(1, 3, 2), drafted(2, 6, 1)) == Missing(WENT_BACK)


@pytest.mark.parametrize("left_out", [Phase.OPEN, Phase.CLOSE])
def test_an_edge_that_was_not_read_is_no_figure(left_out: Phase) -> None:
    readings: list[EngineReading] = [
        reading(phase, 0, H08_AFTER) for phase in Phase if phase is not left_out
    ]
    found = acceptance_between(readings, EDGES, "the window")
    assert isinstance(found, Missing)
    assert "both edges" in found.reason


def test_a_position_that_appears_late_began_at_zero() -> None:
    found = found_between(drafted(10, 10, 8, (8.0,)), drafted(20, 30, 20, (16.0, 4.0)))
    assert found.by_position == pytest.approx((0.8, 0.4))


@pytest.mark.parametrize(
    ("before", "after", "growth"),
    [
        (5.0, 8.0, 3.0),
        (5.0, 5.0, 0.0),
        (None, 8.0, 8.0),
        (None, None, None),
        (5.0, None, None),
        (8.0, 5.0, None),
    ],
)
def test_growth_of_one_counter(
    before: float | None, after: float | None, growth: float | None
) -> None:
    assert counter_growth(before, after) == growth


@given(
    st.lists(st.integers(0, 500), min_size=1, max_size=6),
    st.integers(1, 500),
    st.integers(0, 10_000),
)
def test_one_plus_the_sum_of_positions_is_the_length(
    drops: list[int], extra: int, earlier: int
) -> None:
    # accepted at i falls with i; the drafts are at least as many
    accepted = sorted(drops, reverse=True)
    drafts = accepted[0] + extra
    base = (float(earlier),) * len(accepted)
    found = found_between(
        drafted(earlier, earlier, earlier * len(accepted), base),
        drafted(
            earlier + drafts,
            earlier + drafts * len(accepted),
            earlier * len(accepted) + sum(accepted),
            tuple(float(earlier + a) for a in accepted),
        ),
    )
    assert found.by_position is not None
    assert found.length == pytest.approx(1 + math.fsum(found.by_position))
    assert found.rate == pytest.approx(sum(accepted) / (drafts * len(accepted)))
    conditional = found.conditional_by_position
    assert conditional is not None
    assert all(rate is None or 0 <= rate <= 1 for rate in conditional)
    product = 1.0
    for rate, share in zip(conditional, found.by_position, strict=True):
        product *= rate or 0.0
        assert product == pytest.approx(share)


def test_a_page_that_could_not_be_read_is_not_a_page_of_zeros() -> None:
    found = between(counters(), drafted(1_000_000, 3_000_000, 1_900_000))
    assert isinstance(found, Missing)


def test_a_restart_that_has_caught_up_again_is_noticed_inside_the_window() -> None:
    readings = [
        reading(Phase.OPEN, 0, drafted(100, 300, 190)),
        reading(Phase.INSIDE, 1, drafted(5, 15, 9)),
        reading(Phase.CLOSE, 2, drafted(150, 450, 280)),
    ]
    assert acceptance_between(readings, EDGES, "the window") == Missing(WENT_BACK)


def test_a_counter_that_is_absent_is_not_called_a_restart() -> None:
    found = between(counters(drafts=1.0), counters(drafts=5.0))
    assert isinstance(found, Missing)
    assert "backwards" not in found.reason


def test_readings_inside_the_window_that_only_grow_change_nothing() -> None:
    inside = [reading(Phase.INSIDE, at, drafted(100 + at, 300, 190)) for at in (1, 2)]
    edges = [
        reading(Phase.OPEN, 0, drafted(100, 300, 190)),
        reading(Phase.CLOSE, 3, drafted(150, 450, 280)),
    ]
    found = acceptance_between([edges[0], *inside, edges[1]], EDGES, "the window")
    assert found == acceptance_between(edges, EDGES, "the window")


def test_a_page_inside_the_window_that_could_not_be_read_is_no_restart() -> None:
    readings = [
        reading(Phase.OPEN, 0, drafted(100, 300, 190)),
        reading(Phase.INSIDE, 1, counters()),
        reading(Phase.CLOSE, 2, drafted(150, 450, 280)),
    ]
    found = acceptance_between(readings, EDGES, "the window")
    assert isinstance(found, Acceptance)
    assert found.drafts == 50


def test_a_closing_page_that_could_not_be_read_is_not_called_a_baseline() -> None:
    found = between(BEFORE, counters())
    assert isinstance(found, Missing)
    assert found.reason != NOT_EXPOSED


def verified(passes: float, decoded: float | None) -> EngineCounters:
    """Counters of an engine that counts verify passes."""
    return counters(verify_calls=passes, decode_tokens=decoded, generation_tokens=1.0)


def test_verify_passes_and_decoded_tokens_give_the_same_definition() -> None:
    # SGLang 0.5.23, n-gram: 51 passes and 352 decoded tokens by the end, 7 and 7 before
    found = found_between(verified(7, 7), verified(51, 352))
    assert (found.drafts, found.accepted_tokens) == (44, 345 - 44)
    assert found.length == pytest.approx(345 / 44)
    assert found.length == pytest.approx(1 + found.accepted_tokens / found.drafts)
    assert (found.draft_tokens, found.rate, found.by_position) == (None, None, None)


def test_passes_that_appear_late_began_at_zero() -> None:
    late = counters(decode_tokens=0.0)
    assert found_between(late, verified(10, 25)).length == 2.5


def test_no_verify_pass_is_no_draft_whatever_was_decoded() -> None:
    found = found_between(verified(7, 7), verified(7, 400))
    assert (found.drafts, found.accepted_tokens, found.length) == (0, 0, None)


@pytest.mark.parametrize(
    ("last", "why"),
    [
        (verified(5, 90), WENT_BACK),
        (verified(60, 5), WENT_BACK),
        (verified(60, 20), UNEVEN),
        (verified(60, None), ONLY_SOME),
    ],
)
def test_passes_that_contradict_the_tokens_give_no_figure(
    last: EngineCounters, why: str
) -> None:
    assert between(verified(7, 7), last) == Missing(why)


@given(st.integers(1, 50), st.integers(1, 40), st.integers(0, 7))
def test_a_request_that_ended_is_in_one_more_pass_where_steps_overlap(
    requests: int, passes_each: int, accepted: int
) -> None:
    """Its tokens are counted and its pass is not; every pass gives as many here."""
    passes = requests * passes_each
    decoded = (passes + requests) * (1 + accepted)
    last = replace(verified(7 + passes, 7 + decoded), requests_ended=3.0 + requests)
    first = replace(verified(7, 7), requests_ended=3.0)
    found = between(first, last, replace(PLAIN, is_overlapped=True))
    assert isinstance(found, Acceptance)
    assert found.drafts == passes
    assert found.length == pytest.approx(1 + accepted)


@pytest.mark.parametrize(
    ("drafter", "why"),
    [
        (None, OVERLAP_UNKNOWN),
        (replace(PLAIN, is_overlapped=None), OVERLAP_UNKNOWN),
        (replace(PLAIN, is_overlapped=True), ONLY_SOME),
        (replace(PLAIN, is_adaptive=True), PAUSES),
        (replace(PLAIN, method="UNO"), TWO_OF_ITS_OWN),
    ],
)
def test_passes_that_do_not_fit_the_decoded_tokens_give_no_figure(
    drafter: Drafter | None, why: str
) -> None:
    assert between(verified(7, 7), verified(51, 352), drafter) == Missing(why)


def test_of_no_pass_nothing_has_to_be_known() -> None:
    found = between(verified(7, 7), verified(7, 400), None)
    assert isinstance(found, Acceptance)
    assert found.drafts == 0
