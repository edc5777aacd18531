"""The true speedup of the open sweep at any rate: the pure engine with the programmed
costs, given the prompts and answers that the server logged, at the arrivals of that
rate. Medians are taken here anew, from instants."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from specbench.planning.arrivals import arrival_times
from specbench.schema.plan import CellSize
from specbench.schema.sample import Role
from specbench.sim.config import SimConfig, SimSpeculation, StepCost
from specbench.sim.virtual_load import VirtualLoad, VirtualPrompt, simulate_cell

COST = StepCost(
    base_s=0.010,
    per_sequence_s=0.00005,
    per_token_s=0.0005,
    prefill_per_token_s=0.00002,
)
DRAFTER = SimSpeculation(3, (0.8, 0.7, 0.6), draft_step_s=0.001)
SECONDS = 6
"""measure.seconds_per_rate of the sweep."""
SEED = 0
"""workload.seed, and the server's."""


@dataclass(frozen=True, slots=True)
class Asked:
    """Prompts of the largest cell in their order; a smaller one takes beginnings."""

    warmup: tuple[VirtualPrompt, ...]
    measured: tuple[VirtualPrompt, ...]


def size_at(rate: float) -> CellSize:
    """As docs/method.md has it: what arrives in the time, and a quarter before it."""
    measured = max(16, math.ceil(round(rate * SECONDS, 6)))
    return CellSize(math.ceil(measured / 4), measured)


def true_latency(drafter: SimSpeculation | None, asked: Asked, rate: float) -> float:
    """Median end-to-end latency over the measured requests, in seconds."""
    size = size_at(rate)
    load = VirtualLoad(
        concurrency=0,
        warmup=asked.warmup[: size.warmup],
        measured=asked.measured[: size.measured],
        max_tokens=256,
        seed=SEED,
        arrivals=arrival_times(size, rate, SEED, "poisson"),
    )
    cell = simulate_cell(SimConfig(256, 8192, COST, drafter), load)
    return median(
        (s.end_ns - s.scheduled_ns) / 1e9
        for s in cell.samples
        if s.role is Role.MEASURED
    )


def true_speedup(asked: Asked, rate: float) -> float:
    """Baseline over arm."""
    return true_latency(None, asked, rate) / true_latency(DRAFTER, asked, rate)


def true_crossings(asked: Asked, rates: Sequence[float]) -> list[float]:
    """Between which of these rates the arm ceases to pay, or begins to."""
    logs = [math.log(true_speedup(asked, rate)) for rate in rates]
    return [
        low * (high / low) ** (a / (a - b))
        for (low, a), (high, b) in pairwise(zip(rates, logs, strict=True))
        if a * b <= 0 and a != b
    ]
