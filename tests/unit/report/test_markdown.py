"""The report for a pull request."""

import re
from dataclasses import replace

from specbench.analysis.run import conclude
from specbench.report.markdown import report_markdown
from specbench.schema.findings import Finding, Severity
from tests.golden.example_findings import example_facts, example_findings
from tests.golden.synthetic import make_facts


def test_answers_come_before_figures() -> None:
    text = report_markdown(example_findings(), example_facts())
    assert text.index("**pays up to batch 2.6") < text.index("<details>")


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
    text = report_markdown(conclude(cells, []), example_facts())
    assert "a\\|b" in text


def test_empty_run_says_so() -> None:
    nothing = conclude([], [])
    text = report_markdown(nothing, make_facts(nothing))
    assert "No arm could be compared with its baseline." in text
