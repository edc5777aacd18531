"""The list of rules: every finding is heard, a clean cell has none."""

from specbench.analysis.validity import RULES, judge_cell
from tests.factories import acceptance, cell_stats
from tests.unit.analysis.rules.verdicts import ARM, BASE


def test_a_clean_cell_has_no_finding() -> None:
    assert judge_cell(cell_stats(), BASE) == ()
    assert judge_cell(cell_stats(acceptance=acceptance()), ARM) == ()


def test_every_rule_that_finds_something_is_heard() -> None:
    spoilt = cell_stats(waiting=3.0, preemptions=2.0, looping_share=0.5)
    codes = [finding.code for finding in judge_cell(spoilt, BASE)]
    assert codes == ["queueing", "preemption", "looping"]


def test_no_rule_is_listed_twice() -> None:
    assert len(set(RULES)) == len(RULES)


def test_a_void_finding_voids_the_cell_and_a_flag_does_not() -> None:
    voided = cell_stats(findings=judge_cell(cell_stats(completed=0), BASE))
    flagged = cell_stats(findings=judge_cell(cell_stats(waiting=2.0), BASE))
    assert voided.is_void
    assert flagged.findings
    assert not flagged.is_void
