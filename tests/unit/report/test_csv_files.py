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
    speedups_csv,
)
from specbench.schema.comparison import SpeedupMetric
from specbench.schema.findings import RunFindings
from tests.golden.example_answers import example_answers
from tests.golden.example_findings import LAG, example_findings
from tests.golden.synthetic import ArmCourse, Course, make_cells

ROOT = Path(__file__).parents[3]

SHARED = ("target", "dataset", "context", "temperature")

Rows = list[dict[str, str]]


def read(text: str) -> Rows:
    """Rows by column name."""
    return list(csv.DictReader(io.StringIO(text)))


def first_slower(rows: Rows, figure: str, is_time: bool) -> dict[tuple[str, ...], str]:
    """The plain rule, from the text alone: (target, arm, data set, context,
    temperature) -> first concurrency where the arm is slower, empty = nowhere."""
    logs: dict[tuple[str, ...], list[float]] = defaultdict(list)
    for row in rows:
        if row["void"] == "false" and row[figure]:
            key = tuple(row[name] for name in (*SHARED, "concurrency", "arm"))
            logs[key].append(math.log(float(row[figure])) * (-1 if is_time else 1))
    means = {key: math.fsum(found) / len(found) for key, found in logs.items()}
    answers: dict[tuple[str, ...], list[int]] = {}
    for (*shared, load, arm), value in means.items():
        base = means.get((*shared, load, "baseline"))
        if arm != "baseline" and base is not None:
            slower = answers.setdefault((shared[0], arm, *shared[1:]), [])
            slower += [int(load)] if value < base else []
    return {place: str(min(at)) if at else "" for place, at in answers.items()}


def check_plain_rule(findings: RunFindings) -> None:
    """By each metric: the text of cells.csv says what the findings say."""
    rows = read(cells_csv(findings))
    for metric, figure in (
        (SpeedupMetric.THROUGHPUT, "output_throughput_tokens_per_s"),
        (SpeedupMetric.TPOT, "tpot_p50_s"),
        (SpeedupMetric.TPOT_P95, "tpot_p95_s"),
    ):
        recomputed = first_slower(rows, figure, metric is not SpeedupMetric.THROUGHPUT)
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
    rows = read(breakeven_csv(example_findings()))
    slower = [row["first_slower_concurrency"] for row in rows]
    assert slower == ["", "", "", "4", "2", "1"]
    assert [row["slower_concurrency"].split(";")[0] for row in rows] == slower
    assert [row["outcome"] for row in rows[3:]] == [
        "pays up to",
        "pays up to",
        "undecided",
    ]
    assert (rows[3]["below_concurrency"], rows[3]["above_concurrency"]) == ("2", "4")
    assert (rows[3]["below_side"], rows[3]["above_side"]) == ("open", "loses")


def answer_rows() -> dict[str, dict[str, str]]:
    """One row for each of the example answers."""
    answers = example_answers()
    findings = replace(example_findings(), break_evens=tuple(answers.values()))
    return dict(zip(answers, read(breakeven_csv(findings)), strict=True))


def test_break_even_stands_in_the_column_of_its_axis_with_its_interval() -> None:
    rows = answer_rows()
    columns = ("break_even_batch", "break_even_batch_low", "break_even_batch_high")
    assert [rows["pays up to"][name] for name in columns] == ["61.3", "55.2", "68.4"]
    assert rows["pays up to"]["axis"] == "running batch"
    over = rows["context"]
    assert [over[name] for name in columns] == ["", "", ""]
    assert over["break_even_concurrency"] == ""
    assert over["break_even_context"] == "8213.4"
    assert rows["concurrency"]["break_even_batch"] == ""
    assert float(rows["concurrency"]["break_even_concurrency"]) > 60


def test_open_end_of_an_interval_is_told_from_no_interval() -> None:
    rows = answer_rows()
    assert {name: row["interval"] for name, row in rows.items()} == {
        "pays up to": "closed",
        "open interval": "open above",
        "one launch": "none",
        "one launch, everywhere": "",
        "unknown batch": "closed",
        "concurrency": "closed",
        "context": "closed",
        "everywhere": "",
        "never": "",
        "several": "",
        "capacity": "closed",
        "undecided": "closed",
        "undecided, open to both sides": "open",
        "nothing": "",
    }
    assert rows["one launch"]["no_interval"].startswith("one launch of each arm")
    assert rows["pays up to"]["joint_low"] == "50.1"
    assert rows["pays up to"]["joint_high"] == ""


def test_what_is_merely_possible_is_no_break_even() -> None:
    row = answer_rows()["undecided"]
    assert row["break_even_batch"] == ""
    assert (row["possible_crossing"], row["possible_crossing_low"]) == ("10.0", "3.1")
    assert answer_rows()["pays up to"]["possible_crossing"] == ""
    assert (row["below_concurrency"], row["above_concurrency"]) == ("8", "64")


def test_several_crossings_stand_in_one_column() -> None:
    row = answer_rows()["several"]
    assert row["crossings"] == "2.96;9.1;33.1"
    assert row["break_even_batch"] == ""
    assert answer_rows()["pays up to"]["crossings"] == ""


def test_loads_are_listed_by_side_on_their_own_axis() -> None:
    rows = answer_rows()
    by_load = ("pays_concurrency", "open_concurrency", "loses_concurrency")
    assert [rows["pays up to"][name] for name in by_load] == ["32", "64", "128"]
    assert [rows["context"][name] for name in by_load] == ["", "", ""]
    assert rows["context"]["pays_context"] == "32000"
    assert rows["context"]["first_slower_context"] == "4000"
    assert rows["context"]["first_slower_concurrency"] == ""
    assert rows["pays up to"]["pays_context"] == ""


def test_each_speedup_is_a_row_with_interval_side_and_needed_tokens() -> None:
    findings = example_findings()
    rows = read(speedups_csv(findings))
    points = [(c, p) for c in findings.curves for p in c.points]
    assert len(rows) == len(points)
    for row, (curve, point) in zip(rows, points, strict=True):
        assert row["metric"] == curve.metric.value
        assert row["side"] == point.side.value
        assert float(row["speedup"]) == point.speedup.value
        interval = point.speedup.interval
        assert row["speedup_interval_low"] == (repr(interval.low) if interval else "")
        assert (row["no_interval"] == "") is (interval is not None)
        needed = point.need.needs.value if point.need else None
        assert row["needed_tokens_per_step"] == ("" if needed is None else repr(needed))


def test_speedups_say_why_a_figure_is_missing() -> None:
    rows = read(speedups_csv(example_findings()))
    (row,) = [
        row
        for row in rows
        if (row["dataset"], row["concurrency"], row["metric"])
        == ("open", "4", "throughput")
    ]
    assert row["tokens_per_step"] == ""
    assert row["missing"].startswith("tokens_per_step: the sources disagree")


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
