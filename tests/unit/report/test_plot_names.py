"""Names come from users' files: every figure shows them as they are."""

import xml.etree.ElementTree as ET
from dataclasses import fields, is_dataclass, replace
from typing import Any

import pytest
from matplotlib import rc_context

from specbench.report.facts import LossyArm
from specbench.report.plots import AXIS_DRAWERS, DRAWERS, OPEN_DRAWERS, draw_plots
from specbench.report.plots.style import STYLE
from tests.golden.open_example import open_findings
from tests.golden.synthetic import make_facts
from tests.unit.report.contexts import map_findings
from tests.unit.report.drawn import many, texts
from tests.unit.report.test_categories import told_findings
from tests.unit.report.test_temperatures import warm_findings

HOSTILE = r"$a_$ \\frac{ %s ^{ {0} <b>&amp; --> _$"


def renamed(value: Any) -> Any:
    """The same findings of arms, targets and data sets with hostile names."""
    if is_dataclass(value) and not isinstance(value, type):
        new = {f.name: renamed(getattr(value, f.name)) for f in fields(value) if f.init}
        for name in ("arm", "target", "dataset", "category"):
            if isinstance(new.get(name), str) and new[name] != "baseline":
                new[name] += HOSTILE
        return replace(value, **new)
    if isinstance(value, tuple):
        return tuple(map(renamed, value))
    if isinstance(value, list):
        return [renamed(one) for one in value]
    if isinstance(value, dict):
        return {key: renamed(one) for key, one in value.items()}
    return value


RUNS = {
    "closed": many(2),
    "open": open_findings(),
    "contexts": map_findings(),
    "temperatures": warm_findings(),
    "categories": told_findings(),
}


@pytest.mark.parametrize("run", RUNS)
def test_every_figure_shows_hostile_names_as_they_are(run: str) -> None:
    findings = renamed(RUNS[run])
    (target,) = {cell.key.condition.target for cell in findings.cells}
    arms = {cell.key.arm for cell in findings.cells} - {"baseline"}
    lossy = tuple(LossyArm(target, arm, (HOSTILE,)) for arm in sorted(arms))
    facts = replace(make_facts(findings), lossy_arms=lossy)
    is_open = run == "open"
    with rc_context(STYLE):
        for name, draw in (
            (OPEN_DRAWERS if is_open else DRAWERS) | AXIS_DRAWERS
        ).items():
            for page in draw(findings, facts):
                page.draw_without_rendering()
                said = "".join(texts(page)).replace(" ", "").replace("\n", "")
                assert "$a_$" in said, name
                assert "mathdefault" not in said, name


def test_every_kind_of_figure_is_drawn_by_some_run() -> None:
    drawn = set()
    for run, findings in RUNS.items():
        drawers = OPEN_DRAWERS if run == "open" else DRAWERS
        with rc_context(STYLE):
            drawn |= {
                name
                for name, draw in (drawers | AXIS_DRAWERS).items()
                if draw(findings, make_facts(findings))
            }
    assert drawn == set(DRAWERS | OPEN_DRAWERS | AXIS_DRAWERS)


def test_files_of_hostile_names_are_whole() -> None:
    findings = renamed(RUNS["categories"])
    for name, content in draw_plots(findings, make_facts(findings)).items():
        if name.endswith(".svg"):
            assert ET.fromstring(content).tag.endswith("svg"), name
