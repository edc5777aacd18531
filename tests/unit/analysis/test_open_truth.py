"""Open loops in virtual time, launches with noise: the break-even rate that the
analysis finds has the programmed one in its interval."""

import math
from dataclasses import replace
from itertools import pairwise
from statistics import median

import pytest

from specbench.analysis.cell import CellObservations, summarise_cell
from specbench.analysis.run import conclude
from specbench.planning.arrivals import arrival_times
from specbench.schema.cell import CellKey, Condition
from specbench.schema.comparison import BreakEvenOutcome, SpeedupMetric
from specbench.schema.findings import CellStats
from specbench.schema.plan import CellSize
from specbench.schema.sample import Role
from specbench.schema.sweep import Slo
from specbench.sim.config import SimConfig, SimSpeculation, StepCost, slowed
from specbench.sim.virtual_load import VirtualCell, VirtualLoad, simulate_cell
from tests.unit.sim.virtual_cells import prompts

RATES = (10.0, 15.0, 20.0, 26.0)
SECONDS = 10
PLAIN = SimConfig(256, 8192, StepCost(0.010, 0.0, 0.0005, 0.00002), None)
ARMS = {
    "baseline": PLAIN,
    "k3": replace(PLAIN, speculation=SimSpeculation(3, (0.8, 0.7, 0.6), 0.001)),
}
FACTORS = {"baseline": (0.995, 1.004, 1.001), "k3": (1.006, 0.997, 0.998)}
"""What launches multiply the cost of a step by."""


def run(config: SimConfig, rate: float, seed: int) -> VirtualCell:
    measured = math.ceil(rate * SECONDS)
    size = CellSize(math.ceil(measured / 4), measured)
    # warm-up takes prompts of its own, so that the n-th measured one is always the same
    asked = prompts(600, output=48, spread=20)
    load = VirtualLoad(
        concurrency=0,
        warmup=asked[500 : 500 + size.warmup],
        measured=asked[: size.measured],
        max_tokens=4096,
        arrivals=arrival_times(size, rate, seed, "poisson"),
    )
    return simulate_cell(config, load)


def summarise(arm: str, launch: int, rate: float, seed: int) -> CellStats:
    config = slowed(ARMS[arm], FACTORS[arm][launch - 1])
    cell = run(config, rate, seed)
    return summarise_cell(
        CellObservations(
            key=CellKey(Condition("sim", "virtual", 0, 0.0, 0, rate), arm, launch),
            samples=cell.samples,
            readings=cell.readings,
            client=cell.client,
            slo=Slo(e2e_ms=900),
        )
    )


def true_log_speedup(rate: float, seed: int) -> float:
    logs = {}
    for arm, config in ARMS.items():
        cell = run(config, rate, seed)
        took = [
            s.end_ns - s.scheduled_ns for s in cell.samples if s.role is Role.MEASURED
        ]
        logs[arm] = math.log(median(took))
    return logs["baseline"] - logs["k3"]


def true_crossings(low: float, high: float, seed: int) -> list[float]:
    rates = [low * (high / low) ** (n / 16) for n in range(17)]
    logs = [true_log_speedup(rate, seed) for rate in rates]
    return [
        a * (b / a) ** (x / (x - y))
        for (a, x), (b, y) in pairwise(zip(rates, logs, strict=True))
        if x * y <= 0
    ]


@pytest.mark.parametrize("seed", range(6))
def test_the_break_even_rate_is_recovered_within_its_interval(seed: int) -> None:
    cells = [
        summarise(arm, launch, rate, seed)
        for launch in (1, 2, 3)
        for rate in RATES
        for arm in ARMS
    ]
    found = conclude(cells, ())
    (answer,) = (a for a in found.break_evens if a.curve.metric is SpeedupMetric.E2E)
    assert answer.outcome is BreakEvenOutcome.PAYS_UP_TO
    crossing = answer.crossing
    assert crossing is not None
    assert crossing.interval is not None
    low, high = crossing.interval.low, crossing.interval.high
    assert low is not None
    assert high is not None
    below = crossing.below.condition.request_rate
    above = crossing.above.condition.request_rate
    # launches that differ may put it on the other side of a measured rate
    truly = true_crossings(RATES[1], RATES[-1], seed)
    assert truly
    assert all(low <= rate <= high for rate in truly), (low, truly, high)
    # an interval that holds everything would say nothing
    assert 1 < high / low <= above / below
    assert not any(cell.is_void for cell in found.cells)
