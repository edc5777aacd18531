"""What is true of a curve without noise: its speedups at the measured loads, and where
it crosses 1, from cells simulated at more loads around that place, with the same seeds:
sweeps are drawn from just those workloads."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean, stdev

import numpy as np
from cells import CellName
from curves import Curve
from draws import Noise, Plan, Pool

from specbench.analysis.figures import figure_of
from specbench.schema.comparison import BreakEvenOutcome, SpeedupMetric
from specbench.schema.findings import CellStats
from specbench.sim.config import SimConfig

NEAR = 1.5
"""A crossing is told from loads within this factor of it."""

ENOUGH_POINTS = 5


@dataclass(frozen=True)
class Crossing:
    """Where the curve is 1."""

    batch: float
    """The baseline's running batch."""
    error: float
    """Standard error as a share of it."""


@dataclass(frozen=True)
class Truth:
    """One metric of one curve."""

    speedups: tuple[float, ...]
    """Logarithms at the measured loads, mean over the pool's seeds."""
    batches: tuple[float, ...]
    """The baseline's running batch there."""
    sampling: tuple[float, ...]
    """Deviation of the arm's log figure over seeds, at each load."""
    baseline_sampling: tuple[float, ...]
    crossing: Crossing | None
    """Where there is exactly one."""

    @property
    def changes(self) -> list[int]:
        """Loads after which the side changes."""
        pairs = enumerate(pairwise(self.speedups))
        return [i for i, (a, b) in pairs if (a >= 0) != (b >= 0)]

    @property
    def outcome(self) -> BreakEvenOutcome:
        """The right answer, were there no noise."""
        if len(self.changes) > 1:
            return BreakEvenOutcome.SEVERAL
        pays = self.speedups[0] >= 0
        if self.changes:
            return BreakEvenOutcome.PAYS_UP_TO if pays else BreakEvenOutcome.PAYS_FROM
        if pays:
            return BreakEvenOutcome.PAYS_EVERYWHERE
        return BreakEvenOutcome.NEVER_PAYS

    def deviations(self, noise: Noise) -> list[float]:
        """Of one launch's log speedup at each load: noise and seeds of both arms."""
        arm, baseline = noise.deviation, noise.deviation * noise.baseline_ratio
        return [
            math.hypot(arm, own, baseline, other)
            for own, other in zip(self.sampling, self.baseline_sampling, strict=True)
        ]

    def nearest(self, noise: Noise) -> float:
        """How many of them the nearest load lies from 1."""
        pairs = zip(self.speedups, self.deviations(noise), strict=True)
        return min(abs(value) / deviation for value, deviation in pairs)

    @property
    def is_flat(self) -> bool:
        """Nowhere more than 1.5 % from 1."""
        return max(map(abs, self.speedups)) <= 0.015


def at_loads(curve: Curve, plan: Plan, pool: Pool, metric: SpeedupMetric) -> Truth:
    """From the pool alone; the crossing is not known yet."""

    def logs(config: SimConfig, load: int) -> list[float]:
        names = [CellName(config, load, s, plan.size) for s in range(plan.seeds)]
        return [log_figure(pool[name], metric) for name in names]

    slower = math.log(curve.slower)
    arms = [logs(curve.arm, load) for load in plan.loads]
    bases = [logs(curve.baseline, load) for load in plan.loads]
    batches = [
        mean_batch([pool[CellName(curve.baseline, load, s, plan.size)]])
        for load in plan.loads
        for s in range(plan.seeds)
    ]
    return Truth(
        speedups=tuple(
            fmean(arm) - fmean(base) - slower
            for arm, base in zip(arms, bases, strict=True)
        ),
        batches=tuple(
            fmean(batches[i : i + plan.seeds])
            for i in range(0, len(batches), plan.seeds)
        ),
        sampling=tuple(map(_spread, arms)),
        baseline_sampling=tuple(map(_spread, bases)),
        crossing=None,
    )


def _spread(values: Sequence[float]) -> float:
    return stdev(values) if len(values) > 1 else 0.0


def log_figure(cell: CellStats, metric: SpeedupMetric) -> float:
    """Higher is better. Raises where the cell has no such figure."""
    figure = figure_of(cell, metric)
    if figure is None:
        raise ValueError(f"{cell.key.cell_id} has no {metric.value}")
    return math.log(figure)


def mean_batch(cells: Sequence[CellStats]) -> float:
    """Raises where a cell has no running batch."""
    return fmean(_known(cell.running_batch) for cell in cells)


def _known(value: float | None) -> float:
    if value is None:
        raise ValueError("a cell has no running batch")
    return value


def loads_around(truths: Sequence[Truth], count: int) -> list[int]:
    """Concurrencies that lie evenly (in logarithm) around the single crossings, as the
    measured loads place them, `count` of them near each; none where there is none."""
    places = [rough for truth in truths if (rough := rough_crossing(truth)) is not None]
    if not places:
        return []
    low, high = math.log(min(places) / NEAR), math.log(max(places) * NEAR)
    steps = math.ceil((high - low) / (2 * math.log(NEAR)) * (count - 1))
    evenly = [low + (high - low) * i / steps for i in range(steps + 1)]
    return sorted({min(256, max(1, round(math.exp(place)))) for place in evenly})


def rough_crossing(truth: Truth) -> float | None:
    """As the measured loads place a single crossing; a flat curve has none to speak
    of."""
    if len(truth.changes) != 1 or truth.is_flat:
        return None
    left = truth.changes[0]
    before, after = truth.speedups[left : left + 2]
    share = before / (before - after)
    low, high = truth.batches[left : left + 2]
    return math.exp(math.log(low) + share * math.log(high / low))


def find_crossing(
    curve: Curve,
    truth: Truth,
    metric: SpeedupMetric,
    cells: Sequence[tuple[Sequence[CellStats], Sequence[CellStats]]],
) -> Crossing | None:
    """`cells`: baselines and arms at each load around it, by rising load. Raises
    ValueError where too few lie near it."""
    rough = rough_crossing(truth)
    if rough is None:
        return None
    points = []
    for bases, arms in cells:
        batch = mean_batch(bases)
        if rough / NEAR <= batch <= rough * NEAR:
            speedup = fmean(log_figure(cell, metric) for cell in arms)
            speedup -= fmean(log_figure(cell, metric) for cell in bases)
            points.append((math.log(batch), speedup))
    if len(points) < ENOUGH_POINTS:
        raise ValueError(f"only {len(points)} loads lie near a crossing at {rough:.1f}")
    return smooth_root(points) if curve.is_smooth else _jump(points)


def smooth_root(points: Sequence[tuple[float, float]]) -> Crossing:
    """Of the quadratic through (log batch, log speedup) by least squares; the root
    nearest to the middle, with the error that the fit's residuals leave."""
    middle = fmean(x for x, _ in points)
    xs, ys = zip(*((x - middle, y) for x, y in points), strict=True)
    law, covariance = np.polyfit(xs, ys, 2, cov=True)
    root = 0.0
    for _ in range(50):
        root -= np.polyval(law, root) / np.polyval(np.polyder(law), root)
    there = np.array([root**2, root, 1.0])
    spread = float(there @ covariance @ there) ** 0.5
    slope = abs(float(np.polyval(np.polyder(law), root)))
    return Crossing(math.exp(middle + float(root)), spread / slope)


def _jump(points: Sequence[tuple[float, float]]) -> Crossing:
    """Half way between the last load before it and the first after it."""
    low, high = next(
        (a[0], b[0]) for a, b in pairwise(points) if (a[1] >= 0) != (b[1] >= 0)
    )
    return Crossing(math.exp((low + high) / 2), (high - low) / 2)
