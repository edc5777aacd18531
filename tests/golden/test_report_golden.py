"""The reports of a fixed record, byte by byte."""

import pytest

from specbench.report.answers_table import answers_table
from specbench.report.csv_files import breakeven_csv, cells_csv, speedups_csv
from specbench.report.json_report import report_json
from specbench.report.markdown import report_markdown
from specbench.report.tables import run_tables
from tests.golden.conftest import Golden
from tests.golden.example_answers import example_answers
from tests.golden.example_findings import (
    example_facts,
    example_findings,
    small_findings,
)
from tests.golden.rendering import render


@pytest.mark.parametrize("width", [80, 100, 160])
def test_tables_look_as_reviewed(golden: Golden, width: int) -> None:
    text = render(run_tables(example_findings(), example_facts()), width)
    golden(f"tables-{width}.txt", text)


def test_each_kind_of_answer_looks_as_reviewed(golden: Golden) -> None:
    answers = example_answers()
    table = answers_table(list(answers.values()), list(answers))
    golden("answers-100.txt", render(table, 100))


def test_markdown_looks_as_reviewed(golden: Golden) -> None:
    golden("report.md", report_markdown(example_findings(), example_facts()))


def test_break_even_rows_are_as_reviewed(golden: Golden) -> None:
    golden("breakeven.csv", breakeven_csv(example_findings()))


def test_speedup_rows_are_as_reviewed(golden: Golden) -> None:
    golden("speedups.csv", speedups_csv(example_findings()))


def test_cell_rows_are_as_reviewed(golden: Golden) -> None:
    golden("cells.csv", cells_csv(small_findings()))


def test_json_document_is_as_reviewed(golden: Golden) -> None:
    golden("report.json", report_json(small_findings(), example_facts()))
