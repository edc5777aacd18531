"""Noise as machines have it: a launch is a little faster or slower than another for as
long as it lives, and so is a cell. Each is a log-normal factor with median 1 on every
cost of a step. Seeded: equal names give equal factors."""

import math
import random
from dataclasses import dataclass

from specbench.sim.config import SimConfig, slowed


@dataclass(frozen=True, slots=True)
class StepNoise:
    """Standard deviations of the logarithms, so 0.02 is about 2 percent."""

    launch: float = 0.0
    cell: float = 0.0


def noisy(config: SimConfig, noise: StepNoise, launch: str, cell: str) -> SimConfig:
    """The engine as it is in one cell of one launch. `launch` names the launch within
    the whole simulation, seed included; `cell` the cell within its launch."""
    exponent = noise.launch * random.Random(f"launch {launch}").gauss(0.0, 1.0)
    exponent += noise.cell * random.Random(f"cell {launch} {cell}").gauss(0.0, 1.0)
    return slowed(config, math.exp(exponent))
