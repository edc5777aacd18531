"""The JSON document."""

import json
import math
from dataclasses import replace
from typing import Any, NoReturn

from specbench.report.facts import LossyArm
from specbench.report.json_report import (
    FORMAT_VERSION,
    plain,
    report_document,
    report_json,
)
from tests.golden.example_answers import example_answers
from tests.golden.example_findings import example_facts, example_findings


def refuse(constant: str) -> NoReturn:
    raise AssertionError(f"{constant} is not JSON")


def strict(text: str) -> Any:
    """What a strict parser reads."""
    return json.loads(text, parse_constant=refuse)


def test_text_and_document_are_the_same() -> None:
    findings, facts = example_findings(), example_facts()
    assert strict(report_json(findings, facts)) == report_document(findings, facts)


def test_document_is_made_of_plain_values_only() -> None:
    document = report_document(example_findings(), example_facts())
    text = json.dumps(document, allow_nan=False)
    assert strict(text) == document


def test_document_says_its_format_and_version() -> None:
    document = report_document(example_findings(), example_facts())
    assert document["format"] == "specbench-report"
    assert document["format_version"] == FORMAT_VERSION


def test_number_that_is_not_finite_is_null() -> None:
    cells = tuple(
        replace(c, output_throughput=math.nan) for c in example_findings().cells
    )
    findings = replace(example_findings(), cells=cells)
    document = strict(report_json(findings, example_facts()))
    assert document["cells"][0]["output_throughput"] is None
    assert plain(math.inf) is None


def test_figures_are_not_rounded() -> None:
    findings = example_findings()
    document = strict(report_json(findings, example_facts()))
    points = [p for curve in document["curves"] for p in curve["points"]]
    expected = [p.speedup.value for curve in findings.curves for p in curve.points]
    assert [p["speedup"]["value"] for p in points] == expected


def test_break_even_names_its_curve_and_says_the_answer() -> None:
    document = report_document(example_findings(), example_facts())
    answer = document["break_evens"][3]
    assert (answer["dataset"], answer["arm"], answer["metric"]) == (
        "open",
        "ngram-k3",
        "throughput",
    )
    assert answer["answer"] == "pays up to batch 2.4 [1.9, 3.3] (concurrency 2.5)"
    (crossing,) = answer["crossings"]
    assert crossing["below"]["condition"]["concurrency"] == 2
    assert crossing["interval"]["low"] < crossing["at"] < crossing["interval"]["high"]
    assert answer["loads"] == {
        "pays": [1],
        "open": [2],
        "loses": [4, 8, 16],
        "unknown": [],
    }
    assert "curve" not in answer


def test_document_says_how_many_answers_its_intervals_stand_among() -> None:
    document = report_document(example_findings(), example_facts())
    assert document["multiplicity"]["break_evens"] == 6
    assert document["multiplicity"]["confidence"] == 0.95
    assert "6 break-evens" in document["multiplicity"]["says"]


def test_document_has_the_noise_of_this_run_and_of_earlier_ones() -> None:
    document = report_document(example_findings(), example_facts())
    assert document["noise"][0]["noise"]["launch"]["variance"] == 0.012**2
    assert document["prior"][0]["run_id"] == "20260227T081200Z-aa01"


def test_every_kind_of_answer_is_strict_json() -> None:
    answers = tuple(example_answers().values())
    findings = replace(example_findings(), break_evens=answers)
    document = strict(report_json(findings, example_facts()))
    by_context = document["break_evens"][list(example_answers()).index("context")]
    assert by_context["loads"]["pays"] == [32000]
    assert [c["interval"] for c in by_context["crossings"]] == [
        {"low": 7104.2, "high": 9398.9}
    ]


def test_an_arm_that_is_not_lossless_is_marked_beside_its_name() -> None:
    (target,) = {c.key.condition.target for c in example_findings().cells}
    facts = replace(
        example_facts(), lossy_arms=(LossyArm(target, "ngram-k3", ("t = 0.9",)),)
    )
    for lossy, said in ((facts, ["t = 0.9"]), (example_facts(), [])):
        document = report_document(example_findings(), lossy)
        for named in (*document["curves"], *document["break_evens"]):
            assert named["not_lossless"] == said


def test_void_cells_are_kept_and_marked() -> None:
    document = report_document(example_findings(), example_facts())
    void = [cell for cell in document["cells"] if cell["is_void"]]
    assert [cell["key"]["condition"]["concurrency"] for cell in void] == [16]
    assert void[0]["findings"][0]["severity"] == "void"
