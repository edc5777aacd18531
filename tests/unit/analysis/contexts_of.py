"""Cells of runs over contexts: speedups by context and load, launches that differ."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from specbench.schema.findings import CellStats
from specbench.schema.sweep import BASELINE
from tests.factories import cell_stats, condition, latency

Grid = Mapping[int, Mapping[int, float]]
"""Context -> concurrency -> speedup, by every metric."""
MAGIC: Grid = {
    512: {1: 1.30, 4: 1.10, 16: 0.80},
    2048: {1: 1.20, 4: 1.10, 16: 1.06},
    8192: {1: 1.10, 4: 1.25, 16: 1.50},
}
"""Falls with the load at the shortest context and grows with it at the longest."""
TILT = {1: 0.6, 4: -0.7, 16: 0.4}
"""How a launch's deviation falls on the loads, beside what they share."""


def grid_cells(
    speedups: Grid = MAGIC,
    deviations: Sequence[float] = (0.004, -0.003, -0.001),
    arm: str = "ngram",
    **changes: Any,
) -> list[CellStats]:
    """A launch of each arm for each deviation; `changes` are the condition's."""
    made = []
    for replicate, deviation in enumerate(deviations, 1):
        for context, by_load in speedups.items():
            for load, speedup in by_load.items():
                at = replace(condition(load, context=context), **changes)
                noise = math.exp(deviation * (1 + TILT.get(load, 0.0)))
                for name, factor in ((BASELINE, 1.0), (arm, speedup * noise)):
                    cell = cell_stats(
                        name,
                        replicate,
                        load,
                        output_throughput=100 * load * factor,
                        tpot=latency(0.01 / factor),
                    )
                    made.append(replace(cell, key=replace(cell.key, condition=at)))
    return made
