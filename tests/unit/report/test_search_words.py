"""What a report says of the search behind its answers."""

from dataclasses import replace

from specbench.report.facts import RunFacts
from specbench.report.json_report import report_document
from specbench.report.search_tables import search_lines, search_tables
from specbench.report.search_words import INTERRUPTED, describe_search
from specbench.schema.cell import Condition
from specbench.schema.findings import RunFindings
from specbench.schema.search import (
    CurveEnd,
    CurveName,
    LeftOut,
    SearchEnd,
    SearchLog,
    SearchRound,
    StopReason,
)
from tests.factories import cell_stats

CURVE = CurveName("questions", 0, 0.0, "ngram")
LOADS = tuple(Condition("target", "questions", 0, 0.0, c) for c in (1, 16))
LOG = SearchLog(
    target="target",
    rounds=(
        SearchRound(1, {"baseline": LOADS, "ngram": LOADS}, "an overview"),
        SearchRound(2, {"baseline": LOADS[1:], "ngram": LOADS[1:]}, "near 12"),
    ),
    end=SearchEnd(
        ends=(CurveEnd(CURVE, StopReason.PRECISE, "known to within 4.1 %"),),
        left_out=(
            LeftOut(CURVE, 1.0, 1, "it cannot change"),
            LeftOut(CURVE, 64.0, 0, "it lies beyond"),
            LeftOut(CURVE, 128.0, 0, "it lies beyond"),
        ),
    ),
    seconds=300.0,
    grid_seconds=600.0,
    cell_seconds=62.0,
    grid_cell_seconds=200.0,
)
FACTS = RunFacts(
    sweep_name="s",
    run_id="r",
    started_utc="2026-12-01T09:00:00+00:00",
    device="d",
    engines=("e",),
    models=("m",),
    datasets=(),
    launches_per_arm=2,
    specbench_version="0",
    measurement_version=1,
    searches=(LOG,),
)


def findings(cells: int = 6) -> RunFindings:
    return RunFindings(
        cells=tuple(cell_stats(replicate=r) for r in range(1, cells + 1)),
        curves=(),
        break_evens=(),
        noise=(),
        prior=(),
        failed_launches=(),
    )


def test_its_cost_stands_beside_the_grids() -> None:
    assert describe_search(LOG, findings()).cost == (
        "2 rounds, 6 cells, 5 min: 31 % of the grid's cell time (about 3 min), 50 % of"
        " its whole time with launches (about 10 min)"
    )


def test_a_grid_of_unknown_cost_is_said_to_be_unknown() -> None:
    log = replace(LOG, grid_seconds=None, grid_cell_seconds=None)
    assert describe_search(log, findings()).cost == (
        "2 rounds, 6 cells, 5 min; what the grid would have taken is not known"
    )


def test_each_round_says_what_it_was_for() -> None:
    assert describe_search(LOG, findings()).rounds == (
        "round 1: an overview (4 cells in 2 launches)",
        "round 2: near 12 (2 cells in 2 launches)",
    )


def test_why_it_stopped_is_told_for_each_curve() -> None:
    (line,) = describe_search(LOG, findings()).ends
    assert line == "ngram, questions: precise: known to within 4.1 %"


def test_loads_left_out_for_one_reason_share_a_line() -> None:
    assert describe_search(LOG, findings()).left_out == (
        "ngram, questions, load 1: measured in 1 launch: it cannot change",
        "ngram, questions, load 64, 128: measured in none: it lies beyond",
    )


def test_an_interrupted_search_says_so() -> None:
    said = describe_search(replace(LOG, end=None), findings())
    assert said.ends == (INTERRUPTED,)
    assert said.left_out == ()


def test_markdown_has_the_same_lines_with_the_rounds_folded_away() -> None:
    text = "\n".join(search_lines(findings(), FACTS))
    assert "### Search on target" in text
    assert "- stopped: ngram, questions: precise" in text
    assert "- left out: ngram, questions, load 64, 128" in text
    folded = text.split("<details>")[1]
    assert "round 2" in folded


def test_json_has_the_log_as_it_is_kept() -> None:
    document = report_document(findings(), FACTS)
    (search,) = document["searches"]
    assert search["end"]["ends"][0]["reason"] == "precise"
    assert search["rounds"][1]["cells"]["ngram"][0]["concurrency"] == 16
    assert "searches" not in document["run"]


def test_a_grid_has_none_of_it() -> None:
    facts = replace(FACTS, searches=())
    assert search_tables(findings(), facts) == ()
    assert list(search_lines(findings(), facts)) == []
    assert "searches" not in report_document(findings(), facts)
