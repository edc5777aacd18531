"""H01, any grouping of tokens into chunks at any instants: what is counted are tokens,
by the server's word, and a time per token is never a time per chunk."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specbench.analysis.latencies import gap_distribution, itl_distribution
from specbench.analysis.requests import derive_figures, token_arrivals
from specbench.schema.sample import Outcome, RequestSample
from tests.cases.answers import DONE, ROLE, STOP, Timed, answered, said, usage_bytes
from tests.fuzz.streams import counts

SIZES = st.lists(st.integers(1, 9), min_size=1, max_size=14)
GAPS = st.lists(st.integers(1, 500), min_size=15, max_size=15)
"""Milliseconds before each chunk."""


def arrivals(sizes: list[int], gaps: list[int]) -> list[int]:
    at = 40
    found = []
    for gap in gaps[: len(sizes)]:
        at += gap
        found.append(at)
    return found


def answer(sizes: list[int], gaps: list[int], *, counted: bool) -> RequestSample:
    """A role at 40 ms, the chunks, and the server's total."""
    timed: list[Timed] = [(40, ROLE)]
    so_far = 0
    for at, size in zip(arrivals(sizes, gaps), sizes, strict=False):
        so_far += size
        usage = {"usage": counts(11, so_far)} if counted else {}
        timed.append((at, said({"content": " w" * size}, **usage)))
    end = timed[-1][0]
    timed += [(end, STOP), (end, usage_bytes(11, so_far)), (end, DONE)]
    return answered(timed)


@given(SIZES, GAPS, st.booleans())
def test_tokens_and_first_text_do_not_depend_on_the_chunks(
    sizes: list[int], gaps: list[int], counted: bool
) -> None:
    sample = answer(sizes, gaps, counted=counted)
    assert sample.outcome is Outcome.OK
    assert sample.output_tokens == sum(sizes)
    figures = derive_figures(sample)
    first, last = arrivals(sizes, gaps)[0], arrivals(sizes, gaps)[-1]
    assert figures.ttft == pytest.approx(first / 1000)
    assert figures.e2e == pytest.approx(last / 1000)
    total = sum(arrival.tokens for arrival in token_arrivals(sample))
    assert total == pytest.approx(sum(sizes))


@given(SIZES, GAPS)
def test_with_counts_the_time_per_token_leaves_out_the_first_chunks_tokens(
    sizes: list[int], gaps: list[int]
) -> None:
    figures = derive_figures(answer(sizes, gaps, counted=True))
    at = arrivals(sizes, gaps)
    assert not figures.tpot_is_usual
    rest = sum(sizes) - sizes[0]
    if rest == 0:
        assert figures.tpot is None
        assert itl_distribution([figures]) is None
        return
    assert figures.tpot == pytest.approx((at[-1] - at[0]) / 1000 / rest)
    itl = itl_distribution([figures])
    assert itl is not None
    assert itl.n == rest
    assert itl.mean == pytest.approx(figures.tpot)


@given(SIZES, GAPS)
def test_without_counts_it_is_the_usual_form_and_no_gap_is_per_token(
    sizes: list[int], gaps: list[int]
) -> None:
    figures = derive_figures(answer(sizes, gaps, counted=False))
    at = arrivals(sizes, gaps)
    assert figures.tpot_is_usual
    assert figures.tpot == figures.tpot_usual
    if sum(sizes) > 1:
        usual = (at[-1] - at[0]) / 1000 / (sum(sizes) - 1)
        assert figures.tpot == pytest.approx(usual)
    if len(sizes) > 1:
        assert itl_distribution([figures]) is None


@given(SIZES.filter(lambda sizes: len(sizes) > 1), GAPS, st.booleans())
def test_gaps_between_chunks_are_kept_under_their_own_name(
    sizes: list[int], gaps: list[int], counted: bool
) -> None:
    found = gap_distribution([derive_figures(answer(sizes, gaps, counted=counted))])
    expected = sorted((b - a) / 1000 for a, b in pairwise(arrivals(sizes, gaps)))
    assert found is not None
    assert found.n == len(expected)
    assert found.mean == pytest.approx(sum(expected) / len(expected))


@given(SIZES, SIZES, GAPS)
def test_one_token_each_gives_equal_forms(
    sizes: list[int], others: list[int], gaps: list[int]
) -> None:
    """The two forms are equal exactly when the first chunk holds one token."""
    figures = derive_figures(answer([1, *others], gaps, counted=True))
    assert figures.tpot == pytest.approx(figures.tpot_usual)
    if sum(sizes) > sizes[0] > 1 and len(set(arrivals(sizes, gaps))) > 1:
        other = derive_figures(answer(sizes, gaps, counted=True))
        assert other.tpot is not None
        assert other.tpot_usual is not None
        assert other.tpot > other.tpot_usual
