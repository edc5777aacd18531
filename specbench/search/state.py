"""What is known of a target when the search chooses: the sweep, what was measured, and
what it cost. Values only."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product

from specbench.schema.cell import CellKey, Condition
from specbench.schema.comparison import NoiseRecord, SpeedupMetric
from specbench.schema.findings import CellStats
from specbench.schema.search import CurveName, SearchRound
from specbench.schema.sweep import SweepSpec


@dataclass(frozen=True, slots=True)
class SearchState:
    """The search of one target so far."""

    spec: SweepSpec
    target: str
    """Its label."""
    arms: tuple[str, ...]
    """Those that speculate."""
    cells: tuple[CellStats, ...]
    """All that were measured on this target; void ones take no part."""
    cell_s: Mapping[CellKey, float]
    """Seconds that each measured cell took."""
    startup_s: float
    """Of one launch: the mean so far, or assumed."""
    spent_s: float
    """Machine time since the search of this target began, launches and cells."""
    budget_s: float | None
    """What is left of the budget now; None = there is none."""
    prior: tuple[NoiseRecord, ...]
    """Launch noise of this machine."""
    lost: frozenset[str]
    """Arms that are not launched again."""
    impossible: frozenset[Condition]
    """They do not fit, and are never chosen."""
    rounds: tuple[SearchRound, ...]
    """What was chosen so far."""

    @property
    def metric(self) -> SpeedupMetric:
        """By which the search decides: throughput, and in an open loop, whose
        throughput is what arrives, the median end-to-end latency."""
        if self.spec.load.is_open:
            return SpeedupMetric.E2E
        return SpeedupMetric.THROUGHPUT

    @property
    def is_single(self) -> bool:
        """Whether every curve is known to cross 1 once at most."""
        return self.spec.search.assume == "single-crossing"

    @property
    def curves(self) -> tuple[CurveName, ...]:
        """All of them, those of one arm together."""
        workload = self.spec.workload
        return tuple(
            CurveName(dataset, context, temperature, arm)
            for arm, dataset, context, temperature in product(
                self.arms, workload.datasets, workload.context, workload.temperature
            )
        )

    def condition(self, curve: CurveName, load: float) -> Condition:
        """A load of a curve."""
        is_open = self.spec.load.is_open
        return Condition(
            target=self.target,
            dataset=curve.dataset,
            context=curve.context,
            temperature=curve.temperature,
            concurrency=0 if is_open else round(load),
            request_rate=load if is_open else 0.0,
        )

    def listed(self, curve: CurveName) -> tuple[float, ...]:
        """Loads of the sweep file at which the curve can be measured, rising."""
        load = self.spec.load
        loads = {float(each) for each in load.rates or load.concurrencies}
        return tuple(
            each
            for each in sorted(loads)
            if self.condition(curve, each) not in self.impossible
        )

    def tries(self, curve: CurveName, load: float) -> int:
        """Rounds in which this load was chosen for the curve."""
        condition = self.condition(curve, load)
        return sum(condition in r.cells.get(curve.arm, ()) for r in self.rounds)
