"""What is said of intervals."""

from dataclasses import replace

from specbench.report.brackets import interval_notes, multiplicity_note
from tests.golden.comparing import compare
from tests.golden.example_answers import example_answers
from tests.golden.example_findings import example_facts, example_findings


def test_brackets_are_intervals_with_launches_as_replicates() -> None:
    notes = interval_notes(example_findings(), example_facts())
    assert notes[0] == (
        "[low, high]: 95 % interval, launches as replicates (2 launches per arm)."
    )


def test_each_reason_for_no_interval_is_said_once() -> None:
    one = [c for c in example_findings().cells if c.key.replicate == 1]
    (note,) = interval_notes(compare(one), example_facts())
    assert note.startswith("No interval: one launch of each arm, and how much launches")
    assert note.count("--aa") == 1


def test_nothing_compared_needs_no_word_on_intervals() -> None:
    assert interval_notes(compare([]), example_facts()) == ()


def test_several_intervals_say_how_many_of_them_miss() -> None:
    note = multiplicity_note(example_findings().break_evens)
    assert note.startswith("6 break-evens were looked for")
    assert "each interval holds 95 % by itself" in note
    assert "0.30 miss on average" in note
    assert "joint ones hold all at once" in note


def test_one_interval_or_none_stands_among_no_others() -> None:
    answers = example_answers()
    assert multiplicity_note([answers["pays up to"]]) == ""
    assert multiplicity_note([answers["never"], answers["everywhere"]]) == ""
    assert multiplicity_note([]) == ""


def test_misses_grow_with_the_number_of_break_evens() -> None:
    many = [replace(example_answers()["pays up to"])] * 40
    assert "2.0 miss on average" in multiplicity_note(many)
