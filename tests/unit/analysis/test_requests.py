"""Figures of one request: a chunk is not a token, a role is not a text, and what a
request does not have is None."""

import pytest

from specbench.analysis.latencies import itl_distribution
from specbench.analysis.requests import derive_figures, token_arrivals, token_chunks
from specbench.schema.sample import Chunk, Outcome
from tests.factories import (
    chunk,
    chunks_of,
    failed_sample,
    ns,
    role_chunk,
    sample,
    steady_sample,
)

# case H01: four text chunks of 3, 4, 2 and 3 tokens, 60 ms apart, after a role at 40
H01_ARRIVALS = (200.0, 260.0, 320.0, 380.0)
H01_SIZES = (3, 4, 2, 3)


def test_h01_without_counts_has_the_usual_form_and_says_so() -> None:
    chunks = chunks_of(H01_ARRIVALS, H01_SIZES, counted=False)
    figures = derive_figures(sample([role_chunk(40), *chunks], output_tokens=12))
    assert figures.ttft == pytest.approx(0.200)
    assert figures.e2e == pytest.approx(0.380)
    assert figures.tpot == pytest.approx(0.180 / 11)
    assert figures.tpot_usual == pytest.approx(0.180 / 11)
    assert figures.tpot_is_usual


def test_h01_with_counts_leaves_out_the_tokens_of_the_first_chunk() -> None:
    chunks = chunks_of(H01_ARRIVALS, H01_SIZES, counted=True)
    figures = derive_figures(sample([role_chunk(40, 0), *chunks]))
    assert figures.ttft == pytest.approx(0.200)
    assert figures.tpot == pytest.approx(0.180 / 9)
    assert figures.tpot_usual == pytest.approx(0.180 / 11)
    assert not figures.tpot_is_usual


def test_h01_spreads_each_gap_over_the_tokens_of_its_chunk() -> None:
    chunks = chunks_of(H01_ARRIVALS, H01_SIZES, counted=True)
    figures = derive_figures(sample([role_chunk(40, 0), *chunks]))
    assert [tokens for _, tokens in figures.gaps] == [4, 2, 3]
    per_token = [gap / (tokens or 1) for gap, tokens in figures.gaps]
    assert per_token == pytest.approx([0.015, 0.030, 0.020])
    itl = itl_distribution([figures])
    assert itl is not None
    assert itl.n == 9
    assert itl.mean == pytest.approx(0.020)


def test_h01_without_counts_has_chunk_gaps_and_no_inter_token_latency() -> None:
    chunks = chunks_of(H01_ARRIVALS, H01_SIZES, counted=False)
    figures = derive_figures(sample([role_chunk(40), *chunks], output_tokens=12))
    assert [gap for gap, _ in figures.gaps] == pytest.approx([0.06] * 3)
    assert itl_distribution([figures]) is None


def test_h05_reasoning_text_starts_the_clock_and_counts_once() -> None:
    reasoning = [
        Chunk(ns(120 + 40 * i), "think", is_reasoning=True, tokens_so_far=i + 1)
        for i in range(4)
    ]
    answer = [chunk(400 + 40 * i, 5 + i) for i in range(3)]
    figures = derive_figures(sample([role_chunk(30, 0), *reasoning, *answer]))
    assert figures.ttft == pytest.approx(0.120)
    assert figures.tpot == pytest.approx(0.360 / 6)
    assert figures.e2e == pytest.approx(0.480)


def test_h07_an_empty_output_has_no_figure_at_all() -> None:
    figures = derive_figures(sample([role_chunk(30, 0)], output_tokens=0))
    assert figures.ttft is None
    assert figures.e2e is None
    assert figures.tpot is None
    assert figures.tpot_usual is None
    assert figures.gaps == ()


@pytest.mark.parametrize("counted", [True, False])
def test_h07_one_token_has_a_first_text_and_no_time_per_token(counted: bool) -> None:
    figures = derive_figures(
        sample(chunks_of([100.0], [1], counted=counted), output_tokens=1)
    )
    assert figures.ttft == pytest.approx(0.100)
    assert figures.tpot is None
    assert figures.tpot_usual is None


def test_an_answer_that_came_in_one_chunk_has_no_time_per_token() -> None:
    figures = derive_figures(sample(chunks_of([100.0], [5], counted=True)))
    assert figures.tpot is None


def test_a_failed_request_has_no_figure_however_much_text_came() -> None:
    whole = chunks_of(H01_ARRIVALS, H01_SIZES, counted=True)
    figures = derive_figures(failed_sample(chunks=whole, output_tokens=12))
    assert (figures.ttft, figures.e2e, figures.tpot) == (None, None, None)


def test_without_the_servers_usage_there_is_no_time_per_token() -> None:
    figures = derive_figures(sample([chunk(100), chunk(150), chunk(200)]))
    assert figures.ttft == pytest.approx(0.100)
    assert figures.tpot is None
    assert figures.tpot_usual is None


def test_latencies_count_from_sent_and_not_from_scheduled() -> None:
    late = sample([chunk(300, 1)], scheduled_ms=0, sent_ms=50, end_ms=300)
    assert derive_figures(late).ttft == pytest.approx(0.250)


def test_an_end_token_without_text_is_a_token_and_its_arrival_is_the_last() -> None:
    chunks = [chunk(100, 1), chunk(120, 2), chunk(140, 3, text="")]
    figures = derive_figures(sample(chunks, output_tokens=3))
    assert figures.tpot == pytest.approx(0.020)


def test_tokens_that_came_before_the_first_text_belong_to_its_chunk() -> None:
    # half a character at 100 ms, the rest of it at 120: the text starts there
    chunks = [chunk(100, 1, text=""), chunk(120, 2, text="é"), chunk(140, 3)]
    figures = derive_figures(sample(chunks))
    assert figures.ttft == pytest.approx(0.120)
    assert figures.tpot == pytest.approx(0.020)
    ((gap, tokens),) = figures.gaps
    assert gap == pytest.approx(0.020)
    assert tokens == 1


def test_chunks_that_bring_neither_text_nor_a_count_carry_no_token() -> None:
    opening, text = role_chunk(10, 0), chunk(100, 2)
    closing = chunk(150, 2, text="")
    assert token_chunks((opening, text, closing)) == [text]


def test_arrivals_add_up_to_the_servers_count() -> None:
    chunks = [role_chunk(40, 0), *chunks_of(H01_ARRIVALS, H01_SIZES, counted=True)]
    arrivals = token_arrivals(sample(chunks, output_tokens=12))
    assert [a.tokens for a in arrivals] == [3, 4, 2, 3]
    assert [a.instant_ns for a in arrivals] == [ns(at) for at in H01_ARRIVALS]
    assert all(a.is_exact for a in arrivals)


def test_without_counts_the_total_is_spread_evenly_and_marked() -> None:
    chunks = [role_chunk(40), *chunks_of(H01_ARRIVALS, H01_SIZES, counted=False)]
    arrivals = token_arrivals(sample(chunks, output_tokens=12))
    assert [a.tokens for a in arrivals] == [3, 3, 3, 3]
    assert not any(a.is_exact for a in arrivals)


def test_one_token_in_one_chunk_is_exact_without_a_running_count() -> None:
    (arrival,) = token_arrivals(sample([chunk(100)], output_tokens=1))
    assert (arrival.tokens, arrival.is_exact) == (1, True)


def test_an_empty_output_brought_no_tokens() -> None:
    empty = sample([role_chunk(30, 0)], output_tokens=0)
    assert empty.outcome is Outcome.EMPTY
    assert token_arrivals(empty) == []


def test_exact_arrivals_account_for_every_token_of_the_usage() -> None:
    # the running counts end at 3, the usage event (no choice in it) says 4
    arrivals = token_arrivals(
        sample(chunks_of([1, 2, 3], [1, 1, 1], counted=True), output_tokens=4)
    )
    is_exact = all(a.is_exact for a in arrivals)
    assert not is_exact or sum(a.tokens for a in arrivals) == 4


def test_token_weighted_itl_of_one_request_is_its_tpot() -> None:
    # text held back at 120 ms leaves at 130 without a new token
    chunks = [chunk(100, 1), chunk(120, 2), chunk(130, 2), chunk(160, 3)]
    figures = derive_figures(sample(chunks))
    itl = itl_distribution([figures])
    assert itl is not None
    assert itl.mean == pytest.approx(figures.tpot)


def test_speculation_with_one_token_a_chunk_has_equal_forms() -> None:
    figures = derive_figures(steady_sample(0, 20, 15.0))
    assert figures.tpot == pytest.approx(figures.tpot_usual)
    assert figures.tpot == pytest.approx(0.015)
