"""H08, counters in any order of lines and labels, beside their `_created` companions,
with model names that hold metric names, and absent at first: the growth is what counts,
and one plus the sum over positions is the length."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from specbench.schema.acceptance import Acceptance
from tests.cases.metrics_pages import (
    MODEL_NAMES,
    Drafted,
    engine_lines,
    found,
    growths,
    page,
)

SOME = st.integers(1, 6).flatmap(lambda k: st.tuples(growths(k), growths(k, 1)))
"""(counted before the window, grown inside it)."""


def assert_is_growth(acceptance: Acceptance, grown: Drafted) -> None:
    accepted = sum(grown.accepted)
    assert acceptance.drafts == grown.drafts
    assert acceptance.draft_tokens == grown.draft_tokens
    assert acceptance.accepted_tokens == accepted
    assert acceptance.rate == pytest.approx(accepted / grown.draft_tokens)
    assert acceptance.length == pytest.approx(1 + accepted / grown.drafts)
    shares = tuple(count / grown.drafts for count in grown.accepted)
    assert acceptance.by_position == pytest.approx(shares)
    assert acceptance.length == pytest.approx(1 + math.fsum(shares))


@settings(max_examples=150)
@given(SOME, MODEL_NAMES, st.data())
def test_growth_is_read_whatever_stands_around_it(
    counts: tuple[Drafted, Drafted], model: str, data: st.DataObject
) -> None:
    earlier, grown = counts
    pages = [
        page(data.draw, engine_lines(data.draw, counted, "0", model))
        for counted in (earlier, earlier.plus(grown))
    ]
    assert_is_growth(found(*pages), grown)


@settings(max_examples=100)
@given(SOME, MODEL_NAMES, st.sets(st.integers(0, 30)), st.data())
def test_series_that_are_absent_at_first_began_at_zero(
    counts: tuple[Drafted, Drafted],
    model: str,
    absent: set[int],
    data: st.DataObject,
) -> None:
    """Any of them: a series appears with its first count."""
    _, grown = counts
    zero = Drafted(0, 0, (0,) * len(grown.accepted))
    before = engine_lines(data.draw, zero, "0", model)
    before = [line for at, line in enumerate(before) if at not in absent]
    after = engine_lines(data.draw, grown, "0", model)
    pages = (page(data.draw, before), page(data.draw, after))
    assert_is_growth(found(*pages), grown)


@given(SOME, st.data())
def test_creation_times_alone_are_no_counts(
    counts: tuple[Drafted, Drafted], data: st.DataObject
) -> None:
    """A page may show when a counter was made before it shows the counter."""
    _, grown = counts
    lines = engine_lines(data.draw, grown, "0")
    created = [line for line in lines if "_created{" in line]
    pages = (page(data.draw, created), page(data.draw, lines))
    assert_is_growth(found(*pages), grown)
