"""The whole study: noise-free cells once, what is true of each curve, then sweeps by
the thousand, equal arms, and some sweeps simulated from end to end."""

import math
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from agreement import Agreement, compare_ways, join
from cells import CellName, simulate
from curves import CURVES, SHORT, Curve
from draws import Noise, Plan, Pool, answered, draw, from_pool
from tally import Tally, any_difference, count_sweep
from truth import Truth, at_loads, find_crossing, loads_around
from workers import Mapping, workers

from specbench.schema.comparison import CLOSED_LOOP, SpeedupMetric
from specbench.schema.findings import CellStats
from specbench.sim.config import SimConfig

LEVELS = (0.005, 0.02, 0.1)
LIMIT = 4.5 / math.hypot(1.0, 0.5)
"""Deviations of the speedup from which on the right answer is promised: 4.5 of an arm's
whose baseline varies half as much."""
CHUNK = 100
EVERY_CONCURRENCY = 48
"""Loads around a jump, with one seed each."""

Truths = dict[SpeedupMetric, Truth]


@dataclass(frozen=True)
class Effort:
    """How much is done."""

    plan: Plan
    sweeps: int
    """Of each curve at each noise; runs of equal arms as well."""
    whole: int
    """Sweeps of each curve that are also simulated from end to end."""
    near_loads: int
    """Loads around each crossing, at least six."""
    processes: int
    launch_share: float = 0.5


@dataclass(frozen=True)
class Case:
    """One curve at one noise."""

    curve: Curve
    noise: Noise
    truths: Truths
    tallies: dict[SpeedupMetric, Tally]


@dataclass(frozen=True)
class EqualArms:
    """An arm against itself at one noise."""

    name: str
    deviation: float
    runs: int
    claims: Counter[str]
    """Runs that claim a difference, by metric and under `any`."""


@dataclass(frozen=True)
class Study:
    """Everything that was found."""

    effort: Effort
    cases: tuple[Case, ...]
    equal: tuple[EqualArms, ...]
    agreement: Agreement


def run_study(effort: Effort, names: Sequence[str] = ()) -> Study:
    """`names`: curves; none = all."""
    curves = [c for c in CURVES if not names or c.name in names]
    twins = _twins(curves)
    with workers(effort.processes) as spread:
        _say("cells without noise")
        pool = _make_pool([*curves, *twins], effort.plan, spread)
        _say("cells around the crossings")
        truths = {c.name: _truths(c, effort, pool, spread) for c in curves}
        cases = [
            _empty(c, level, truths[c.name], effort) for c in curves for level in LEVELS
        ]
        if "never" in truths:
            never = next(c for c in curves if c.name == "never")
            cases += [_at_limit(never, level, effort, pool) for level in LEVELS]
        for case in cases:
            _say(f"sweeps: {case.curve.name}, noise {case.noise.deviation:.1%}")
            _count_sweeps(case, effort, pool, spread)
        _say("equal arms")
        equal = tuple(_equal_arms(twins, effort, pool, spread))
        _say("sweeps from end to end")
        agreement = _both_ways(cases, effort, pool, spread)
    return Study(effort, tuple(cases), equal, agreement)


def noise_at(level: float, launch_share: float, is_equal: bool = False) -> Noise:
    """A baseline varies half as much as a speculating arm; on a machine with 10 % of
    noise both vary alike."""
    ratio = 1.0 if is_equal or level >= 0.1 else 0.5
    return Noise(level, ratio, launch_share)


def _twins(curves: Sequence[Curve]) -> list[Curve]:
    """Equal arms: a baseline, and a speculating arm whose drafts add to the noise."""
    found = [Curve("the baseline against itself", "", SHORT, SHORT)]
    arm = next((c.arm for c in curves if c.name == "medium"), None)
    if arm is not None:
        found.append(Curve("the medium arm against itself", "", arm, arm))
    return found


def _make_pool(curves: Iterable[Curve], plan: Plan, spread: Mapping) -> Pool:
    configs = dict.fromkeys(x for c in curves for x in (c.baseline, c.arm))
    names = [
        CellName(config, load, seed, plan.size)
        for load in reversed(plan.loads)  # the long ones first
        for config in configs
        for seed in range(plan.seeds)
    ]
    return dict(zip(names, spread(simulate, names), strict=True))


def _truths(curve: Curve, effort: Effort, pool: Pool, spread: Mapping) -> Truths:
    rough = {m: at_loads(curve, effort.plan, pool, m) for m in CLOSED_LOOP}
    seeds = range(effort.plan.seeds)
    count = effort.near_loads
    if not curve.is_smooth:
        count, seeds = max(count, EVERY_CONCURRENCY), seeds[:1]
    loads = loads_around(list(rough.values()), count)
    names = [
        CellName(config, load, seed, effort.plan.size)
        for load in loads
        for config in (curve.baseline, curve.arm)
        for seed in seeds
    ]
    cells = list(spread(simulate, names))
    groups = [cells[i : i + len(seeds)] for i in range(0, len(cells), len(seeds))]
    pairs = list(zip(groups[::2], groups[1::2], strict=True))
    return {
        metric: replace(truth, crossing=find_crossing(curve, truth, metric, pairs))
        for metric, truth in rough.items()
    }


def _empty(curve: Curve, level: float, truths: Truths, effort: Effort) -> Case:
    tallies = {metric: Tally() for metric in truths}
    return Case(curve, noise_at(level, effort.launch_share), truths, tallies)


def _at_limit(never: Curve, level: float, effort: Effort, pool: Pool) -> Case:
    """The curve that never pays, its arm made faster until the nearest load's
    throughput lies at the limit and all others hardly further."""
    truth = at_loads(never, effort.plan, pool, SpeedupMetric.THROUGHPUT)
    noise = noise_at(level, effort.launch_share)
    faster = min(
        -LIMIT * deviation - value
        for value, deviation in zip(
            truth.speedups, truth.deviations(noise), strict=True
        )
    )
    what = f"never pays, all loads {LIMIT:.1f} deviations from 1 or little more"
    curve = replace(never, name="at the limit", what=what, slower=math.exp(-faster))
    truths = {m: at_loads(curve, effort.plan, pool, m) for m in CLOSED_LOOP}
    return _empty(curve, level, truths, effort)


@dataclass(frozen=True)
class _Task:
    """Some sweeps of one case."""

    curve: Curve
    noise: Noise
    plan: Plan
    cells: dict[CellName, CellStats]
    """What of the pool it needs."""
    truths: Truths
    numbers: range


def _tasks(
    curve: Curve, noise: Noise, truths: Truths, effort: Effort, pool: Pool
) -> list[_Task]:
    cells = _cells_of((curve.baseline, curve.arm), pool)
    return [
        _Task(curve, noise, effort.plan, cells, truths, numbers)
        for first in range(0, effort.sweeps, CHUNK)
        for numbers in (range(first, min(first + CHUNK, effort.sweeps)),)
    ]


def _cells_of(configs: Sequence[SimConfig], pool: Pool) -> dict[CellName, CellStats]:
    return {name: cell for name, cell in pool.items() if name.config in configs}


def _count_sweeps(case: Case, effort: Effort, pool: Pool, spread: Mapping) -> None:
    tasks = _tasks(case.curve, case.noise, case.truths, effort, pool)
    for part in spread(_some_sweeps, tasks):
        for metric, tally in part.items():
            case.tallies[metric].join(tally)


def _some_sweeps(task: _Task) -> dict[SpeedupMetric, Tally]:
    tallies = {metric: Tally() for metric in task.truths}
    for number in task.numbers:
        drawn = draw(task.curve, task.noise, number, task.plan)
        answers = answered(from_pool(drawn, task.cells))
        count_sweep(tallies, answers, task.truths)
    return tallies


def _equal_arms(
    twins: Sequence[Curve], effort: Effort, pool: Pool, spread: Mapping
) -> Iterable[EqualArms]:
    for twin in twins:
        for level in LEVELS:
            noise = noise_at(level, effort.launch_share, is_equal=True)
            claims: Counter[str] = Counter()
            for part in spread(_some_twins, _tasks(twin, noise, {}, effort, pool)):
                claims += part
            yield EqualArms(twin.name, level, effort.sweeps, claims)


def _some_twins(task: _Task) -> Counter[str]:
    claims: Counter[str] = Counter()
    for number in task.numbers:
        drawn = draw(task.curve, task.noise, number, task.plan)
        found = any_difference(answered(from_pool(drawn, task.cells)))
        claims.update(name for name, claimed in found.items() if claimed)
    return claims


def _both_ways(
    cases: Sequence[Case], effort: Effort, pool: Pool, spread: Mapping
) -> Agreement:
    """Each curve at one noise, in turn."""
    tasks = [
        _Task(
            case.curve,
            case.noise,
            effort.plan,
            _cells_of((case.curve.baseline, case.curve.arm), pool),
            {},
            range(number, number + 1),
        )
        for place, case in enumerate(cases)
        if place // len(LEVELS) % len(LEVELS) == place % len(LEVELS)
        for number in range(effort.whole)
    ]
    return join(list(spread(_one_both_ways, tasks)))


def _one_both_ways(task: _Task) -> Agreement:
    return compare_ways(
        task.curve, task.noise, task.numbers.start, task.plan, task.cells
    )


def _say(line: str) -> None:
    sys.stderr.write(line + "\n")
