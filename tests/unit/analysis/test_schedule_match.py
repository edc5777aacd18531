"""Stamps against a known schedule: what was put in as lag, error or loss comes out."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specbench.analysis.schedule_match import (
    TimedAnswer,
    busy_chunk_rate,
    further_off,
    match_schedule,
)
from specbench.schema.selftest import SentRequest

MS = 1_000_000
GAP_NS = 20 * MS
TTFT_NS = 200 * MS


def sent_answer(
    number: int, arrival_ns: int, tokens: tuple[int, ...] = (1,) * 10
) -> SentRequest:
    """Sent exactly when it was due."""
    first = arrival_ns + TTFT_NS
    return SentRequest(
        request=number,
        worker=0,
        arrival_ns=arrival_ns,
        first_due_ns=first,
        gap_ns=GAP_NS,
        role_ns=arrival_ns,
        sent_ns=tuple(first + place * GAP_NS for place in range(len(tokens))),
        tokens=tokens,
        end_ns=first + len(tokens) * GAP_NS,
    )


def timed_answer(sent: SentRequest, lag_ns: int = 0) -> TimedAnswer:
    """Stamped so much after each send."""
    return TimedAnswer(
        request=sent.request or 0,
        sent_ns=sent.arrival_ns,
        stamps=tuple(instant + lag_ns for instant in sent.sent_ns),
        first_tokens=sent.tokens[0],
        tokens=sum(sent.tokens),
    )


TRACES = st.lists(st.integers(1, 5), min_size=2, max_size=12).map(tuple)


@given(st.lists(TRACES, min_size=1, max_size=5), st.integers(0, 10**9))
def test_a_constant_lag_makes_ttft_late_by_itself_and_leaves_tpot_alone(
    traces: list[tuple[int, ...]], lag_ns: int
) -> None:
    sent = [sent_answer(n, n * MS, tokens) for n, tokens in enumerate(traces)]
    match = match_schedule([timed_answer(one, lag_ns) for one in sent], sent)
    assert match.lag_p50_s == pytest.approx(lag_ns / 1e9)
    assert match.lag_p99_s == pytest.approx(lag_ns / 1e9)
    assert match.ttft_error_p50_s == pytest.approx(lag_ns / 1e9)
    assert match.ttft_error_p99_s == pytest.approx(lag_ns / 1e9)
    assert match.tpot_error_p50 == pytest.approx(0)
    assert match.tpot_error_p99 == pytest.approx(0)
    assert match.late_p99_s == 0
    assert (match.answers, match.unmatched) == (len(traces), 0)
    assert match.chunks_read == match.chunks_sent


@given(st.floats(0.5, 2), st.integers(2, 50))
def test_a_stretched_stream_is_an_error_of_tpot_by_the_stretch(
    factor: float, chunks: int
) -> None:
    sent = sent_answer(0, 0, (2,) * chunks)
    first = sent.sent_ns[0]
    stamps = tuple(first + round((at - first) * factor) for at in sent.sent_ns)
    timed = replace(timed_answer(sent), stamps=stamps)
    match = match_schedule([timed], [sent])
    assert match.tpot_error_p50 == pytest.approx(factor - 1, abs=1e-6)
    assert match.ttft_error_p50_s == 0


@given(st.permutations(range(6)))
def test_answers_are_matched_by_their_number_in_any_order(order: list[int]) -> None:
    sent = [sent_answer(n, n * 7 * MS) for n in range(6)]
    match = match_schedule([timed_answer(sent[n], MS) for n in order], sent)
    assert match.lag_p99_s == pytest.approx(0.001)
    assert match.unmatched == 0


def test_what_one_side_does_not_know_is_unmatched_and_compared_with_nothing() -> None:
    sent = [sent_answer(0, 0), sent_answer(1, 0)]
    timed = [timed_answer(sent[0]), timed_answer(sent_answer(9, 0), 10**9)]
    match = match_schedule(timed, sent)
    assert (match.answers, match.unmatched) == (1, 2)
    assert match.lag_p99_s == 0


def test_more_stamps_than_sends_cannot_be_matched() -> None:
    sent = sent_answer(0, 0)
    timed = timed_answer(sent)
    more = replace(timed, stamps=(*timed.stamps, timed.stamps[-1]))
    assert match_schedule([more], [sent]).unmatched == 2


def test_a_chunk_that_was_never_read_is_the_difference_of_the_counts() -> None:
    sent = sent_answer(0, 0)
    timed = timed_answer(sent)
    match = match_schedule([replace(timed, stamps=timed.stamps[:-3])], [sent])
    assert match.chunks_sent - match.chunks_read == 3


def test_a_late_server_is_seen_by_its_own_schedule_and_is_no_lag() -> None:
    sent = sent_answer(0, 0)
    late = replace(sent, sent_ns=tuple(at + 7 * MS for at in sent.sent_ns))
    match = match_schedule([timed_answer(late)], [late])
    assert match.late_p99_s == pytest.approx(0.007)
    assert match.lag_p99_s == 0
    assert match.ttft_error_p99_s == 0


def test_nothing_to_compare_is_unknown_and_not_zero() -> None:
    match = match_schedule([], [])
    assert match.lag_p50_s is None
    assert match.ttft_error_p50_s is None
    assert match.tpot_error_p99 is None
    assert match.late_p99_s is None


def test_one_token_has_a_ttft_and_no_tpot() -> None:
    sent = sent_answer(0, 0, (1,))
    match = match_schedule([timed_answer(sent)], [sent])
    assert match.ttft_error_p50_s == 0
    assert match.tpot_error_p50 is None


@given(
    streams=st.integers(1, 7),
    each=st.integers(2, 5),
    chunks=st.integers(2, 9),
)
def test_busy_streams_give_the_scheduled_rate_wherever_they_began(
    streams: int, each: int, chunks: int
) -> None:
    sample = sent_answer(0, 0, (1,) * chunks)
    period_ns = sample.sent_ns[-1]
    timed = [
        timed_answer(
            sent_answer(
                0, slot * period_ns // streams + turn * period_ns, (1,) * chunks
            )
        )
        for slot in range(streams)
        for turn in range(each)
    ]
    rate = busy_chunk_rate(timed, streams, period_ns / 1e9)
    assert rate == pytest.approx(streams * chunks / (period_ns / 1e9), rel=1e-6)


def test_pauses_between_answers_lower_the_delivered_rate() -> None:
    period_ns = sent_answer(0, 0).sent_ns[-1]
    timed = [timed_answer(sent_answer(0, turn * 2 * period_ns)) for turn in range(9)]
    rate = busy_chunk_rate(timed, 1, period_ns / 1e9)
    assert rate == pytest.approx(10 / (period_ns / 1e9) / 2, rel=0.1)


def test_less_than_a_period_with_all_streams_busy_has_no_rate() -> None:
    sent = sent_answer(0, 0)
    period_s = sent.sent_ns[-1] / 1e9
    assert busy_chunk_rate([], 1, period_s) is None
    assert busy_chunk_rate([timed_answer(sent)], 2, period_s) is None
    assert busy_chunk_rate([timed_answer(sent)], 1, 2 * period_s) is None


def test_the_error_furthest_from_zero_counts_whatever_its_sign() -> None:
    assert further_off(0.1, -0.2, None) == -0.2
    assert further_off(None) is None
