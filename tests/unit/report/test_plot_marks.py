"""What a speedup or needs figure marks: break-evens, intervals, what is not told."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.lines import Line2D

from specbench.report.plots.crossings import BAR
from specbench.report.plots.style import STYLE
from specbench.schema.comparison import SpeedupMetric
from specbench.schema.estimate import Interval
from specbench.schema.findings import RunFindings
from tests.golden.comparing import compare
from tests.golden.example_findings import example_facts, example_findings
from tests.golden.synthetic import ArmCourse, Course, make_cells, make_facts
from tests.unit.report.drawn import figures, many, texts


@pytest.fixture(autouse=True)
def _style() -> Iterator[None]:
    """Figures are drawn, and their ticks chosen, in the style of the plots."""
    with rc_context(STYLE):
        yield


def open_ended(findings: RunFindings) -> RunFindings:
    """Break-evens whose intervals reach beyond what was measured, and several."""
    first, *others = findings.break_evens
    answers = []
    for answer in (first, *others):
        crossings = tuple(
            replace(c, concurrency_interval=Interval(None, None))
            for c in answer.crossings
        )
        answers.append(replace(answer, crossings=crossings))
    return replace(findings, break_evens=tuple(answers))


def places(line: Line2D) -> list[tuple[float, float]]:
    """Its points, in data."""
    return [(float(x), float(y)) for x, y in np.asarray(line.get_xydata())]


def marked(axes: Axes, marker: str) -> list[tuple[float, float]]:
    """Where marks of this kind are, in data."""
    return [
        place
        for line in axes.get_lines()
        if line.get_marker() == marker and line.get_linestyle() == "None"
        for place in places(line)
    ]


def test_break_even_has_a_diamond_and_a_bar_as_wide_as_its_interval() -> None:
    findings = example_findings()
    (page,) = figures("speedup", findings, example_facts())
    axes = page.axes[1]
    found = [
        c
        for answer in findings.break_evens
        if answer.curve.metric is not SpeedupMetric.TPOT_P95
        for c in answer.crossings
    ]
    assert marked(axes, "D") == [(c.concurrency, 1.0) for c in found]
    bars = [places(x) for x in axes.get_lines() if x.get_linewidth() == BAR]
    spans = [c.concurrency_interval for c in found]
    assert bars == [[(span.low, 1.0), (span.high, 1.0)] for span in spans if span]


def test_open_end_of_an_interval_points_out_of_the_panel() -> None:
    findings = open_ended(example_findings())
    (page,) = figures("speedup", findings, example_facts())
    axes = page.axes[1]
    left, right = axes.get_xlim()
    assert {x for x, _ in marked(axes, "<")} == {left}
    assert {x for x, _ in marked(axes, ">")} == {right}


def hollow(axes: Axes) -> list[int]:
    """Loads with hollow marks, whatever their dodge."""
    found = [
        line
        for line in axes.get_lines()
        if line.get_markerfacecolor() == "white" and line.get_marker() != "D"
    ]
    return sorted(round(x) for line in found for x, _ in places(line))


def test_loads_not_told_from_one_have_hollow_marks() -> None:
    (page,) = figures("speedup", example_findings(), example_facts())
    assert [hollow(axes) for axes in page.axes] == [[], [2, 2]]


def test_undecided_curve_has_no_break_even_in_its_panel() -> None:
    (page,) = figures("speedup-p95", example_findings(), example_facts())
    assert marked(page.axes[1], "D") == []
    assert any("p95 TPOT undecided" in " ".join(t.split()) for t in texts(page))


def test_a_figure_without_intervals_has_neither_band_nor_bar() -> None:
    one = compare(c for c in example_findings().cells if c.key.replicate == 1)
    (with_bands,) = figures("speedup", example_findings(), example_facts())
    (without,) = figures("speedup", one, example_facts())
    assert any(with_bands.axes[1].findobj(PolyCollection))
    assert not any(without.axes[1].findobj(PolyCollection))
    assert any("[no interval]" in text for text in texts(without))


def test_lone_load_with_an_interval_has_a_bar_and_no_band() -> None:
    few = {"a": ArmCourse((1.2,), (1.1,))}
    findings = compare(make_cells((Course("d", (20.0,), few),), (4,), 3))
    (page,) = figures("speedup", findings, make_facts(findings))
    assert not page.axes[0].findobj(PolyCollection)
    assert len(page.axes[0].containers) == 2


def test_apparent_needs_are_hollow_and_needs_are_said_in_words() -> None:
    bare = [replace(c, prefill_share=None) for c in many(1).cells]
    for findings, is_apparent in ((many(1), False), (compare(bare), True)):
        (page,) = figures("needed-tokens", findings, make_facts(findings))
        assert (hollow(page.axes[0]) != []) is is_apparent
        said = " ".join(" ".join(texts(page)).split())
        mark = "~" if is_apparent else ""
        assert f"at c 256 gets 1.31 and needs {mark}2." in said


def test_without_step_counts_the_needs_say_why() -> None:
    bare = [
        replace(c, tokens_per_step=None, missing={"tokens_per_step": "no counters"})
        for c in many(1).cells
    ]
    findings = compare(bare)
    (page,) = figures("needed-tokens", findings, make_facts(findings))
    assert any("No tokens per step: no counters" in text for text in texts(page))


def test_two_rows_of_panels_get_a_taller_figure() -> None:
    for datasets, height in ((3, 7.2), (4, 9.6)):
        findings = many(datasets)
        (page,) = figures("speedup", findings, make_facts(findings))
        assert page.get_figheight() == height
