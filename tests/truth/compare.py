"""The product's figures beside the truth. Each comparison is kept, so that a test run
shows by how much the product was off, not only that it passed."""

import logging
import math
from collections.abc import Mapping
from typing import Any

from tests.truth.judge import Truth

tell = logging.getLogger("truth").info
"""`make test-truth` shows what is told: a test that passes says by how much."""

SHARE = 0.01
TTFT_FLOOR_S = 0.003
SIGMAS = 3


def off(figure: float, truth: float) -> float:
    """Relative error."""
    return figure / truth - 1


def faults_of(cell: Mapping[str, Any], truth: Truth) -> list[str]:
    """Figures of a cell (as the product's JSON has it) that are not the truth."""
    pairs = {
        "tpot p50": (cell["tpot"]["p50"], truth.tpot_p50),
        "tpot mean": (cell["tpot"]["mean"], truth.tpot_mean),
        "output throughput": (cell["output_throughput"], truth.throughput),
    }
    wrong = [
        f"{name}: {figure:.6g}, truly {true:.6g} ({off(figure, true):+.2%})"
        for name, (figure, true) in pairs.items()
        if figure is None or abs(off(figure, true)) > SHARE
    ]
    ttfts = {
        "ttft p50": (cell["ttft"]["p50"], truth.ttft_p50),
        "ttft mean": (cell["ttft"]["mean"], truth.ttft_mean),
    }
    return wrong + [
        f"{name}: {figure * 1e3:.2f} ms, truly {low * 1e3:.2f} to {high * 1e3:.2f} ms"
        for name, (figure, (low, high)) in ttfts.items()
        if not low - _ttft_bound(low) <= figure <= high + _ttft_bound(high)
    ]


def _ttft_bound(true: float) -> float:
    return TTFT_FLOOR_S + SHARE * true


def sampling_error(truth: Truth, readings: int) -> float:
    """Relative standard error of a gauge's mean over so many readings at instants that
    know nothing of the load: spread / sqrt(n) / mean."""
    return truth.running_spread / math.sqrt(readings) / truth.running


def summary(name: str, cell: Mapping[str, Any], truth: Truth) -> str:
    """One line for people: the truth, and by how much the product is off."""
    figures = [
        ("tpot ms", cell["tpot"]["p50"] * 1e3, truth.tpot_p50 * 1e3),
        ("tokens/s", cell["output_throughput"], truth.throughput),
        ("running", cell["running_batch"], truth.running),
    ]
    low, high = (edge * 1e3 for edge in truth.ttft_p50)
    return ", ".join(
        [
            f"{name}: window {truth.window_s:.1f} s",
            *(
                f"{what} {true:.5g} {off(figure, true):+.2%}"
                for what, figure, true in figures
                if figure is not None
            ),
            f"ttft ms {low:.1f} to {high:.1f}: {cell['ttft']['p50'] * 1e3:.1f}",
            f"lag p99 {cell['client_lag_p99'] * 1e3:.2f} ms",
            f"worst chunk {truth.worst_stamp_lag * 1e3:.1f} ms",
        ]
    )
