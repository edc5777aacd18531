"""Answers from points as table, Markdown, CSV and JSON."""

import csv
import io
import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console

from specbench.analysis.point_answers import conclude_points
from specbench.report.points_csv import point_columns, points_csv
from specbench.report.points_json import points_json
from specbench.report.points_markdown import points_markdown
from specbench.report.points_table import points_table
from specbench.report.points_words import closing_notes, point_groups, setting_title
from specbench.schema.point import (
    BASELINE_ARM,
    PointArm,
    PointFindings,
    PointForm,
    Setting,
)
from specbench.store.point_rows import LEAST_FIGURE, MOST_FIGURE
from tests.unit.analysis.points_of import EAGLE, SETTING, paired, table, throughputs

NOTHING_GIVEN = Setting("", "", "", "", "", "", "", "", None, "")


def two_contexts() -> PointFindings:
    """It pays from a context, and the trend over the load turns."""
    rows = [
        *paired({8: 0.9, 32: 0.8}, setting=replace(SETTING, context=4000)),
        *paired({8: 1.2, 32: 1.4}, setting=replace(SETTING, context=32000)),
    ]
    return conclude_points(table(rows))


def lacking() -> PointFindings:
    return conclude_points(table(throughputs(EAGLE, {1: 200.0})))


def replicated(*answers: str) -> PointFindings:
    """Arms of these draft lengths, two replicates each."""
    rows = []
    for replicate, factor in enumerate((1.0, 1.01)):
        rows += throughputs(BASELINE_ARM, {1: 100.0, 64: 100.0}, replicate)
        for k in answers:
            arm = replace(EAGLE, k=k)
            rows += throughputs(arm, {1: 200 * factor, 64: 50 / factor}, replicate)
    return conclude_points(table(rows))


def printed(findings: PointFindings, width: int = 200) -> str:
    console = Console(width=width, file=io.StringIO(), color_system=None)
    console.print(points_table(findings))
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def read(findings: PointFindings) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(points_csv(findings))))


def test_a_title_names_what_is_given_and_nothing_else() -> None:
    assert setting_title(SETTING) == (
        "target · weights bf16 · A100 · vllm 0.32.0 · questions · context 1024 tokens"
    )
    assert setting_title(NOTHING_GIVEN) == "nothing given"


def test_the_table_says_answer_neighbours_and_first_slower() -> None:
    text = printed(conclude_points(table(paired({1: 2.0, 8: 1.2, 64: 0.8}))))
    assert "pays up to concurrency" in text
    assert "1.20 at 8" in text
    assert "0.80 at 64" in text
    assert "by the raw signs and without an interval" in text


def test_a_single_run_is_not_called_a_launch() -> None:
    assert "launch" not in printed(conclude_points(table(paired({1: 2.0, 64: 0.8}))))


@pytest.mark.parametrize("form", PointForm)
def test_the_load_is_called_what_the_source_calls_it(form: PointForm) -> None:
    rows = paired({1: 2.0, 64: 0.8})
    if form is PointForm.SPEEDUPS:
        rows = throughputs(EAGLE, {1: 2.0, 64: 0.8})
    findings = conclude_points(table(rows, form=form))
    other = {"concurrency": "batch", "batch": "concurrency"}[form.load]
    (group,) = point_groups(findings)
    assert f"pays up to {form.load}" in group.lines[0].answer
    assert other not in group.lines[0].answer
    assert read(findings)[0]["load_is"] == form.load
    assert json.loads(points_json(findings))["load"] == form.load


def test_the_critical_context_stands_below_the_break_even_contexts() -> None:
    text = printed(two_contexts())
    assert "over the context" in text
    assert "eagle3 k=3 at concurrency 32" in text
    assert "pays from context" in text
    assert "critical context: between 4000 and 32000 tokens" in text
    rows = [row for row in read(two_contexts()) if row["load"]]
    assert [row["load"] for row in rows] == ["8", "32"]
    assert {(row["critical_below"], row["critical_above"]) for row in rows} == {
        ("4000", "32000")
    }


def test_without_a_turn_the_report_says_what_was_seen_instead() -> None:
    rows = [
        *paired({8: 1.2, 32: 0.8}, setting=replace(SETTING, context=4000)),
        *paired({8: 1.1, 32: 0.7}, setting=replace(SETTING, context=32000)),
    ]
    text = printed(conclude_points(table(rows)))
    assert "critical context: none found, falls at every context measured" in text


def test_an_arm_without_a_baseline_says_so_in_every_format() -> None:
    findings = lacking()
    said = "the file has no baseline"
    for text in (
        printed(findings),
        points_markdown(findings),
        points_csv(findings),
        points_json(findings),
    ):
        assert said in text
    assert read(findings)[0]["outcome"] == "undecided"


def test_what_is_missing_is_said_with_the_name_of_its_arm() -> None:
    rows = [
        *paired({1: 2.0, 8: 1.5}),
        *throughputs(PointArm("pld", "", ""), {1: 110.0, 4: 90.0}),
    ]
    (group,) = point_groups(conclude_points(table(rows)))
    for_both, for_one = group.notes
    assert "by the raw signs" in for_both
    assert for_one == (
        "pld: the baseline has no figure for throughput at concurrency 4"
    )


def test_loads_that_are_not_told_from_1_are_named() -> None:
    rows = [
        point
        for replicate, factor in enumerate((0.97, 1.0, 1.04))
        for point in paired({1: 2.0, 8: 1.002 * factor, 64: 0.5}, replicate)
    ]
    text = printed(conclude_points(table(rows)))
    assert "pays at concurrency 1; not told from 1 at 8; loses at 64" in text


def test_several_answers_with_intervals_are_counted() -> None:
    assert closing_notes(replicated("3")) == ()
    (note,) = closing_notes(replicated("3", "5"))
    assert note.startswith("2 break-evens were looked for")


def test_column_names_are_unique_and_say_what_they_mean() -> None:
    for form in PointForm:
        names = [column.name for column in point_columns(form)]
        assert len(set(names)) == len(names)
        assert all(column.meaning for column in point_columns(form))


def test_markup_in_a_file_stays_text() -> None:
    arm = PointArm("[bold]eagle[/bold]", "", "")
    setting = replace(SETTING, model="a|b_c", source="<b>[red]x[/red]")
    rows = [
        *throughputs(BASELINE_ARM, {1: 1.0}, setting=setting),
        *throughputs(arm, {1: 2.0}, setting=setting),
    ]
    findings = conclude_points(table(rows))
    text = printed(findings)
    assert "[bold]eagle[/bold]" in text
    assert "[red]x[/red]" in text
    assert "<b>" not in points_markdown(findings)


def test_json_says_what_is_not_given_and_why_there_is_no_interval() -> None:
    document = json.loads(points_json(lacking()))
    (answer,) = document["answers"]
    assert answer["setting"]["kv_cache"] is None
    (point,) = answer["points"]
    assert point["value"] is None
    assert "no baseline" in point["missing"]


FIGURE = st.one_of(
    st.floats(LEAST_FIGURE, MOST_FIGURE), st.sampled_from([LEAST_FIGURE, MOST_FIGURE])
)
LOADS = st.sampled_from([1, 2, 8, 1000])


@settings(max_examples=40)
@given(
    st.dictionaries(
        st.tuples(st.booleans(), LOADS, st.integers(0, 2)), FIGURE, min_size=1
    )
)
def test_whatever_was_measured_can_be_shown(
    figures: dict[tuple[bool, int, int], float],
) -> None:
    rows = [
        point
        for (is_arm, load, replicate), value in figures.items()
        for point in throughputs(
            EAGLE if is_arm else BASELINE_ARM, {load: value}, replicate
        )
    ]
    findings = conclude_points(table(rows))
    json.loads(points_json(findings), parse_constant=lambda name: pytest.fail(name))
    assert len(read(findings)) == len(findings.answers)
    assert printed(findings, width=80)
    assert points_markdown(findings)
