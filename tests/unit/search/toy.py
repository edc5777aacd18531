"""A toy machine for tests of the search: a curve, noise by name, and seconds for each
cell and launch. It does what a search asks until the search ends."""

import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any

from specbench.schema.cell import CellKey, Condition
from specbench.schema.findings import CellStats
from specbench.schema.search import SearchEnd, SearchRound
from specbench.schema.sweep import (
    BASELINE,
    Arm,
    Load,
    Measure,
    Search,
    SweepSpec,
    Target,
    Workload,
)
from specbench.search.adaptive import SearchState, next_round
from tests.factories import cell_stats, latency

OCTAVES = (1, 2, 4, 8, 16, 32, 64, 128, 256)
LogSpeedup = Callable[[float], float]


def falling(crossing: float, slope: float = 0.2) -> LogSpeedup:
    """Pays up to `crossing`; falls by `slope` over an octave."""
    return lambda load: slope * math.log2(crossing / load)


def flat(value: float) -> LogSpeedup:
    """The same at every load."""
    return lambda load: value + 0 * load


def sweep(
    loads: Collection[int] = OCTAVES,
    arms: Collection[str] = ("eagle",),
    rates: Collection[float] = (),
    replicates: int = 3,
    **changes: Any,
) -> SweepSpec:
    """A checked sweep file; changes are of its workload and its search."""
    work = {k: v for k, v in changes.items() if k in ("datasets", "context")}
    search = {k: v for k, v in changes.items() if k not in work}
    return SweepSpec(
        targets=[Target(model="target", engine="sim")],
        arms=[Arm(name=name, speculative={"method": "toy"}) for name in arms],
        workload=Workload(**{"datasets": ["questions"], **work}),
        load=Load(request_rate=list(rates)) if rates else Load(concurrency=list(loads)),
        search=Search(mode="adaptive", **search),
        measure=Measure(replicates=replicates),
    )


def state(spec: SweepSpec, **changes: Any) -> SearchState:
    """Before the first launch."""
    made = SearchState(
        spec=spec,
        target=spec.targets[0].label,
        arms=tuple(arm.name for arm in spec.arms),
        cells=(),
        cell_s={},
        startup_s=60.0,
        spent_s=0.0,
        budget_s=None,
        prior=(),
        lost=frozenset(),
        impossible=frozenset(),
        rounds=(),
    )
    return replace(made, **changes)


@dataclass
class Toy:
    """Log speedups of the arms over the load; all data sets and contexts are alike
    unless a curve is named for them."""

    curves: Mapping[str, LogSpeedup]
    noise: float = 0.005
    seed: int = 0
    cell_s: float = 60.0
    by_context: Mapping[int, LogSpeedup] = field(default_factory=dict)

    def measure(self, asked: SearchRound) -> list[CellStats]:
        """The cells of one launch of each arm."""
        return [
            self.cell(CellKey(condition, arm, asked.number))
            for arm, conditions in asked.cells.items()
            for condition in conditions
        ]

    def cell(self, key: CellKey) -> CellStats:
        """Its figures follow from its name."""
        log_speed = math.log(100.0)
        if key.arm != BASELINE:
            curve = self.by_context.get(key.condition.context, self.curves[key.arm])
            log_speed += curve(key.condition.load)
        launch = Random(f"{self.seed} {key.arm} {key.replicate}")
        own = Random(f"{self.seed} {key.cell_id}")
        log_speed += self.noise * (launch.gauss(0, 0.7) + own.gauss(0, 0.7))
        return replace(
            cell_stats(key.arm, key.replicate),
            key=key,
            output_throughput=math.exp(log_speed),
            e2e_latency=latency(100 * math.exp(-log_speed)),
            running_batch=key.condition.load,
        )

    def after(self, now: SearchState, asked: SearchRound) -> SearchState:
        """The state when the round has been measured."""
        cells = self.measure(asked)
        seconds = self.cell_s * len(cells) + now.startup_s * len(asked.cells)
        return replace(
            now,
            cells=(*now.cells, *cells),
            cell_s={**now.cell_s, **{cell.key: self.cell_s for cell in cells}},
            spent_s=now.spent_s + seconds,
            budget_s=None if now.budget_s is None else now.budget_s - seconds,
            rounds=(*now.rounds, asked),
        )

    def search(self, begin: SearchState) -> tuple[SearchState, SearchEnd]:
        """To its end."""
        now = begin
        for _ in range(200):
            choice = next_round(now)
            if isinstance(choice, SearchEnd):
                return now, choice
            now = self.after(now, choice)
        raise AssertionError("the search does not end")


def loads_of(asked: SearchRound | SearchEnd, arm: str = "eagle") -> list[float]:
    """What a round measures of an arm with one curve."""
    assert isinstance(asked, SearchRound), asked
    return [condition.load for condition in asked.cells[arm]]


def conditions_of(asked: SearchRound) -> set[Condition]:
    """Of all arms that speculate."""
    return {c for arm, cells in asked.cells.items() if arm != BASELINE for c in cells}
