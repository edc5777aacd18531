"""The report of an open loop: both arms at each rate, latencies with their tails, send
delay and goodput; the answer in requests per second."""

import csv
import io
import json
import re
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from matplotlib import rc_context

from specbench.analysis.run import conclude
from specbench.report.answer_words import details, outcome, told_loads
from specbench.report.csv_files import breakeven_csv, cells_csv, speedups_csv
from specbench.report.json_report import report_json
from specbench.report.markdown import report_markdown
from specbench.report.plots import OPEN_DRAWERS, draw_plots
from specbench.report.plots.style import STYLE
from specbench.report.tables import run_tables
from specbench.schema.comparison import BreakEven, SpeedupMetric
from specbench.schema.findings import Finding, RunFindings, Severity
from tests.golden.open_example import RATES, open_cells, open_findings
from tests.golden.rendering import render
from tests.golden.synthetic import make_facts
from tests.unit.report.drawn import texts


@pytest.fixture(autouse=True)
def _style() -> Iterator[None]:
    with rc_context(STYLE):
        yield


@pytest.fixture(scope="module")
def findings() -> RunFindings:
    return open_findings()


def answer_of(findings: RunFindings, metric: SpeedupMetric) -> BreakEven:
    (found,) = (a for a in findings.break_evens if a.curve.metric is metric)
    return found


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


# -- the answer ---------------------------------------------------------------


def test_the_answer_is_in_requests_per_second(findings: RunFindings) -> None:
    said = outcome(answer_of(findings, SpeedupMetric.E2E))
    assert re.fullmatch(r"pays up to 3\.\d+ \[\d\.\d+, \d\.\d+\] requests/s", said), (
        said
    )


def test_the_arms_batches_stand_beside_it(findings: RunFindings) -> None:
    (line,) = details(answer_of(findings, SpeedupMetric.E2E))
    assert re.search(r"^batch \d+\.\d, arm's batch \d+\.\d, jointly ", line), line


def test_loads_are_said_as_rates(findings: RunFindings) -> None:
    said = told_loads(answer_of(findings, SpeedupMetric.E2E))
    assert said == "pays at rate 0.5, 1, 2, 2.8; loses at 4, 5.6"


def test_an_answer_without_a_crossing_says_how_far_it_holds() -> None:
    low = [c for c in open_cells() if c.key.condition.request_rate <= 2]
    answer = answer_of(conclude(low, ()), SpeedupMetric.E2E)
    assert outcome(answer) == "pays everywhere measured (to rate 2 requests/s)"


# -- tables -------------------------------------------------------------------


@pytest.mark.parametrize("width", [80, 100, 200])
def test_no_figure_of_a_table_is_cut_off(findings: RunFindings, width: int) -> None:
    text = render(run_tables(findings, make_facts(findings)), width)
    assert max(map(len, text.splitlines())) <= width
    assert "…" not in text
    for rate in RATES:
        assert re.search(rf"^ *{rate:g} +base", text, re.M), rate


def test_tables_show_latencies_send_delay_and_goodput(findings: RunFindings) -> None:
    text = render(run_tables(findings, make_facts(findings)), 200)
    for head in ("TTFT", "TPOT", "e2e", "delay", "good", "p50", "p90", "p95", "p99"):
        assert head in text
    assert "overloaded" in text
    assert "end-to-end latency" in text
    assert "concurrency" not in text


def test_without_an_slo_no_table_has_goodput() -> None:
    found = open_findings(has_slo=False)
    facts = make_facts(found)
    assert "goodput" not in render(run_tables(found, facts), 200)
    assert "goodput" not in report_markdown(found, facts)


def test_a_missing_figure_has_its_reason_below(findings: RunFindings) -> None:
    text = render(run_tables(findings, make_facts(findings)), 200)
    assert "no request kept the [slo]: goodput speedup at 5.6" in text


def test_markdown_says_the_same(findings: RunFindings) -> None:
    text = report_markdown(findings, make_facts(findings))
    for answer in findings.break_evens:
        assert outcome(answer) in text
    assert "| rate (requests/s) |" in text
    assert "end-to-end p99 ms" in text
    assert "send delay p99 ms" in text


# -- files --------------------------------------------------------------------


def test_cells_have_rate_delay_backlog_and_goodput(findings: RunFindings) -> None:
    found = rows(cells_csv(findings))
    assert {float(row["request_rate_requests_per_s"]) for row in found} == set(RATES)
    last = next(
        r
        for r in found
        if r["arm"] == "k3" and float(r["request_rate_requests_per_s"]) == RATES[-1]
    )
    assert last["concurrency"] == "0"
    assert float(last["send_delay_p99_s"]) == 0.0007
    assert float(last["goodput_requests_per_s"]) == 0
    assert (last["due"], last["ended_in_window"]) == ("336", "214")


def test_break_evens_have_their_place_on_the_rate(findings: RunFindings) -> None:
    found = {row["metric"]: row for row in rows(breakeven_csv(findings))}
    row = found["e2e"]
    assert row["axis"] == "request rate"
    low, at, high = (
        float(row[f"break_even_rate{end}_requests_per_s"])
        for end in ("_low", "", "_high")
    )
    assert 2.8 <= low <= at <= high <= 4
    assert row["below_rate_requests_per_s"] == "2.8"
    assert row["above_rate_requests_per_s"] == "4.0"
    assert row["first_slower_rate_requests_per_s"] == "4.0"
    assert row["pays_rate_requests_per_s"] == "0.5;1.0;2.0;2.8"
    for name in ("break_even_batch", "break_even_concurrency", "pays_concurrency"):
        assert row[name] == ""


def test_speedups_have_their_rate(findings: RunFindings) -> None:
    found = rows(speedups_csv(findings))
    assert {float(r["request_rate_requests_per_s"]) for r in found} == set(RATES)


def test_json_is_strict_and_has_the_open_load(findings: RunFindings) -> None:
    document = json.loads(report_json(findings, make_facts(findings)))
    cell = document["cells"][0]
    assert cell["open_load"]["send_delay"]["p99"] == 0.0007
    assert {a["axis"] for a in document["break_evens"]} == {"request rate"}
    answer = next(a for a in document["break_evens"] if a["metric"] == "e2e")
    assert answer["loads"]["pays"] == [0.5, 1.0, 2.0, 2.8]


# -- plots --------------------------------------------------------------------


def test_plots_are_those_of_an_open_loop(findings: RunFindings) -> None:
    files = draw_plots(findings, make_facts(findings))
    assert {name.removesuffix(".png") for name in files if ".png" in name} == set(
        OPEN_DRAWERS
    )


def test_latency_is_drawn_over_the_rate_for_both_arms(findings: RunFindings) -> None:
    (figure,) = OPEN_DRAWERS["latency"](findings, make_facts(findings))
    (axes,) = figure.axes
    # three latencies of two arms, each with its own marks for what is overloaded
    drawn = [
        line for line in axes.lines if np.asarray(line.get_xdata()).size == len(RATES)
    ]
    assert len(drawn) == 6
    assert axes.get_xlabel() == "request rate (requests/s)"
    said = " ".join(" ".join(texts(figure)).split())
    assert "pays: end-to-end to 3." in said


def test_a_run_without_a_cell_that_counts_has_words_where_latencies_would_be() -> None:
    late = Finding(Severity.VOID, "client-lag", "too late", "use another CPU")
    void = conclude([replace(c, findings=(late,)) for c in open_cells()], ())
    (figure,) = OPEN_DRAWERS["latency"](void, make_facts(void))
    assert "No cell counts that has a latency." in texts(figure)
    assert draw_plots(void, make_facts(void))


def test_goodput_has_a_figure_only_where_something_is_good(
    findings: RunFindings,
) -> None:
    assert len(OPEN_DRAWERS["goodput"](findings, make_facts(findings))) == 1
    without = open_findings(has_slo=False)
    assert OPEN_DRAWERS["goodput"](without, make_facts(without)) == []


def test_the_speedup_is_drawn_with_its_break_even_at_the_rate(
    findings: RunFindings,
) -> None:
    (figure,) = OPEN_DRAWERS["speedup"](findings, make_facts(findings))
    (axes,) = figure.axes
    diamonds = [line for line in axes.lines if line.get_marker() == "D"]
    crossing = answer_of(findings, SpeedupMetric.E2E).crossing
    assert crossing is not None
    assert crossing.at in [float(np.asarray(d.get_xdata())[0]) for d in diamonds]
