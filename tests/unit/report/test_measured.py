"""Cells of one server without a partner."""

from dataclasses import replace

from specbench.analysis.rules.rule import void
from specbench.report.measured import measured_table
from specbench.schema.findings import Drift
from specbench.schema.record import EngineFacts
from tests.factories import cell_stats
from tests.golden.rendering import render

FACTS = EngineFacts("vllm", "0.32.0", "m", *(None,) * 6)


def row(text: str, figure: str) -> list[str]:
    (line,) = [line for line in text.splitlines() if figure in line]
    return [part.strip() for part in line.replace("│", "┃").split("┃")][3:-1]


def test_the_health_of_a_cell_stands_beside_its_figures() -> None:
    good = cell_stats(concurrency=1, drift=Drift(0.97, 1.1))
    poor = cell_stats(
        concurrency=8, client_cpu_share=0.91, window_share=0.4, drift=None
    )
    text = render(measured_table(FACTS, [good, poor]), 100)
    assert row(text, "client CPU") == ["0.10", "0.91"]
    assert row(text, "window / whole run") == ["0.75", "0.40"]
    assert row(text, "drift") == ["0.97", "—"]


def test_findings_are_said_with_their_load_and_advice() -> None:
    spoilt = replace(cell_stats(concurrency=8), findings=(void("x", "late", "wait"),))
    text = " ".join(render(measured_table(FACTS, [spoilt]), 100).split())
    assert "c=8: void: late; wait" in text
