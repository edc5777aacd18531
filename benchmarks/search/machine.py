"""A machine in virtual time that does what a search asks of it: launches, cells, and
the seconds that they take. A cell has its noise and its prompts by its names alone, so
that every way to search meets the same ones."""

import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from cells import CellName, CellSize, rescaled, simulate
from curves import Curve
from draws import ARM, Noise, slowness

from specbench.schema.cell import CellKey
from specbench.schema.findings import CellStats
from specbench.schema.search import SearchEnd, SearchRound
from specbench.schema.sweep import (
    BASELINE,
    Arm,
    Load,
    Search,
    SweepSpec,
    Target,
    Workload,
)
from specbench.search.adaptive import SearchState

STARTUP_S = 60.0
TARGET = "sim"
MOST_ROUNDS = 200

Policy = Callable[[SearchState], SearchRound | SearchEnd]


@dataclass
class Pool:
    """Cells without noise: each is simulated once, when it is first wanted."""

    size: CellSize
    seeds: int
    cells: dict[CellName, CellStats] = field(default_factory=dict)

    def name(self, config: object, load: int, seed: int) -> CellName:
        """Of one cell."""
        return CellName(config, load, seed, self.size)

    def cell(self, name: CellName) -> CellStats:
        """Summarised by the product."""
        if name not in self.cells:
            self.cells[name] = simulate(name)
        return self.cells[name]


@dataclass(frozen=True)
class Sweep:
    """What is asked of a machine: the same curve once for each context and data set,
    with prompts and noise of its own."""

    curve: Curve
    noise: Noise
    loads: tuple[int, ...]
    contexts: tuple[int, ...] = (0,)
    datasets: tuple[str, ...] = ("virtual",)
    precision: float = 0.05
    is_single: bool = False
    """A single crossing is known."""
    faster: float = 1.0
    """Every cell takes so many times less; launches do not."""

    @property
    def spec(self) -> SweepSpec:
        """As a sweep file would say it."""
        return SweepSpec(
            targets=[Target(model=TARGET, engine="sim")],
            arms=[Arm(name=ARM, speculative={"method": "programmed"})],
            workload=Workload(
                datasets=list(self.datasets), context=list(self.contexts)
            ),
            load=Load(concurrency=list(self.loads)),
            search=Search(
                mode="adaptive",
                precision=self.precision,
                assume="single-crossing" if self.is_single else "nothing",
            ),
        )


@dataclass(frozen=True)
class Run:
    """What a search came to."""

    cells: tuple[CellStats, ...]
    cell_s: Mapping[CellKey, float]
    launches: int
    end: SearchEnd | None

    @property
    def seconds(self) -> float:
        """Of the cells."""
        return sum(self.cell_s.values())

    @property
    def total_s(self) -> float:
        """With the launches."""
        return self.seconds + STARTUP_S * self.launches


def run(sweep: Sweep, number: int, pool: Pool, policy: Policy) -> Run:
    """Sweep number n of a curve at a noise is always the same machine."""
    machine = _Machine(sweep, number, pool)
    spec = sweep.spec
    rounds: list[SearchRound] = []
    cells: list[CellStats] = []
    cell_s: dict[CellKey, float] = {}
    launches = 0
    for _ in range(MOST_ROUNDS):
        choice = policy(
            SearchState(
                spec=spec,
                target=TARGET,
                arms=(ARM,),
                cells=tuple(cells),
                cell_s=cell_s,
                startup_s=STARTUP_S,
                spent_s=sum(cell_s.values()) + STARTUP_S * launches,
                budget_s=None,
                prior=(),
                lost=frozenset(),
                impossible=frozenset(),
                rounds=tuple(rounds),
            )
        )
        if isinstance(choice, SearchEnd):
            return Run(tuple(cells), cell_s, launches, choice)
        rounds.append(choice)
        launches += len(choice.cells)
        for stats, seconds in machine.measure(choice):
            cells.append(stats)
            cell_s[stats.key] = seconds
    raise RuntimeError(f"no end after {MOST_ROUNDS} rounds")


@dataclass(frozen=True)
class _Machine:
    sweep: Sweep
    number: int
    pool: Pool

    def measure(self, asked: SearchRound) -> Iterator[tuple[CellStats, float]]:
        for arm, conditions in asked.cells.items():
            for condition in conditions:
                yield self._cell(CellKey(condition, arm, asked.number))

    def _cell(self, key: CellKey) -> tuple[CellStats, float]:
        sweep, c = self.sweep, key.condition
        config = sweep.curve.baseline if key.arm == BASELINE else sweep.curve.arm
        title = f"{sweep.curve.name} {sweep.noise.deviation} {self.number}"
        launch = f"{title} {key.arm} {key.replicate}"
        cell = f"{c.dataset} {c.context} c{c.concurrency}"
        seed = random.Random(f"seed {launch} {cell}").randrange(self.pool.seeds)
        quiet = self.pool.cell(self.pool.name(config, c.concurrency, seed))
        slower = slowness(sweep.noise.of(key.arm), launch, cell)
        stats = replace(rescaled(quiet, slower, key.arm, key.replicate), key=key)
        return stats, (quiet.whole_run.duration_s or 0.0) * slower / sweep.faster
