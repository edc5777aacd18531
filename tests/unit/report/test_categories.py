"""Acceptance by category: pooled as sums over launches and loads, shown with its n."""

import csv
import io
from dataclasses import replace

from matplotlib import rc_context

from specbench.analysis.run import conclude
from specbench.report.categories import HEAD, category_tables
from specbench.report.category_columns import has_categories
from specbench.report.csv_files import acceptance_csv
from specbench.report.json_report import report_document
from specbench.report.markdown import report_markdown
from specbench.report.plots.categories import draw_categories
from specbench.report.plots.style import STYLE
from specbench.report.tables import run_tables
from specbench.schema.acceptance import CategoryAcceptance, RequestLengths
from specbench.schema.findings import RunFindings
from specbench.schema.sweep import BASELINE
from tests.factories import acceptance
from tests.golden.example_findings import LAG, example_findings
from tests.golden.rendering import render
from tests.golden.synthetic import make_facts
from tests.unit.analysis.contexts_of import grid_cells
from tests.unit.report.drawn import texts

TITLE = "Acceptance by category"


def category(
    name: str, requests: int, drafts: float, accepted: float
) -> CategoryAcceptance:
    """Of one cell; every draft had three tokens, every step a draft."""
    return CategoryAcceptance(
        category=name,
        requests=requests,
        acceptance=acceptance(
            drafts=drafts,
            draft_tokens=3 * drafts,
            accepted_tokens=accepted,
            rate=accepted / (3 * drafts),
            length=1 + accepted / drafts,
            source="requests in the window",
        ),
        lengths=RequestLengths(requests, 1.5, 2.0, 2.5),
        decode_tokens=round(drafts + accepted),
        steps=round(drafts),
        tokens_per_step=1 + accepted / drafts,
    )


AT_LOAD = {
    1: (category("code", 4, 100.0, 200.0), category("maths | more", 2, 50.0, 25.0)),
    4: (category("code", 16, 300.0, 200.0), category("maths | more", 8, 150.0, 75.0)),
}


def told_findings(void_load: int | None = None) -> RunFindings:
    """One arm at two loads with two categories."""
    cells = []
    for cell in grid_cells({0: dict.fromkeys(AT_LOAD, 1.2)}):
        load = cell.key.condition.concurrency
        if cell.key.arm != BASELINE:
            cell = replace(cell, acceptance_by_category=AT_LOAD[load])
        if load == void_load:
            cell = replace(cell, findings=(LAG,))
        cells.append(cell)
    return conclude(cells, [])


def test_loads_are_pooled_as_sums_and_all_stand_at_the_end() -> None:
    findings = told_findings()
    launches = max(c.key.replicate for c in findings.cells)
    (table,) = category_tables(findings)
    assert [row.fields() for row in table.rows] == [
        ("code", f"{20 * launches}", f"{400 * launches:,}", "0.33", "2.00", "2.00"),
        (
            "maths | more",
            f"{10 * launches}",
            f"{200 * launches:,}",
            "0.17",
            "1.50",
            "1.50",
        ),
        ("all", f"{30 * launches}", f"{600 * launches:,}", "0.28", "1.83", "1.83"),
    ]


def test_a_void_cell_takes_no_part() -> None:
    (table,) = category_tables(told_findings(void_load=1))
    assert [row.fields()[4] for row in table.rows] == ["1.67", "1.50", "1.61"]


def test_a_figure_that_one_cell_lacks_is_a_dash() -> None:
    cells = [
        replace(
            cell,
            acceptance_by_category=tuple(
                replace(one, steps=None) for one in cell.acceptance_by_category
            ),
        )
        if cell.acceptance_by_category and cell.key.condition.concurrency == 4
        else cell
        for cell in told_findings().cells
    ]
    (table,) = category_tables(conclude(cells, []))
    assert {row.fields()[5] for row in table.rows} == {"—"}


def test_one_category_makes_no_table_and_a_row_for_each_cell() -> None:
    cells = [
        replace(cell, acceptance_by_category=cell.acceptance_by_category[:1])
        if cell.acceptance_by_category
        else cell
        for cell in told_findings().cells
    ]
    findings = conclude(cells, [])
    assert category_tables(findings) == ()
    assert TITLE not in report_markdown(findings, make_facts(findings))
    assert has_categories(findings)
    assert category_tables(example_findings()) == ()
    assert not has_categories(example_findings())


def test_terminal_and_markdown_show_the_same_rows() -> None:
    findings = told_findings()
    facts = make_facts(findings)
    text = render(run_tables(findings, facts), 120)
    assert TITLE in text
    markdown = report_markdown(findings, facts)
    assert f"| {' | '.join(HEAD)} |" in markdown
    assert "| maths \\| more |" in markdown
    for row in category_tables(findings)[0].rows:
        assert all(field in text for field in row.fields())


def test_the_csv_file_has_a_row_for_each_cell_and_category() -> None:
    findings = told_findings()
    rows = list(csv.DictReader(io.StringIO(acceptance_csv(findings))))
    arms = [c for c in findings.cells if c.key.arm != BASELINE]
    assert len(rows) == 2 * len(arms)
    first = rows[0]
    assert (first["category"], first["requests"], first["drafts"]) == (
        "code",
        "4",
        "100.0",
    )
    assert (first["acceptance_length"], first["tokens_per_step"]) == ("3.0", "3.0")
    assert (first["steps"], first["request_length_p10"]) == ("100", "1.5")
    assert first["acceptance_source"] == "requests in the window"
    assert {row["arm"] for row in rows} == {arms[0].key.arm}


def test_the_json_report_has_them_with_their_cell() -> None:
    findings = told_findings()
    document = report_document(findings, make_facts(findings))
    told = [c["acceptance_by_category"] for c in document["cells"]]
    assert {None if one is None else one[0]["category"] for one in told} == {
        None,
        "code",
    }


def test_the_plot_has_a_row_for_each_category_with_its_n() -> None:
    findings = told_findings()
    with rc_context(STYLE):
        (page,) = draw_categories(findings, make_facts(findings))
        page.draw_without_rendering()
    said = texts(page)
    assert {"code (n 60)", "maths | more (n 30)"} <= set(said)
    assert any("ngram: 1.83 over all" in one for one in said)


def test_without_two_categories_there_is_no_plot() -> None:
    findings = example_findings()
    assert draw_categories(findings, make_facts(findings)) == []
