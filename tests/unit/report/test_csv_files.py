"""cells.csv and breakeven.csv as a stranger's script reads them."""

import csv
import io
import math
from collections import defaultdict
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from specbench.analysis.run import conclude
from specbench.report.columns import UNIT_SUFFIXES, write_value
from specbench.report.csv_files import (
    COLUMNS,
    breakeven_csv,
    cells_csv,
    columns_markdown,
)
from specbench.schema.comparison import SpeedupMetric
from specbench.schema.findings import RunFindings
from tests.golden.example_findings import LAG, example_findings
from tests.golden.synthetic import ArmCourse, Course, make_cells

ROOT = Path(__file__).parents[3]

SHARED = ("target", "dataset", "context", "temperature")
WHICH = ("replicate", "arm")

Rows = list[dict[str, str]]


def read(text: str) -> Rows:
    """Rows by column name."""
    return list(csv.DictReader(io.StringIO(text)))


def first_slower(rows: Rows, figure: str, is_time: bool) -> dict[tuple[str, ...], str]:
    """The plain rule, from the text alone: (target, arm, data set, context,
    temperature) -> first concurrency where the arm is slower, empty = nowhere."""
    values: dict[tuple[str, ...], float] = {}
    for row in rows:
        if row["void"] == "false" and row[figure]:
            key = tuple(row[name] for name in (*SHARED, "concurrency", *WHICH))
            values[key] = float(row[figure])
    ratios: dict[tuple[str, ...], dict[int, list[float]]] = defaultdict(
        lambda: defaultdict(list)
    )
    for (*shared, load, replicate, arm), value in values.items():
        base = values.get((*shared, load, replicate, "baseline"))
        if arm != "baseline" and base is not None:
            ratio = base / value if is_time else value / base
            ratios[(shared[0], arm, *shared[1:])][int(load)].append(ratio)
    answers: dict[tuple[str, ...], str] = {}
    for place, by_load in ratios.items():
        slower = [
            load
            for load, found in sorted(by_load.items())
            if math.exp(math.fsum(map(math.log, found)) / len(found)) < 1
        ]
        answers[place] = str(slower[0]) if slower else ""
    return answers


def check_plain_rule(findings: RunFindings) -> None:
    """Both metrics: the text of cells.csv says what the findings say."""
    rows = read(cells_csv(findings))
    for metric, figure in (
        (SpeedupMetric.THROUGHPUT, "output_throughput_tokens_per_s"),
        (SpeedupMetric.TPOT, "tpot_p50_s"),
    ):
        recomputed = first_slower(rows, figure, metric is SpeedupMetric.TPOT)
        for answer in findings.break_evens:
            c = answer.curve
            if c.metric is metric and any(p.speedup.n for p in c.points):
                place = (c.target, c.arm, c.dataset, str(c.context), str(c.temperature))
                found = answer.first_slower_concurrency
                assert recomputed[place] == ("" if found is None else str(found))


def test_first_slower_concurrency_follows_from_cells_csv_alone() -> None:
    findings = example_findings()
    check_plain_rule(findings)
    throughput = first_slower(
        read(cells_csv(findings)), "output_throughput_tokens_per_s", is_time=False
    )
    assert {place[2]: load for place, load in throughput.items()} == {
        "open": "4",
        "grounded": "",
    }


@settings(max_examples=40, deadline=None)
@given(
    ratios=st.lists(st.floats(0.5, 2.0), min_size=3, max_size=3),
    others=st.lists(st.floats(0.5, 2.0), min_size=3, max_size=3),
    voids=st.sets(st.integers(0, 11)),
)
def test_plain_rule_holds_for_any_speedups_and_void_cells(
    ratios: list[float], others: list[float], voids: set[int]
) -> None:
    course = Course(
        "d", (100.0, 200.0, 400.0), {"a": ArmCourse(tuple(ratios), tuple(others))}
    )
    cells = [
        replace(cell, findings=(LAG,)) if place in voids else cell
        for place, cell in enumerate(make_cells((course,), (1, 2, 4), 2))
    ]
    check_plain_rule(conclude(cells, []))


def test_break_even_rows_agree_with_the_plain_rule_column() -> None:
    findings = example_findings()
    rows = read(breakeven_csv(findings))
    assert [row["first_slower_concurrency"] for row in rows] == ["", "", "4", "2"]
    assert [row["slower_concurrency"].split(";")[0] for row in rows] == [
        "",
        "",
        "4",
        "2",
    ]
    assert rows[2]["outcome"] == "pays up to"
    assert (rows[2]["below_concurrency"], rows[2]["above_concurrency"]) == ("2", "4")


def test_each_cell_is_a_row_with_its_void_flag_and_codes() -> None:
    findings = example_findings()
    rows = read(cells_csv(findings))
    assert len(rows) == len(findings.cells)
    void = [row for row in rows if row["void"] == "true"]
    assert [(row["concurrency"], row["replicate"], row["flags"]) for row in void] == [
        ("16", "2", "client-lag")
    ]


def test_numbers_come_back_exactly() -> None:
    findings = example_findings()
    rows = read(cells_csv(findings))
    for row, cell in zip(rows, findings.cells, strict=True):
        assert cell.tpot
        assert float(row["tpot_p99_s"]) == cell.tpot.p99
        assert cell.whole_run.output_throughput == float(
            row["output_throughput_whole_run_tokens_per_s"]
        )


def test_missing_figure_is_empty_with_its_reason_and_never_nan() -> None:
    odd = [
        replace(c, output_throughput=math.nan, running_batch=math.inf)
        for c in example_findings().cells
    ]
    text = cells_csv(replace(example_findings(), cells=tuple(odd)))
    row = read(text)[0]
    assert row["output_throughput_tokens_per_s"] == ""
    assert row["running_batch"] == ""
    assert row["acceptance_rate"] == ""
    assert row["missing"] == (
        "acceptance: the server reports no speculation counters"
        " | gpu: no GPU was read in this cell"
    )
    assert "nan" not in text.lower().replace("finance", "")
    assert "inf" not in {field for r in read(text) for field in r.values()}


def test_words_with_commas_quotes_and_line_breaks_survive() -> None:
    message = 'HTTP 500: "boom",\nthen more'
    cells = tuple(replace(c, errors=(message, "b")) for c in example_findings().cells)
    (row, *_) = read(cells_csv(replace(example_findings(), cells=cells)))
    assert row["errors"] == f"{message} | b"


def test_lists_are_parted_and_a_missing_member_is_empty() -> None:
    assert write_value((0.5, None, 0.25)) == "0.5;;0.25"
    assert write_value({"stop": 3, "length": 1}) == "stop=3;length=1"
    assert write_value(()) == ""


@pytest.mark.parametrize("name", COLUMNS)
def test_column_names_are_unique_and_carry_their_unit(name: str) -> None:
    columns = COLUMNS[name]
    assert len({c.name for c in columns}) == len(columns)
    for column in columns:
        assert column.meaning
        if column.unit in UNIT_SUFFIXES:
            assert column.name.endswith(UNIT_SUFFIXES[column.unit])


def test_page_of_the_columns_is_up_to_date() -> None:
    page = (ROOT / "docs" / "columns.md").read_text(encoding="utf-8")
    assert page == columns_markdown()
