"""How long one cell will take, from the best that is known: the same cell in an earlier
launch, in an earlier run, neighbouring loads, else the speed of a warmed-up engine,
else plain assumptions. An estimate for people, never a result."""

import math
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from statistics import fmean

from specbench.planning.known_times import Assumptions, Known, Speed
from specbench.planning.size import cell_size
from specbench.schema.cell import CellKey, Condition
from specbench.schema.plan import LaunchPlan, SweepPlan
from specbench.schema.sweep import SweepSpec


class Basis(StrEnum):
    """What a cell's estimate rests on, best first."""

    MEASURED = "as measured in an earlier launch"
    RECALLED = "as measured on"
    SAME_CONDITION = "as another arm needed for it"
    NEIGHBOURS = "from neighbouring loads"
    WARMED_UP = "from the speed of a warmed-up engine"
    ASSUMED = "assumed"


@dataclass(frozen=True, slots=True)
class CellTime:
    """Seconds of one cell, and what they rest on."""

    seconds: float
    basis: Basis
    day: str = ""
    """When it was measured, of a recalled one."""


Curve = tuple[Condition, str]
"""Everything but the load, and the arm."""


@dataclass(frozen=True, slots=True)
class CellClock:
    """Tells how long a cell will take."""

    plan: SweepPlan
    known: Known
    assumed: Assumptions
    done: frozenset[CellKey]
    """Cells that were measured in this run."""
    own: Mapping[Curve, Mapping[Condition, float]]
    """Mean seconds of those, by curve."""
    recalled: Mapping[Curve, Mapping[Condition, float]]
    """The same of earlier runs."""

    @classmethod
    def of(
        cls,
        plan: SweepPlan,
        done: Mapping[CellKey, float],
        known: Known,
        assumed: Assumptions,
    ) -> "CellClock":
        """`done`: seconds that each finished cell took."""
        own: dict[Curve, dict[Condition, list[float]]] = defaultdict(dict)
        for key, seconds in done.items():
            curve = own[key.condition.without_load, key.arm]
            curve.setdefault(key.condition, []).append(seconds)
        recalled: dict[Curve, dict[Condition, float]] = defaultdict(dict)
        for (condition, arm), cell in known.recalled.cells.items():
            recalled[condition.without_load, arm][condition] = cell.seconds
        means = {
            curve: {condition: fmean(each) for condition, each in loads.items()}
            for curve, loads in own.items()
        }
        return cls(plan, known, assumed, frozenset(done), means, dict(recalled))

    def time(self, launch: LaunchPlan, cell: CellKey) -> CellTime:
        """Of a cell of this launch."""
        condition, arm = cell.condition, cell.arm
        family = condition.without_load
        if (seconds := self.own.get((family, arm), {}).get(condition)) is not None:
            return CellTime(seconds, Basis.MEASURED)
        if recalled := self.known.recalled.cells.get((condition, arm)):
            return CellTime(recalled.seconds, Basis.RECALLED, recalled.day)
        others = [
            loads[condition]
            for other in self.plan.arms
            if condition in (loads := self.own.get((family, other), {}))
        ]
        if others:
            return CellTime(fmean(others), Basis.SAME_CONDITION)
        speed = self._speed(launch)
        if (seconds := self._near(condition, arm, speed)) is not None:
            return CellTime(seconds, Basis.NEIGHBOURS)
        basis = Basis.WARMED_UP if speed else Basis.ASSUMED
        return CellTime(self._model(condition, speed), basis)

    def _near(
        self, condition: Condition, arm: str, speed: Speed | None
    ) -> float | None:
        """From the loads of the same curve around it; beyond them in proportion to
        what the model says."""
        curve = (condition.without_load, arm)
        loads = {**self.recalled.get(curve, {}), **self.own.get(curve, {})}
        if not loads:
            return None
        at = condition.load
        below = max((c for c in loads if c.load < at), key=_load, default=None)
        above = min((c for c in loads if c.load > at), key=_load, default=None)
        if below and above:
            return _between(at, (below.load, loads[below]), (above.load, loads[above]))
        nearest = below or above
        assert nearest is not None, "the cell itself has not been measured"
        own, other = (self._model(c, speed) for c in (condition, nearest))
        return loads[nearest] * own / other

    def _model(self, condition: Condition, speed: Speed | None) -> float:
        return model_cell(self.plan.spec, condition, speed, self.assumed)

    def _speed(self, launch: LaunchPlan) -> Speed | None:
        """Of this launch, else of the latest one of its arm, else of its target."""
        speeds = self.known.speeds
        ran = self.known.ran or self.plan.launches
        on_target = [
            other
            for other in ran
            if other.index in speeds and other.target.label == launch.target.label
        ]
        if launch in on_target:
            return speeds[launch.index]
        same_arm = [other for other in on_target if other.arm == launch.arm]
        latest = (same_arm or on_target)[-1:]
        return speeds[latest[0].index] if latest else None


def model_cell(
    spec: SweepSpec, condition: Condition, speed: Speed | None, assumed: Assumptions
) -> float:
    """Prompts are read one after the other (an engine is busy with one prefill), and
    answers are written side by side, each as long as it may be."""
    speed = speed or assumed.speed
    size = cell_size(spec.measure, condition)
    requests = size.warmup + size.measured
    if condition.is_open:
        answer = spec.workload.max_tokens * speed.tpot_s
        return requests / condition.request_rate + speed.ttft_s + answer
    slowdown = max(1.0, condition.concurrency / assumed.flat_until)
    answer = spec.workload.max_tokens * speed.tpot_s * slowdown
    return requests * speed.ttft_s + requests / condition.concurrency * answer


def _load(condition: Condition) -> float:
    return condition.load


def _between(
    at: float, below: tuple[float, float], above: tuple[float, float]
) -> float:
    """Seconds between two (load, seconds), linear in the logarithm of the load."""
    (low, s_low), (high, s_high) = below, above
    share = math.log(at / low) / math.log(high / low)
    return s_low + share * (s_high - s_low)
