"""H10, no draft in the cell, whatever was counted before, and servers without such
series at all: no rate, no length, and the report says why."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from specbench.analysis.cell import summarise_cell
from specbench.analysis.missing import Missing
from specbench.analysis.run import conclude
from specbench.engines.vllm_metrics import PREFIX, read_metrics
from specbench.report.markdown import report_markdown
from specbench.schema.cell import CellKey
from specbench.schema.findings import CellStats
from specbench.schema.sample import Role
from specbench.schema.snapshot import EngineReading, Phase
from specbench.wire.prometheus import cut_to_prefix
from tests.cases.answers import FACTS
from tests.cases.metrics_pages import (
    Drafted,
    acceptance_of,
    counter,
    engine_lines,
    found,
    growths,
    page,
)
from tests.factories import condition, observations, steady_sample

COUNTED = st.integers(1, 5).flatmap(growths)
ENGINES = st.integers(1, 3)


def cell_with(text: str, arm: str) -> CellStats:
    """A cell of good requests during which the page never changed."""
    samples = [
        steady_sample(
            200.0 * place,
            5,
            40.0,
            index=place,
            role=Role.MEASURED if place else Role.WARMUP,
        )
        for place in range(6)
    ]
    readings = [
        EngineReading(phase, at, *read_metrics(cut_to_prefix(text, PREFIX)))
        for at, phase in enumerate(Phase)
    ]
    key = CellKey(condition(1), arm, 1)
    seen = observations(
        samples, readings, key=key, expects_speculation=arm != "baseline"
    )
    return summarise_cell(seen)


def codes(cell: CellStats) -> set[str]:
    return {finding.code for finding in cell.findings}


@settings(max_examples=60)
@given(COUNTED, ENGINES, st.data())
def test_counters_that_did_not_move_give_no_rate_and_no_length(
    counted: Drafted, engines: int, data: st.DataObject
) -> None:
    lines = [
        line
        for engine in range(engines)
        for line in engine_lines(data.draw, counted, str(engine))
    ]
    pages = (page(data.draw, lines), page(data.draw, lines))
    acceptance = found(*pages)
    assert acceptance.drafts == 0
    assert (acceptance.rate, acceptance.length) == (None, None)
    assert acceptance.by_position is None
    assert acceptance.conditional_by_position is None
    cell = cell_with(pages[0], "arm")
    assert "no-drafts" in codes(cell)
    assert "no drafts were made" in cell.missing["acceptance_rate"]
    report = report_markdown(conclude([cell], []), FACTS)
    assert "no drafts were made" in report


@settings(max_examples=40)
@given(st.integers(0, 10**9), st.data())
def test_a_server_without_the_series_is_normal_for_a_baseline_and_not_for_an_arm(
    tokens: int, data: st.DataObject
) -> None:
    lines = counter(data.draw, "vllm:generation_tokens", tokens, {"engine": "0"})
    text = page(data.draw, lines)
    missing = acceptance_of(text, text)
    assert isinstance(missing, Missing)
    assert "reports no speculation" in missing.reason
    baseline, arm = cell_with(text, "baseline"), cell_with(text, "arm")
    assert baseline.acceptance is None
    assert not {c for c in codes(baseline) if "accept" in c or "draft" in c}
    assert "acceptance-unknown" in codes(arm)


@pytest.mark.parametrize("drafts", [1, 7, 10**6])
def test_drafts_that_were_all_refused_are_a_measurement(drafts: int) -> None:
    """Length 1.0 is measured here, and only here."""
    counts = (Drafted(0, 0, ()), Drafted(drafts, 2 * drafts, ()))
    texts = [
        "".join(
            f'{name}_total{{engine="0"}} {value}\n'
            for name, value in (
                ("vllm:spec_decode_num_drafts", counted.drafts),
                ("vllm:spec_decode_num_draft_tokens", counted.draft_tokens),
                ("vllm:spec_decode_num_accepted_tokens", 0),
            )
        )
        for counted in counts
    ]
    acceptance = found(*texts)
    assert (acceptance.rate, acceptance.length) == (0.0, 1.0)
