"""Acceptance by temperature."""

from dataclasses import replace

from specbench.analysis.run import conclude
from specbench.report.markdown import report_markdown
from specbench.report.tables import run_tables
from specbench.report.temperatures import HEAD, temperature_tables
from specbench.schema.findings import RunFindings
from specbench.schema.sweep import BASELINE
from tests.factories import acceptance
from tests.golden.example_findings import example_findings
from tests.golden.rendering import render
from tests.golden.synthetic import make_facts
from tests.unit.analysis.contexts_of import grid_cells

RATES = {0.0: 0.6, 1.0: 0.4}


def warm_findings(loads: dict[float, tuple[int, ...]] | None = None) -> RunFindings:
    """An arm at two temperatures, with its drafts; loads by temperature."""
    cells = []
    for temperature, rate in RATES.items():
        at = (loads or {}).get(temperature, (1, 4))
        for cell in grid_cells({0: dict.fromkeys(at, 1.2)}, temperature=temperature):
            if cell.key.arm == BASELINE:
                cells.append(cell)
                continue
            drafts = acceptance(
                accepted_tokens=300 * rate, rate=rate, length=1 + 3 * rate
            )
            cells.append(replace(cell, acceptance=drafts, tokens_per_step=1 + 2 * rate))
    return conclude(cells, [])


def test_each_load_has_a_row_for_each_temperature() -> None:
    (table,) = temperature_tables(warm_findings())
    assert [row.fields() for row in table.rows] == [
        ("c 1", "0", "0.60", "2.80", "2.20"),
        ("c 1", "1", "0.40", "2.20", "1.80"),
        ("c 4", "0", "0.60", "2.80", "2.20"),
        ("c 4", "1", "0.40", "2.20", "1.80"),
    ]


def test_only_loads_of_two_temperatures_are_compared() -> None:
    (table,) = temperature_tables(warm_findings({0.0: (1, 4), 1.0: (4, 16)}))
    assert {row.condition.concurrency for row in table.rows} == {4}
    assert temperature_tables(warm_findings({0.0: (1,), 1.0: (4,)})) == ()


def test_one_temperature_makes_no_table() -> None:
    assert temperature_tables(example_findings()) == ()


def test_terminal_and_markdown_show_the_same_rows() -> None:
    findings = warm_findings()
    facts = make_facts(findings)
    text = render(run_tables(findings, facts), 120)
    assert "Acceptance by temperature" in text
    markdown = report_markdown(findings, facts)
    assert f"| {' | '.join(HEAD)} |" in markdown
    assert "| c 4 | 1 | 0.40 | 2.20 | 1.80 |" in markdown
