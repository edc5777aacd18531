"""The report for a pull request."""

import re
from dataclasses import replace

from specbench.report.markdown import report_markdown
from specbench.schema.findings import Finding, Severity
from tests.golden.comparing import compare
from tests.golden.example_findings import example_facts, example_findings
from tests.golden.synthetic import make_facts


def test_answers_come_before_figures() -> None:
    text = report_markdown(example_findings(), example_facts())
    assert text.index("**pays up to batch 2.4 [1.9") < text.index("<details>")


def test_loads_neighbours_joint_interval_and_noise_are_in_the_text() -> None:
    text = report_markdown(example_findings(), example_facts())
    assert "arm's batch 2.4, jointly [1.8, 3.8]" in text
    assert "pays at concurrency 1; not told from 1 at 2; loses at 4, 8, 16" in text
    assert "0.94 [0.91, 0.98] at batch 3.9 (concurrency 4)" in text
    assert "| grounded | baseline | 1.2 / 0.72 |" in text
    assert "A/A run of 2026-02-27" in text
    assert "Next: p95 TPOT: measure more launches of each arm" in text
    assert "6 break-evens were looked for" in text


def test_needed_tokens_stand_below_the_figures_and_apparent_ones_say_why() -> None:
    bare = [replace(c, prefill_share=None) for c in example_findings().cells]
    text = report_markdown(compare(bare), example_facts())
    assert "| concurrency | batch | gets | needs for throughput |" in text
    assert "| ~0.73 [0.70, 0.75] |" in text
    assert "\\~ the baseline's decode steps were not seen apart from prefill" in text


def test_one_launch_says_that_there_is_no_interval_and_why() -> None:
    one = [c for c in example_findings().cells if c.key.replicate == 1]
    text = report_markdown(compare(one), example_facts())
    assert "[no interval]" in text
    assert "No interval: one launch of each arm" in text
    assert "Launch noise is not known" in text
    assert "break-evens were looked for" not in text


def test_every_table_row_has_as_many_fields_as_its_head() -> None:
    text = report_markdown(example_findings(), example_facts())
    width = None
    for line in text.splitlines():
        if not line.startswith("|"):
            width = None
            continue
        fields = len(re.split(r"(?<!\\)\|", line))
        width = width or fields
        assert fields == width


def test_window_share_and_drift_stand_in_the_figures_with_reasons_for_dashes() -> None:
    findings = example_findings()
    text = report_markdown(findings, example_facts())
    assert "| window share | drift |" in text
    assert "| 0.75 / 0.75 | 1.00 / 1.00 |" in text
    short = tuple(
        replace(c, drift=None, missing={**c.missing, "drift": "too few requests"})
        for c in findings.cells
    )
    text = report_markdown(replace(findings, cells=short), example_facts())
    assert "too few requests: baseline drift at 1, 2, 4, 8, 16" in text


def test_words_of_others_do_not_become_markup() -> None:
    nasty = Finding(
        Severity.FLAG, "errors", "<script>|\n# head\n**bold** _x_ [a](b)", "look"
    )
    cells = tuple(replace(c, findings=(nasty,)) for c in example_findings().cells)
    findings = replace(
        example_findings(), cells=cells, failed_launches=("died: <b>`x`\n- y",)
    )
    text = report_markdown(findings, example_facts())
    assert "<script>" not in text
    assert "\n# head" not in text
    assert "\\*\\*bold\\*\\* \\_x\\_ \\[a\\](b)" in text
    assert "died: \\<b\\>\\`x\\` - y" in text


def test_bar_in_a_name_does_not_split_a_field() -> None:
    findings = example_findings()
    cells = tuple(
        replace(c, findings=(replace(f, code="a|b"),))
        for c in findings.cells
        for f in c.findings
    )
    text = report_markdown(compare(cells), example_facts())
    assert "a\\|b" in text


def test_empty_run_says_so() -> None:
    nothing = compare([])
    text = report_markdown(nothing, make_facts(nothing))
    assert "No arm could be compared with its baseline." in text
