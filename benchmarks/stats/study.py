"""The whole study: noise-free cells once, what is true of each curve, then sweeps by
the thousand, equal arms, and some sweeps simulated from end to end. Work is dealt to
processes; every random number has a name, so the result does not depend on how many."""

import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain

from agreement import Agreement, compare_ways, join
from cells import CellName, simulate
from curves import CURVES, SHORT, Curve
from sweeps import Noise, Plan, Pool, concluded, draw, from_pool
from tally import Tally, any_difference, count_sweep, naive_of
from truth import FIRST_SEED, Truth, at_loads, find_crossing, loads_around

from specbench.schema.comparison import SpeedupMetric

LEVELS = (0.005, 0.02, 0.1)
LIMIT = 4.5
"""Noise deviations from 1, of every load, from which an answer is promised."""
CHUNK = 100
EVERY_CONCURRENCY = 48
"""Loads around a jump, one seed each."""

Truths = dict[SpeedupMetric, Truth]


@dataclass(frozen=True)
class Effort:
    """How much is done."""

    plan: Plan
    sweeps: int
    """Of each curve at each noise; of equal arms too."""
    whole: int
    """Of these, simulated from end to end."""
    near_loads: int
    """Loads around a crossing."""
    near_seeds: int
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
    noise: Noise
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
    with _workers(effort.processes) as spread:
        pool = _make_pool([*curves, *twins], effort.plan, spread)
        truths = {c.name: _truths(c, effort, pool, spread) for c in curves}
        cases = [
            _case(curve, level, truths[curve.name], effort)
            for curve in curves
            for level in LEVELS
        ]
        cases += [
            _at_limit(curve, level, effort, pool)
            for curve in curves
            if curve.name == "never"
            for level in LEVELS
        ]
        _count(cases, effort, pool, spread)
        equal = _equal_arms(twins, effort, pool, spread)
        agreement = _both_ways(cases, effort, pool, spread)
    return Study(effort, tuple(cases), tuple(equal), agreement)


Spread = Callable[[Callable[..., object], Iterable[object]], Iterator[object]]


class _workers:
    """Maps over processes, or here where there is only one."""

    def __init__(self, processes: int) -> None:
        self._pool = ProcessPoolExecutor(processes) if processes > 1 else None

    def __enter__(self):
        return self._pool.map if self._pool else map

    def __exit__(self, *_: object) -> None:
        if self._pool:
            self._pool.shutdown(cancel_futures=True)
