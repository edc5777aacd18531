"""Each rule at both sides of its bound, and a clean cell without a remark."""

from collections.abc import Callable
from typing import Any

import pytest

from specbench.analysis.validity import (
    RULES,
    CellContext,
    cache_hits,
    client_lag,
    errors,
    judge_cell,
    looping,
    no_drafts,
    no_text,
    preemption,
    queueing,
    short_window,
    useless_drafter,
)
from specbench.schema.findings import CellStats, Finding, Severity
from tests.factories import acceptance, cell_stats, latency

BASE = CellContext(expects_speculation=False)
ARM = CellContext(expects_speculation=True)
CACHED = CellContext(expects_speculation=False, is_caching_wanted=True)

Rule = Callable[[CellStats, CellContext], Finding | None]


def verdict(rule: Rule, context: CellContext = BASE, **changes: Any) -> str | None:
    """`severity code` of what the rule says about an otherwise clean cell."""
    found = rule(cell_stats(**changes), context)
    return None if found is None else f"{found.severity} {found.code}"


def test_a_clean_cell_has_no_finding() -> None:
    assert judge_cell(cell_stats(), BASE) == ()
    assert judge_cell(cell_stats(acceptance=acceptance()), ARM) == ()


def test_every_rule_that_finds_something_is_heard() -> None:
    spoilt = cell_stats(waiting=3.0, preemptions=2.0, looping_share=0.5)
    codes = [finding.code for finding in judge_cell(spoilt, BASE)]
    assert codes == ["queueing", "preemption", "looping"]


def test_no_rule_is_listed_twice() -> None:
    assert len(set(RULES)) == len(RULES)


@pytest.mark.parametrize(
    ("completed", "empty", "expected"),
    [
        (64, 0, None),
        (64, 63, None),
        (64, 64, "void no-text"),
        (0, 0, "void no-text"),
    ],
)
def test_a_cell_without_any_text_is_void(
    completed: int, empty: int, expected: str | None
) -> None:
    assert verdict(no_text, completed=completed, empty=empty) == expected


@pytest.mark.parametrize(
    ("completed", "failed", "expected"),
    [
        (100, 0, None),
        (99, 1, "flag some-errors"),
        (98, 2, "flag some-errors"),
        (97, 3, "void errors"),
        (0, 5, "void errors"),
        (0, 0, None),
    ],
)
def test_errors_beyond_two_percent_void_and_fewer_flag(
    completed: int, failed: int, expected: str | None
) -> None:
    found = verdict(errors, completed=completed, failed=failed, errors=("boom",))
    assert found == expected


def test_the_reason_of_the_failures_stands_in_the_message() -> None:
    found = errors(cell_stats(completed=3, failed=1, errors=("no memory",)), BASE)
    assert found is not None
    assert "no memory" in found.message
    assert "1 of 4" in found.message


@pytest.mark.parametrize(
    ("lag_ms", "tpot_ms", "expected"),
    [
        (None, 10.0, None),
        (5.0, 100.0, None),
        (5.0, 5.0, None),
        (3.1, 3.0, "void client-lag"),
        (3.0, 3.0, None),
        (5.1, 100.0, "flag some-client-lag"),
        (10.0, 100.0, "flag some-client-lag"),
        (10.1, 100.0, "void client-lag"),
        (5.1, None, "void client-lag"),
    ],
)
def test_client_lag_voids_beyond_5_ms_or_the_tpot_and_a_tenth_of_it(
    lag_ms: float | None, tpot_ms: float | None, expected: str | None
) -> None:
    found = verdict(
        client_lag,
        client_lag_p99=None if lag_ms is None else lag_ms / 1000,
        tpot=None if tpot_ms is None else latency(tpot_ms / 1000),
    )
    assert found == expected


@pytest.mark.parametrize(
    ("rate", "context", "expected"),
    [
        (None, BASE, None),
        (0.0, BASE, None),
        (0.01, BASE, None),
        (0.011, BASE, "void prefix-cache"),
        (0.875, BASE, "void prefix-cache"),
        (0.875, CACHED, None),
    ],
)
def test_cache_hits_void_unless_they_were_wanted(
    rate: float | None, context: CellContext, expected: str | None
) -> None:
    assert verdict(cache_hits, context, prefix_hit_rate=rate) == expected


def test_h15_the_hit_rate_stands_in_the_message() -> None:
    found = cache_hits(cell_stats(prefix_hit_rate=0.875), BASE)
    assert found is not None
    assert "87.5%" in found.message


@pytest.mark.parametrize(
    ("waiting", "expected"),
    [(None, None), (0.0, None), (0.49, None), (0.5, "flag queueing")],
)
def test_half_a_waiting_request_flags_queueing(
    waiting: float | None, expected: str | None
) -> None:
    assert verdict(queueing, waiting=waiting) == expected


@pytest.mark.parametrize(
    ("count", "expected"), [(None, None), (0.0, None), (1.0, "flag preemption")]
)
def test_one_preemption_flags(count: float | None, expected: str | None) -> None:
    assert verdict(preemption, preemptions=count) == expected


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


@pytest.mark.parametrize(
    ("share", "expected"),
    [(None, None), (0.0, None), (0.1, None), (0.101, "flag looping")],
)
def test_loops_over_a_tenth_are_flagged(
    share: float | None, expected: str | None
) -> None:
    assert verdict(looping, looping_share=share) == expected


@pytest.mark.parametrize(
    ("finished", "expected"), [(3, "flag short-window"), (4, None), (40, None)]
)
def test_fewer_than_four_requests_in_the_window_are_flagged(
    finished: int, expected: str | None
) -> None:
    found = verdict(short_window, window_s=8.0, request_throughput=finished / 8.0)
    assert found == expected


def test_a_cell_without_a_window_is_flagged_with_the_reason() -> None:
    stats = cell_stats(window_s=None, missing={"window_s": "a slot ran dry"})
    found = short_window(stats, BASE)
    assert found is not None
    assert found.code == "no-window"
    assert "a slot ran dry" in found.message


def test_a_void_finding_voids_the_cell_and_a_flag_does_not() -> None:
    voided = cell_stats(findings=judge_cell(cell_stats(completed=0), BASE))
    flagged = cell_stats(findings=judge_cell(cell_stats(waiting=2.0), BASE))
    assert voided.is_void
    assert flagged.findings
    assert not flagged.is_void


def test_four_requests_are_four_in_a_window_of_any_length() -> None:
    assert verdict(short_window, window_s=49.0, request_throughput=4 / 49.0) is None


def test_drafts_of_which_none_was_ever_accepted_are_flagged() -> None:
    useless = acceptance(
        accepted_tokens=0.0,
        rate=0.0,
        length=1.0,
        by_position=None,
        conditional_by_position=None,
    )
    assert judge_cell(cell_stats(acceptance=useless), ARM)
