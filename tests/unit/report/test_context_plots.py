"""The heat map and acceptance by temperature, as figures."""

import re
from dataclasses import replace

import pytest
from matplotlib import rc_context
from matplotlib.figure import Figure

from specbench.analysis.run import conclude
from specbench.report.facts import RunFacts
from specbench.report.plots import AXIS_DRAWERS, draw_plots
from specbench.report.plots.style import STYLE
from specbench.schema.findings import RunFindings
from tests.golden.example_findings import example_facts, example_findings
from tests.golden.synthetic import make_facts
from tests.unit.analysis.contexts_of import grid_cells
from tests.unit.report.contexts import map_findings
from tests.unit.report.drawn import texts
from tests.unit.report.test_temperatures import warm_findings

MAP = map_findings()


def figures(name: str, findings: RunFindings, facts: RunFacts) -> list[Figure]:
    with rc_context(STYLE):
        pages = AXIS_DRAWERS[name](findings, facts)
        for page in pages:
            page.draw_without_rendering()
    return pages


@pytest.mark.parametrize("name", AXIS_DRAWERS)
def test_a_run_without_the_axis_has_no_such_figure(name: str) -> None:
    assert figures(name, example_findings(), example_facts()) == []


def test_every_cell_of_the_map_says_its_number_or_why_it_has_none() -> None:
    (page,) = figures("context-map", MAP, make_facts(MAP))
    said = [" ".join(text.split()) for text in texts(page)]
    for number in ("1.30", "0.80", "1.25q"):
        assert said.count(number) == 2, number  # throughput and median TPOT
    assert said.count("does not fit") == 2
    assert said.count("no speedup") == 2
    assert said.count("1.001?") == 2


def test_the_map_names_what_its_patterns_mean_and_its_answers() -> None:
    (page,) = figures("context-map", MAP, make_facts(MAP))
    said = " ".join(" ".join(texts(page)).split())
    for words in (
        "break-even line",
        "not told from 1",
        "void, or no figure",
        "not measured",
        "does not fit into any arm",
        "at concurrency 1: pays everywhere measured",
        "critical context",
        "context (prompt tokens)",
    ):
        assert words in said


def test_kinds_of_cells_that_are_not_there_are_not_in_the_key() -> None:
    findings = replace(MAP, planned_out=())
    (page,) = figures("context-map", findings, make_facts(findings))
    assert "does not fit into" not in " ".join(texts(page))


def test_each_page_has_two_maps() -> None:
    cells = [
        cell
        for name in ("a", "b", "c")
        for cell in grid_cells({512: {1: 1.2}, 2048: {1: 0.9}}, dataset=name)
    ]
    findings = conclude(cells, [])
    assert len(figures("context-map", findings, make_facts(findings))) == 3


def test_temperatures_are_drawn_with_their_lengths_in_words() -> None:
    findings = warm_findings()
    (page,) = figures("acceptance-temperature", findings, make_facts(findings))
    said = " ".join(" ".join(texts(page)).split())
    assert re.search(r"ngram: acceptance length \d\.\d\d at 0, \d\.\d\d at 1", said)


def test_the_files_are_among_the_plots_of_a_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("specbench.report.plots._save", lambda *_: b"")
    assert "context-map.png" in draw_plots(MAP, make_facts(MAP))
