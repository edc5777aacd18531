"""The tables in a terminal."""

import re
from collections.abc import Callable
from dataclasses import replace

import pytest

from specbench.analysis.run import conclude
from specbench.report.answers_table import answers_table
from specbench.report.csv_files import breakeven_csv, speedups_csv
from specbench.report.facts import LossyArm
from specbench.report.json_report import report_json
from specbench.report.markdown import report_markdown
from specbench.report.tables import cell_tables, run_tables
from specbench.schema.findings import CellStats, Finding, RunFindings, Severity
from tests.golden.comparing import compare
from tests.golden.example_answers import example_answers
from tests.golden.example_findings import LAG, example_facts, example_findings
from tests.golden.rendering import render
from tests.golden.synthetic import ArmCourse, Course, make_cells, make_facts

Pick = Callable[[list[CellStats]], list[CellStats]]
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
    return compare(cells)


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


def test_figures_speedups_and_needed_tokens_are_three_tables_a_block() -> None:
    text = render(cell_tables(example_findings(), example_facts()), 100)
    heads = [line.split() for line in text.splitlines() if line.startswith(" conc ")]
    assert len(heads) == 6
    assert sum("tokens/s" in head for head in heads) == 2
    assert sum(head.count("speedup") == 3 for head in heads) == 2
    assert sum("prefill" in head for head in heads) == 2


def test_narrow_terminal_puts_an_interval_below_its_value() -> None:
    wide = render(cell_tables(big_findings(), example_facts()), 80)
    narrow = render(cell_tables(big_findings(), example_facts()), 60)
    assert any("2.11  [2.05, 2.17]" in line for line in wide.splitlines())
    assert not any("2.11  [2.05, 2.17]" in line for line in narrow.splitlines())
    assert "[2.05, 2.17]" in narrow


def test_speedup_that_is_not_told_from_one_carries_a_mark() -> None:
    text = render(cell_tables(example_findings(), example_facts()), 100)
    assert "1.03? [0.99, 1.06]" in text
    assert "1.27  [1.22, 1.32]" in text
    assert "?: not told from 1" in " ".join(text.split())


def test_noise_floor_has_this_run_and_the_aa_run() -> None:
    text = render(run_tables(example_findings(), example_facts()), 100)
    assert "grounded  baseline 1.2 / 0.72  1.2 / 0.72 1.2 / 0.72 2     5" in text
    assert "A/A run of 2026-02-27" in text
    assert "vllm 0.32.0" in text


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
    flat = " ".join(text.split())
    assert "pays up to batch 2.4 [1.9, 3.3] (concurrency" in flat
    assert "pays everywhere measured (to batch 15.7," in flat
    (row,) = [line for line in text.splitlines() if "to batch 2.4 [" in line]
    assert row.split()[-1] == "4"
    assert "arm's batch 2.4, jointly [1.8, 3.8]" in text
    assert "pays at concurrency 1, 2, 4, 8, 16" in text
    assert "next: p95 TPOT: measure more launches of each arm" in text


def test_failed_launches_and_skipped_entries_are_shown() -> None:
    text = " ".join(
        render(run_tables(example_findings(), example_facts()), 100).split()
    )
    assert "launch failed: launch 3 (draft-k3" in text
    assert "launches/3/engine.log" in text
    assert "grounded: 16 entries used, 2 skipped" in text


def test_empty_run_says_so() -> None:
    nothing = compare([])
    text = render(run_tables(nothing, make_facts(nothing)), 80)
    assert "No cell was measured." in text
    assert "No break-even" in text


def test_undecided_shows_a_dash_and_not_none_slower() -> None:
    cells = [
        replace(c, output_throughput=None, tpot=None)
        for c in make_cells((BIG,), (1, 2), 1)
    ]
    findings = compare(cells)
    text = render(run_tables(findings, make_facts(findings)), 100)
    rows = [line for line in text.splitlines() if "undecided" in line]
    assert len(rows) == 3
    assert all(row.split()[-1] == "—" for row in rows)


def test_baseline_alone_has_one_line_a_load() -> None:
    cells = [c for c in make_cells((BIG,), (1, 2), 1) if c.key.arm == "baseline"]
    text = render(cell_tables(compare(cells), example_facts()), 80)
    lines = [line.split() for line in text.splitlines()]
    assert [line[:2] for line in lines if "base" in line] == [
        ["1", "base"],
        ["2", "base"],
    ]
    assert "baseline alone" in text


def test_usual_tpot_carries_a_mark_that_is_explained() -> None:
    cells = [replace(c, tpot_is_usual=True) for c in make_cells((BIG,), (1,), 1)]
    text = render(cell_tables(compare(cells), example_facts()), 100)
    assert "6.00*" in text
    assert "*  TPOT in its usual form" in text


def test_answers_table_needs_no_run() -> None:
    answers = example_answers()
    text = render(answers_table(list(answers.values()), list(answers)), 100)
    for title in answers:
        assert f"\n{title}\n" in text
    flat = " ".join(text.split())
    assert "pays from context 8213 [7104, 9399] tokens" in flat
    assert "pays up to concurrency 61 [55, 68]" in flat
    assert "14 break-evens were looked for" in flat


def test_answers_over_contexts_have_contexts_beside_them() -> None:
    found = example_answers()["context"]
    text = render(answers_table([found], ["far"]), 100)
    (head,) = [line for line in text.splitlines() if " metric " in line]
    assert head.split() == ["metric", "answer", "context", "speedup", "slower"]
    (row,) = [line for line in text.splitlines() if line.startswith(" throughput ")]
    assert row.split()[-4:] == ["0.90", "[0.87,", "0.93]", "4000"]


@pytest.mark.parametrize(
    "pick",
    [
        lambda cells: [c for c in cells if c.key.arm != "baseline"],
        lambda cells: [replace(c, findings=(LAG,)) for c in cells],
        lambda cells: [replace(c, output_throughput=None, tpot=None) for c in cells],
        lambda cells: [replace(c, running_batch=None) for c in cells],
        lambda cells: [replace(c, tokens_per_step=None) for c in cells],
        lambda cells: cells[:1],
        lambda _: [],
    ],
    ids=[
        "no baseline",
        "all void",
        "no figures",
        "no batch",
        "no steps",
        "one",
        "none",
    ],
)
def test_a_run_with_little_to_say_still_says_it(pick: Pick) -> None:
    findings = conclude(pick(list(example_findings().cells)), [])
    facts = make_facts(findings)
    text = render(run_tables(findings, facts), 80)
    assert max(map(len, text.splitlines())) <= 80
    assert report_markdown(findings, facts)
    assert report_json(findings, facts)
    assert speedups_csv(findings)
    assert breakeven_csv(findings)
