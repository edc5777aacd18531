"""Acceptance by category of the data set."""

import pytest

from specbench.analysis.categories import acceptance_by_category
from specbench.analysis.missing import Missing
from specbench.schema.acceptance import CategoryAcceptance
from specbench.schema.drafting import RequestDrafts
from specbench.schema.sample import RequestSample
from tests.factories import steady_sample


def asked(*categories: str) -> list[RequestSample]:
    """A request of 11 tokens for each."""
    return [
        steady_sample(0, 11, 10.0, index=n, category=name)
        for n, name in enumerate(categories)
    ]


def said(passes: int, accepted: int) -> RequestDrafts:
    return RequestDrafts(passes, passes, 3 * passes, accepted, (accepted,), 3)


def by_category(
    samples: list[RequestSample], drafts: dict[int, RequestDrafts]
) -> tuple[CategoryAcceptance, ...]:
    found = acceptance_by_category(samples, drafts, "requests in the window")
    assert not isinstance(found, Missing)
    return found


def test_each_category_has_its_own_figures_by_name() -> None:
    drafts = {0: said(5, 5), 1: said(10, 0), 2: said(3, 7)}
    code, maths = by_category(asked("maths", "code", "maths"), drafts)
    assert (code.category, code.requests, code.acceptance.length) == ("code", 1, 1.0)
    assert (maths.category, maths.requests) == ("maths", 2)
    assert maths.acceptance.length == pytest.approx(1 + 12 / 8)
    assert maths.acceptance.rate == pytest.approx(12 / 24)
    assert (maths.decode_tokens, maths.steps) == (20, 8)
    assert maths.tokens_per_step == pytest.approx(2.5)
    assert maths.lengths is not None
    assert maths.lengths.n == 2


def test_one_silent_request_leaves_no_category() -> None:
    found = acceptance_by_category(asked("code", "maths"), {0: said(5, 5)}, "")
    assert isinstance(found, Missing)


def test_a_category_that_decoded_nothing_is_left_out() -> None:
    short = steady_sample(0, 1, 10.0, index=1, category="short")
    found = by_category([*asked("code"), short], {0: said(5, 5)})
    assert [one.category for one in found] == ["code"]


def test_without_steps_the_rest_of_a_category_stands() -> None:
    # more chunks than the accepted tokens leave steps for: the sources disagree
    unsure = RequestDrafts(None, 4, 12, 9, None, 3)
    (found,) = by_category(asked("code"), {0: unsure})
    assert found.acceptance.length == pytest.approx(1 + 9 / 4)
    assert (found.decode_tokens, found.steps, found.tokens_per_step) == (
        None,
        None,
        None,
    )


def test_a_data_set_without_categories_has_one() -> None:
    (found,) = by_category(asked("", ""), {0: said(5, 5), 1: said(5, 5)})
    assert (found.category, found.requests) == ("", 2)
