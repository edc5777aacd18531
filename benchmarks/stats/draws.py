"""Whole sweeps: three launches of each arm over all loads, concluded by the product.
Sweep number n of a curve at a noise is always the same one, whichever way it is made:
its cells simulated one by one, or taken from the pool and slowed by the same factor."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from cells import CellName, CellSize, rescaled, simulate
from curves import Curve

from specbench.analysis.decide import decide
from specbench.analysis.speedup import Comparison, find_comparisons
from specbench.schema.comparison import BreakEven
from specbench.schema.findings import CellStats
from specbench.schema.sweep import BASELINE
from specbench.sim.config import SimConfig, StepCost
from specbench.sim.step_noise import StepNoise, noisy

ARM = "arm"
LAUNCHES = 3

Pool = Mapping[CellName, CellStats]


@dataclass(frozen=True)
class Noise:
    """How much launches differ."""

    deviation: float
    """Of one figure of the arm over launches: standard deviation of its logarithm."""
    baseline_ratio: float
    """The baseline's deviation over the arm's."""
    launch_share: float
    """Of the variance, what all cells of a launch share."""

    def of(self, arm: str) -> StepNoise:
        """In the simulator's terms."""
        total = self.deviation * (self.baseline_ratio if arm == BASELINE else 1.0)
        return StepNoise(
            launch=total * self.launch_share**0.5,
            cell=total * (1 - self.launch_share) ** 0.5,
        )


@dataclass(frozen=True)
class Plan:
    """What the cells of a sweep are made of."""

    loads: tuple[int, ...]
    seeds: int
    """Of the pool: numbered from 0."""
    size: CellSize


@dataclass(frozen=True)
class Drawn:
    """One cell of a sweep."""

    name: CellName
    arm: str
    replicate: int
    slower: float


def draw(curve: Curve, noise: Noise, number: int, plan: Plan) -> list[Drawn]:
    """The cells of a sweep: each with a seed and a slowness of its own."""
    title = f"{curve.name} {noise.deviation} {noise.launch_share} {number}"
    seeds = random.Random(f"seeds {title}")
    cells = []
    for arm, config in ((BASELINE, curve.baseline), (ARM, curve.arm)):
        step_noise, slower = noise.of(arm), curve.slower if arm == ARM else 1.0
        for replicate in range(1, LAUNCHES + 1):
            launch = f"{title} {arm} {replicate}"
            for load in plan.loads:
                name = CellName(config, load, seeds.randrange(plan.seeds), plan.size)
                factor = slowness(step_noise, launch, f"c{load}")
                cells.append(Drawn(name, arm, replicate, slower * factor))
    return cells


_ONE_SECOND = SimConfig(1, 1, StepCost(1.0, 0.0, 0.0, 0.0), None)


def slowness(noise: StepNoise, launch: str, cell: str) -> float:
    """Factor on every cost of a cell, by its names."""
    return noisy(_ONE_SECOND, noise, launch, cell).cost.base_s


def from_pool(drawn: Sequence[Drawn], pool: Pool) -> list[CellStats]:
    """The fast way."""
    return [rescaled(pool[d.name], d.slower, d.arm, d.replicate) for d in drawn]


def simulated(drawn: Sequence[Drawn]) -> list[CellStats]:
    """The whole way."""
    found = []
    for d in drawn:
        stats = simulate(d.name, d.slower)
        found.append(rescaled(stats, 1.0, d.arm, d.replicate))
    return found


def answered(cells: Sequence[CellStats]) -> list[tuple[Comparison, BreakEven]]:
    """As the product answers; without the joint intervals of a whole run, which cost
    more than all the rest. `agreement` concludes in full."""
    found = []
    for comparison in find_comparisons(cells):
        _, answer = decide(comparison.frame, comparison.baseline, comparison.arm)
        found.append((comparison, answer))
    return found
