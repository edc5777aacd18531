"""The tables in a terminal."""

import re
from dataclasses import replace

import pytest

from specbench.analysis.run import conclude
from specbench.report.facts import LossyArm
from specbench.report.tables import cell_tables, run_tables
from specbench.schema.findings import Finding, RunFindings, Severity
from tests.golden.example_findings import example_facts, example_findings
from tests.golden.rendering import render
from tests.golden.synthetic import ArmCourse, Course, make_cells, make_facts

LOADS = (1, 2, 4, 8, 16, 32, 64, 128, 256)
BIG = Course(
    "a-data-set-with-a-long-name",
    (150.0, 290.0, 560.0, 1050.0, 1900.0, 3300.0, 5400.0, 8100.0, 123456.0),
    {
        "eagle3-with-a-very-long-name-of-an-arm-k3": ArmCourse(
            (2.1, 1.9, 1.7, 1.5, 1.3, 1.1, 1.001, 0.999, 0.9),
            (2.1, 1.9, 1.7, 1.5, 1.3, 1.1, 1.001, 0.999, 0.9),
        )
    },
)


def big_findings() -> RunFindings:
    """Nine loads, three launches, long names, a long code."""
    long_code = Finding(Severity.FLAG, "output-lengths-differ", "differ", "look")
    cells = [
        replace(c, findings=(long_code,)) if c.key.replicate == 2 else c
        for c in make_cells((BIG,), LOADS, 3)
    ]
    return conclude(cells, [])


@pytest.mark.parametrize("width", [72, 80, 100, 160])
def test_no_line_is_wider_than_the_terminal_and_nothing_is_cut(width: int) -> None:
    for findings in (example_findings(), big_findings()):
        text = render(run_tables(findings, make_facts(findings)), width)
        assert max(map(len, text.splitlines())) <= width
        assert "…" not in text


@pytest.mark.parametrize("width", [80, 100, 160])
def test_no_figure_is_broken_by_a_narrow_terminal(width: int) -> None:
    wide = render(cell_tables(big_findings(), example_facts()), 400)
    narrow = render(cell_tables(big_findings(), example_facts()), width)
    figures = re.compile(r"\[[\d.]+, [\d.]+\]")
    assert figures.findall(narrow) == figures.findall(wide)


def test_hundred_columns_hold_one_table_a_block_and_eighty_two() -> None:
    def heads(width: int) -> int:
        text = render(cell_tables(example_findings(), example_facts()), width)
        return sum(line.startswith(" conc ") for line in text.splitlines())

    assert heads(100) == 2
    assert heads(80) == 4


def test_void_and_missing_are_words_and_need_no_colour() -> None:
    text = render(run_tables(example_findings(), example_facts()), 100)
    assert "VOID client-lag" in text
    assert "—  the sources disagree" in text
    assert "1 launch" in text


def test_an_arm_that_is_not_lossless_is_marked_above_its_figures_and_answers() -> None:
    findings = example_findings()
    (target,) = {c.key.condition.target for c in findings.cells}
    facts = replace(
        example_facts(), lossy_arms=(LossyArm(target, "ngram-k3", ("t = 0.9",)),)
    )
    text = render(run_tables(findings, facts), 100)
    # two data sets, each with its figures and its answer
    assert text.count("ngram-k3 (not lossless) · ") == 4
    assert "not lossless" not in render(run_tables(findings, example_facts()), 100)


def test_answers_neighbours_and_plain_rule_are_shown() -> None:
    text = render(run_tables(example_findings(), example_facts()), 100)
    assert "pays up to batch 2.6 (concurrency 2.6)" in text
    assert "pays everywhere measured (concurrency 1 to 16)" in text
    (row,) = [line for line in text.splitlines() if "batch 2.6" in line]
    assert row.split()[-1] == "4"


def test_failed_launches_and_skipped_entries_are_shown() -> None:
    text = " ".join(
        render(run_tables(example_findings(), example_facts()), 100).split()
    )
    assert "launch failed: launch 3 (draft-k3" in text
    assert "launches/3/engine.log" in text
    assert "grounded: 16 entries used, 2 skipped" in text


def test_empty_run_says_so() -> None:
    nothing = conclude([], [])
    text = render(run_tables(nothing, make_facts(nothing)), 80)
    assert "No cell was measured." in text
    assert "No break-even" in text


def test_undecided_shows_a_dash_and_not_none_slower() -> None:
    cells = [
        replace(c, output_throughput=None, tpot=None)
        for c in make_cells((BIG,), (1, 2), 1)
    ]
    findings = conclude(cells, [])
    text = render(run_tables(findings, make_facts(findings)), 100)
    rows = [line for line in text.splitlines() if "undecided" in line]
    assert len(rows) == 2
    assert all(row.split()[-1] == "—" for row in rows)


def test_baseline_alone_has_one_line_a_load() -> None:
    cells = [c for c in make_cells((BIG,), (1, 2), 1) if c.key.arm == "baseline"]
    text = render(cell_tables(conclude(cells, []), example_facts()), 80)
    lines = [line.split() for line in text.splitlines()]
    assert [line[:2] for line in lines if "base" in line] == [
        ["1", "base"],
        ["2", "base"],
    ]
    assert "baseline alone" in text


def test_usual_tpot_carries_a_mark_that_is_explained() -> None:
    cells = [replace(c, tpot_is_usual=True) for c in make_cells((BIG,), (1,), 1)]
    text = render(cell_tables(conclude(cells, []), example_facts()), 100)
    assert "6.00*" in text
    assert "*  TPOT in its usual form" in text
