"""The whole study: cells without noise once, what is true of each curve, then the same
sweeps as a grid, by bisection, and by the search."""

import math
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import rivals
from cells import CellName, CellSize, simulate
from curves import CURVES, Curve
from draws import Noise
from draws import Plan as TruthPlan
from machine import Policy, Pool, Sweep, run
from score import Score, answers_of, quantile, widest_half
from study import noise_at
from truth import Truth, at_loads, find_crossing, rough_crossing
from workers import Mapping, workers

from specbench.schema.comparison import SpeedupMetric
from specbench.schema.findings import CellStats
from specbench.search.adaptive import next_round
from specbench.search.loads import STEPS

LEVELS = (0.005, 0.02, 0.1)
JUDGED_UP_TO = 0.02
"""Noise."""
NAMES = (
    "steep",
    "medium",
    "pays from",
    "shallow",
    "always",
    "never",
    "flat",
    "two crossings",
)
JUDGED = NAMES[:3]
"""Curves that cross 1 once and are not shallow."""
SHARED = ((256, 1024, 4096), ("chat", "code"))
"""Contexts and data sets of the sweep whose curves share their launches."""
FASTER = 10.0
"""The simulated engine takes a tenth of a second a step, a real one about a tenth of
that; beside its cells a launch of 60 s weighs more."""
CHUNK = 25
LAUNCH_SHARE = 0.5
"""Of the variance of the noise."""
LOWEST, WIDEST, USUAL_PRECISION = 0.001, 10.0, 0.05
"""Half widths that a sweep file may ask for, and the usual one."""
THROUGHPUT = SpeedupMetric.THROUGHPUT


@dataclass(frozen=True)
class Way:
    """How cells are chosen."""

    name: str
    policy: Policy
    is_single: bool = False


GRID = Way("grid", rivals.grid)
SEARCH = Way("search", next_round)
KNOWN_SINGLE = Way("search, single crossing known", next_round, is_single=True)
BISECTION = Way("bisection", rivals.bisection)
WAYS = (BISECTION, SEARCH, KNOWN_SINGLE)


@dataclass(frozen=True)
class Effort:
    """How much is done."""

    loads: tuple[int, ...]
    size: CellSize
    seeds: int
    sweeps: int
    """Of each curve at each noise, in each way."""
    shared: int
    """Sweeps of six curves that share their launches."""
    processes: int
    levels: tuple[float, ...] = LEVELS


@dataclass
class Case:
    """One curve at one noise."""

    curve: Curve
    noise: Noise
    truth: Truth
    precision: float
    """What the search is asked for: the grid's own half width in the median."""
    scores: dict[str, Score] = field(default_factory=dict)
    """By the name of the way."""
    shared: dict[float, Score] = field(default_factory=dict)
    """Six such curves at once, by how much faster the cells are."""

    @property
    def is_judged(self) -> bool:
        """Whether the promises speak of it."""
        return self.curve.name in JUDGED and self.noise.deviation <= JUDGED_UP_TO


def run_study(effort: Effort, names: Sequence[str] = ()) -> list[Case]:
    """`names`: curves; none = all."""
    curves = [c for c in CURVES if c.name in (names or NAMES)]
    with workers(effort.processes) as spread:
        _say("cells without noise")
        pool = _make_pool(curves, effort, spread)
        cases = []
        for curve in curves:
            truth = _truth(curve, effort, pool, spread)
            for level in effort.levels:
                _say(f"sweeps: {curve.name}, noise {level:.1%}")
                cases.append(_case(curve, level, truth, effort, pool, spread))
    return cases


def _make_pool(curves: Sequence[Curve], effort: Effort, spread: Mapping) -> Pool:
    pool = Pool(effort.size, effort.seeds)
    configs = dict.fromkeys(x for c in curves for x in (c.baseline, c.arm))
    _fill(
        pool,
        [
            pool.name(config, load, seed)
            for load in effort.loads
            for config in configs
            for seed in range(effort.seeds)
        ],
        spread,
    )
    return pool


def _fill(pool: Pool, names: Sequence[CellName], spread: Mapping) -> None:
    wanted = [name for name in dict.fromkeys(names) if name not in pool.cells]
    pool.cells.update(zip(wanted, spread(simulate, wanted), strict=True))


def _truth(curve: Curve, effort: Effort, pool: Pool, spread: Mapping) -> Truth:
    """Its crossing comes from loads around it, most of which the search will want."""
    plan = TruthPlan(effort.loads, effort.seeds, effort.size)
    truth = at_loads(curve, plan, pool.cells, THROUGHPUT)
    rough = rough_crossing(truth)
    if rough is None:
        return truth
    loads = steps_around(rough, max(effort.loads))
    sides = (curve.baseline, curve.arm)
    seeds = range(effort.seeds)
    _fill(
        pool,
        [
            pool.name(config, load, s)
            for load in loads
            for config in sides
            for s in seeds
        ],
        spread,
    )
    pairs = [
        tuple(
            [pool.cells[pool.name(config, load, s)] for s in seeds] for config in sides
        )
        for load in loads
    ]
    return replace(truth, crossing=find_crossing(curve, truth, THROUGHPUT, pairs))


def steps_around(place: float, highest: int) -> list[int]:
    """Loads on the search's own steps, within an octave."""
    middle = round(STEPS * math.log2(place))
    steps = range(middle - STEPS, middle + STEPS + 1)
    loads = {round(2 ** (step / STEPS)) for step in steps}
    return sorted(load for load in loads if 1 <= load <= highest)


@dataclass(frozen=True)
class _Task:
    """Some sweeps of one kind."""

    sweep: Sweep
    ways: tuple[Way, ...]
    truth: Truth
    cells: dict[CellName, CellStats]
    """Of the pool, what it surely needs."""
    size: CellSize
    seeds: int
    numbers: range = range(0)


def _case(
    curve: Curve,
    level: float,
    truth: Truth,
    effort: Effort,
    pool: Pool,
    spread: Mapping,
) -> Case:
    noise = noise_at(level, LAUNCH_SHARE)
    sweep = Sweep(curve, noise, effort.loads)
    task = _Task(sweep, (), truth, _of(curve, pool), pool.size, pool.seeds)
    precision = USUAL_PRECISION
    if truth.changes and not truth.is_flat:
        parts = spread(_grid_halves, _split(task, effort.sweeps))
        median = quantile([half for part in parts for half in part], 0.5)
        precision = min(WIDEST, max(LOWEST, median))
    sweep = replace(sweep, precision=precision)
    task = replace(task, sweep=sweep, ways=(GRID, *WAYS))
    scores = _scores(task, effort.sweeps, spread)
    case = Case(curve, noise, truth, precision, scores)
    if case.is_judged:
        contexts, datasets = SHARED
        for faster in (1.0, FASTER):
            six = replace(sweep, contexts=contexts, datasets=datasets, faster=faster)
            task = replace(task, sweep=six, ways=(SEARCH,))
            case.shared[faster] = _scores(task, effort.shared, spread)[SEARCH.name]
    return case


def _of(curve: Curve, pool: Pool) -> dict[CellName, CellStats]:
    sides = (curve.baseline, curve.arm)
    return {name: cell for name, cell in pool.cells.items() if name.config in sides}


def _split(task: _Task, sweeps: int) -> Iterator[_Task]:
    for first in range(0, sweeps, CHUNK):
        yield replace(task, numbers=range(first, min(first + CHUNK, sweeps)))


def _scores(task: _Task, sweeps: int, spread: Mapping) -> dict[str, Score]:
    whole = {way.name: Score() for way in task.ways}
    for part in spread(_some_sweeps, _split(task, sweeps)):
        for name, score in part.items():
            whole[name].join(score)
    return whole


def _some_sweeps(task: _Task) -> dict[str, Score]:
    scores = {way.name: Score() for way in task.ways}
    pool = _pool_of(task)
    for number in task.numbers:
        grid = run(task.sweep, number, pool, GRID.policy)
        for way in task.ways:
            asked = replace(task.sweep, is_single=way.is_single)
            made = grid if way == GRID else run(asked, number, pool, way.policy)
            scores[way.name].add(made, grid, task.truth, asked.precision)
    return scores


def _grid_halves(task: _Task) -> list[float]:
    pool = _pool_of(task)
    return [
        widest_half(answer)
        for number in task.numbers
        for answer in answers_of(run(task.sweep, number, pool, GRID.policy))
    ]


_KEPT: dict[CellName, CellStats] = {}
"""What this process has simulated beyond what its tasks brought along."""


def _pool_of(task: _Task) -> Pool:
    _KEPT.update(task.cells)
    return Pool(task.size, task.seeds, _KEPT)


def _say(line: str) -> None:
    sys.stderr.write(line + "\n")
