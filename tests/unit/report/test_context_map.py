"""The speedup map in tables, words, Markdown, CSV and JSON."""

import csv
import io
import json
from dataclasses import replace

import pytest

from specbench.analysis.run import conclude
from specbench.report.context_map import CellKind, ContextMap, make_maps
from specbench.report.context_tables import context_tables
from specbench.report.context_words import (
    break_even_lines,
    cell_words,
    critical_line,
    critical_words,
    planned_out_lines,
)
from specbench.report.csv_files import contexts_csv
from specbench.report.facts import LossyArm
from specbench.report.json_report import report_document, report_json
from specbench.report.markdown import report_markdown
from specbench.report.markdown_contexts import context_lines
from specbench.report.tables import run_tables
from specbench.schema.comparison import SpeedupMetric
from specbench.schema.context import (
    CriticalContext,
    CriticalOutcome,
    Direction,
    LoadTrend,
    PlannedOut,
)
from specbench.schema.sweep import BASELINE
from tests.factories import condition
from tests.golden.example_findings import example_facts, example_findings
from tests.golden.rendering import render
from tests.golden.synthetic import make_facts
from tests.unit.analysis.contexts_of import Grid, grid_cells
from tests.unit.report.contexts import WHY, map_findings

FINDINGS = map_findings()
FACTS = make_facts(FINDINGS)


def throughput_map() -> ContextMap:
    first, *_ = make_maps(FINDINGS)
    return first


def test_rows_are_contexts_and_columns_are_loads_both_rising() -> None:
    shown = throughput_map()
    assert shown.metric is SpeedupMetric.THROUGHPUT
    assert shown.contexts == (0, 512, 2048, 8192)
    assert [c.concurrency for c in shown.loads] == [1, 4, 16]
    assert all(len(row) == 3 for row in shown.rows)


def test_each_cell_says_what_is_known_there() -> None:
    kinds = [[cell.kind for cell in row] for row in throughput_map().rows]
    compared = CellKind.COMPARED
    assert kinds == [
        [compared, compared, CellKind.NOT_MEASURED],
        [compared, compared, compared],
        [compared, compared, CellKind.NO_SPEEDUP],
        [compared, compared, CellKind.PLANNED_OUT],
    ]


def test_cells_are_said_with_interval_and_marks() -> None:
    rows = throughput_map().rows
    assert cell_words(rows[1][0]).startswith("1.30 [1.2")
    assert cell_words(rows[2][1]).startswith("1.00")
    assert "? [" in cell_words(rows[2][1])
    assert "q [" in cell_words(rows[3][1])
    assert cell_words(rows[3][1], with_interval=False) == "1.25q"
    assert [cell_words(row[2]) for row in rows] == [
        "—",
        cell_words(rows[1][2]),
        "no speedup",
        "does not fit",
    ]


def test_one_context_makes_no_map_and_changes_no_report() -> None:
    findings, facts = example_findings(), example_facts()
    assert make_maps(findings) == ()
    assert context_tables(findings, facts) == ()
    assert context_lines(findings, facts) == []
    document = report_document(findings, facts)
    assert not {"over_context", "planned_out"} & set(document)


def test_two_metrics_of_a_closed_loop_have_a_map() -> None:
    assert [shown.metric for shown in make_maps(FINDINGS)] == [
        SpeedupMetric.THROUGHPUT,
        SpeedupMetric.TPOT,
    ]


def test_loads_of_the_same_answer_share_a_line() -> None:
    lines = break_even_lines(throughput_map())
    assert lines[0] == (
        "at concurrency 1: pays everywhere measured (to context 8192 tokens)"
    )
    assert any(line.startswith("at concurrency 4: ") for line in lines)


@pytest.mark.parametrize(
    ("speedups", "said"),
    [
        (
            {1024: {16: 1.3}, 8192: {16: 0.7}},
            "loses by capacity from context 8192 tokens (crosses at context ",
        ),
        (
            {1024: {16: 0.8}, 8192: {16: 0.7}},
            "loses by capacity from context 1024 tokens",
        ),
    ],
)
def test_capacity_is_said_with_the_context_from_which_only_the_arm_queues(
    speedups: Grid, said: str
) -> None:
    cells = [
        cell if cell.key.arm == BASELINE else replace(cell, waiting=6.0)
        for cell in grid_cells(speedups)
    ]
    shown, *_ = make_maps(conclude(cells, []))
    (line,) = break_even_lines(shown)
    assert line.startswith(f"at concurrency 16: {said}")
    assert "concurrency" not in line.removeprefix("at concurrency 16: ")


def test_the_critical_context_stands_below_the_map() -> None:
    findings = conclude(grid_cells(), [])
    shown, *_ = make_maps(findings)
    assert critical_line(shown) == (
        "critical context: between 2048 and 8192 tokens (speedup falls with the load"
        " at 2048 and grows at 8192)"
    )
    single, *_ = make_maps(conclude(grid_cells(deviations=(0.0,)), []))
    assert critical_line(single).endswith(", by the raw signs")


@pytest.mark.parametrize(
    ("outcome", "said"),
    [
        (
            CriticalOutcome.FALLS_EVERYWHERE,
            "critical context: none found, falls at every context measured",
        ),
        (
            CriticalOutcome.UNDECIDED,
            "critical context: undecided (speedup falls with the batch at 512; not told"
            " at 2048)",
        ),
        (
            CriticalOutcome.UNKNOWN,
            "critical context: none found, fewer than two contexts have two loads",
        ),
    ],
)
def test_without_a_critical_context_the_outcome_is_said(
    outcome: CriticalOutcome, said: str
) -> None:
    trends = (
        LoadTrend(512, -0.1, 0.01, Direction.FALLS),
        LoadTrend(2048, 0.01, 0.02, Direction.OPEN),
    )
    assert critical_words(CriticalContext(outcome, None, None, trends), "batch") == said


def test_what_does_not_fit_is_said_once_for_all_loads_and_data_sets() -> None:
    out = [
        PlannedOut(condition(load, context=8192, dataset=dataset), WHY)
        for dataset in ("a", "b")
        for load in (16, 64)
    ]
    assert planned_out_lines(out) == (
        f"target: context 8192 at concurrency 16, 64 was not measured: {WHY}",
    )
    open_loop = PlannedOut(condition(0, context=8192, request_rate=2.5), "no room")
    assert planned_out_lines([open_loop]) == (
        "target: context 8192 at 2.5 requests/s was not measured: no room",
    )


def test_the_terminal_shows_map_and_answers() -> None:
    text = render(run_tables(FINDINGS, FACTS), 120)
    assert "Speedup over batch x context" in text
    assert "does not fit" in text
    assert "at concurrency 1: pays everywhere measured" in text
    assert "critical context: " in text


@pytest.mark.parametrize("width", [60, 80, 160])
def test_a_narrow_terminal_leaves_out_intervals_before_it_breaks_lines(
    width: int,
) -> None:
    text = render(context_tables(FINDINGS, FACTS)[0], width)
    assert "1.30" in text
    assert all(len(line) <= width for line in text.splitlines())


def test_markdown_has_a_table_for_each_map() -> None:
    text = report_markdown(FINDINGS, FACTS)
    assert "### Speedup over batch x context" in text
    assert "| context | c 1 | c 4 | c 16 |" in text
    assert "| as is | 1.40" in text
    assert "| does not fit |" in text


def test_each_break_even_context_is_a_row_of_contexts_csv() -> None:
    """Concurrency 16 has a speedup at one context only."""
    rows = list(csv.DictReader(io.StringIO(contexts_csv(FINDINGS))))
    of_throughput = [row for row in rows if row["metric"] == "throughput"]
    assert [row["concurrency"] for row in of_throughput] == ["1", "4"]
    assert {row["critical"] for row in of_throughput} == {
        FINDINGS.over_context[0].critical.outcome.value
    }
    assert of_throughput[0]["trend_contexts"] == "512;2048;8192"
    assert of_throughput[0]["pays_context"] == "512;2048;8192"
    assert "context" not in rows[0]


def test_json_has_break_evens_over_contexts_and_what_was_planned_out() -> None:
    document = json.loads(report_json(FINDINGS, FACTS))
    over = document["over_context"][0]
    assert over["critical"]["outcome"] == FINDINGS.over_context[0].critical.outcome
    assert [one["concurrency"] for one in over["break_evens"]] == [1, 4]
    assert over["break_evens"][0]["answer"].startswith("pays everywhere measured")
    assert document["planned_out"][0]["why"] == WHY
    assert document["multiplicity"]["break_evens"] == len(FINDINGS.break_evens) + sum(
        len(o.break_evens) for o in FINDINGS.over_context
    )


def test_a_target_whose_contexts_were_all_planned_out_but_one_still_has_its_map() -> (
    None
):
    cells = grid_cells({512: {1: 1.2, 4: 1.1}})
    out = PlannedOut(condition(4, context=8192), WHY)
    shown, *_ = make_maps(conclude(cells, [], planned_out=[out]))
    assert shown.contexts == (512, 8192)
    assert shown.over is None
    assert [cell.kind for cell in shown.rows[1]] == [
        CellKind.NOT_MEASURED,
        CellKind.PLANNED_OUT,
    ]
    assert critical_line(shown) == ""


def test_an_arm_that_is_not_lossless_is_marked_in_the_titles() -> None:
    shown = throughput_map()
    lossy = replace(FACTS, lossy_arms=(LossyArm("target", "ngram", ("x = 1",)),))
    assert "ngram (not lossless)" in shown.title(lossy)
