"""A run over two engines at a glance: one row for each."""

import csv
import io
import json
from dataclasses import replace

from specbench.report.csv_files import breakeven_csv
from specbench.report.facts import RunFacts, TargetFacts
from specbench.report.json_report import report_json
from specbench.report.markdown import report_markdown
from specbench.report.tables import run_tables
from specbench.report.target_rows import TITLE, target_rows
from specbench.schema.comparison import SpeedupMetric
from specbench.schema.findings import RunFindings
from tests.golden.comparing import compare
from tests.golden.rendering import render
from tests.golden.synthetic import ArmCourse, Course, make_cells, make_facts

LOADS = (1, 2, 4, 8)
LOSES = Course("open", (100.0,) * 4, {"k3": ArmCourse((0.7,) * 4, (0.7,) * 4)})
WINS = Course("open", (100.0,) * 4, {"k3": ArmCourse((1.5,) * 4, (1.5,) * 4)})
TARGETS = (
    TargetFacts("on-vllm", "Llama-8B", "1x NVIDIA H200", "vllm 0.32.0"),
    TargetFacts("on-sglang", "Llama-8B", "2x NVIDIA H200", "sglang 0.5.23"),
)


def two_engines() -> tuple[RunFindings, RunFacts]:
    cells = [
        replace(
            cell,
            key=replace(
                cell.key, condition=replace(cell.key.condition, target=target.label)
            ),
        )
        for target, course in zip(TARGETS, (LOSES, WINS), strict=True)
        for cell in make_cells((course,), LOADS, 2)
    ]
    findings = compare(cells)
    return findings, replace(make_facts(findings), targets=TARGETS)


def test_each_model_gpu_and_engine_has_a_row_with_its_own_outcome() -> None:
    rows = target_rows(*two_engines())
    said = {row.target.engine: row.answers[SpeedupMetric.THROUGHPUT] for row in rows}
    assert len(rows) == 2
    assert said["vllm 0.32.0"].startswith("never pays")
    assert said["sglang 0.5.23"].startswith("pays everywhere measured")


def test_a_row_says_model_gpus_engine_arm_and_what_differs_between_conditions() -> None:
    text = report_markdown(*two_engines())
    assert f"### {TITLE}" in text
    row = "| Llama-8B | 2x NVIDIA H200 | sglang 0.5.23 | k3 | open | pays everywhere"
    assert row in text


def test_a_terminal_shows_the_same_rows() -> None:
    text = render(run_tables(*two_engines()), 120)
    for words in (TITLE, "1x NVIDIA H200", "2x NVIDIA H200", "sglang 0.5.23"):
        assert words in text


def test_titles_of_answers_tell_the_engines_apart() -> None:
    text = report_markdown(*two_engines())
    title = "k3 · on-sglang · Llama-8B · 2x NVIDIA H200 · sglang 0.5.23 · open"
    assert f"### {title}" in text


def test_json_says_of_each_answer_what_it_is_of() -> None:
    document = json.loads(report_json(*two_engines()))
    found = {
        (one["target"], one["model"], one["device"], one["engine"])
        for one in document["break_evens"]
    }
    assert found == {(t.label, t.model, t.device, t.engine) for t in TARGETS}


def test_one_target_needs_no_such_table() -> None:
    findings, facts = two_engines()
    alone = replace(facts, targets=TARGETS[:1])
    assert target_rows(findings, alone) == ()
    assert TITLE not in report_markdown(findings, alone)
    assert TITLE not in render(run_tables(findings, alone), 120)


def test_a_row_of_the_csv_file_says_what_it_is_of() -> None:
    findings, facts = two_engines()
    rows = list(csv.DictReader(io.StringIO(breakeven_csv(findings, facts))))
    found = {(r["target"], r["model"], r["device"], r["engine"]) for r in rows}
    assert found == {(t.label, t.model, t.device, t.engine) for t in TARGETS}
    bare = csv.DictReader(io.StringIO(breakeven_csv(findings)))
    assert {(row["model"], row["engine"]) for row in bare} == {("", "")}
