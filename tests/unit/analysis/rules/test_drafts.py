"""Whether the arm speculated, at both sides of each bound."""

from dataclasses import replace

import pytest

from specbench.analysis.rules.drafts import (
    no_drafts,
    routes_disagree,
    useless_drafter,
)
from specbench.schema.findings import Severity
from tests.factories import acceptance, cell_stats
from tests.unit.analysis.rules.verdicts import ARM, BASE, verdict


def test_an_arm_whose_acceptance_is_unknown_is_flagged_with_the_reason() -> None:
    stats = cell_stats(acceptance=None, missing={"acceptance": "no such series"})
    found = no_drafts(stats, ARM)
    assert found is not None
    assert (found.severity, found.code) == (Severity.FLAG, "acceptance-unknown")
    assert "no such series" in found.message


def test_an_arm_that_made_no_draft_is_flagged() -> None:
    idle = acceptance(drafts=0.0, rate=None, length=None, conditional_by_position=None)
    assert verdict(no_drafts, ARM, acceptance=idle) == "flag no-drafts"
    assert verdict(no_drafts, ARM, acceptance=acceptance(drafts=1.0)) is None


def test_a_server_without_speculation_is_not_asked_for_drafts() -> None:
    assert verdict(no_drafts, BASE, acceptance=None) is None


def test_a_server_that_can_draft_and_never_did_is_flagged_even_as_baseline() -> None:
    assert verdict(no_drafts, BASE, acceptance=acceptance(drafts=0.0))


@pytest.mark.parametrize(
    ("conditional", "expected"),
    [
        (None, None),
        ((), None),
        ((None, None), None),
        ((0.5, 0.1), None),
        ((0.499, 0.9), "flag low-acceptance"),
        ((0.0, None), "flag low-acceptance"),
    ],
)
def test_a_first_position_under_one_half_is_flagged(
    conditional: tuple[float | None, ...] | None, expected: str | None
) -> None:
    drafter = acceptance(conditional_by_position=conditional)
    assert verdict(useless_drafter, ARM, acceptance=drafter) == expected


def test_a_cell_without_acceptance_says_nothing_about_the_drafter() -> None:
    assert verdict(useless_drafter, ARM, acceptance=None) is None


def test_drafts_of_which_none_was_ever_accepted_are_flagged() -> None:
    useless = acceptance(
        accepted_tokens=0.0,
        rate=0.0,
        length=1.0,
        by_position=None,
        conditional_by_position=None,
    )
    found = verdict(useless_drafter, ARM, acceptance=useless)
    assert found == "flag nothing-accepted"


@pytest.mark.parametrize(
    ("difference", "expected"),
    [
        (None, None),
        (0.0, None),
        (0.02, None),
        (-0.02, None),
        (0.021, "flag acceptance-disagrees"),
        (-0.021, "flag acceptance-disagrees"),
    ],
)
def test_two_sources_of_the_same_drafts_may_differ_by_two_per_cent(
    difference: float | None, expected: str | None
) -> None:
    whole = replace(cell_stats().whole_run, acceptance_difference=difference)
    assert verdict(routes_disagree, ARM, whole_run=whole) == expected


def test_by_how_much_the_sources_differ_is_said() -> None:
    whole = replace(cell_stats().whole_run, acceptance_difference=-0.051)
    found = routes_disagree(cell_stats(whole_run=whole), ARM)
    assert found is not None
    assert "-5.1%" in found.message
