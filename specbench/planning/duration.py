"""How long the rest of a sweep will take. Each cell is taken from the best that is
known: the same cell in an earlier launch, else the speed of a warmed-up engine, else
plain assumptions; the answer says which. An estimate for people, never a result."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from statistics import fmean

from specbench.planning.size import cell_size
from specbench.schema.cell import CellKey
from specbench.schema.plan import LaunchPlan, SweepPlan


class Basis(StrEnum):
    """What a cell's estimate rests on, best first."""

    MEASURED = "as measured in an earlier launch"
    SAME_CONDITION = "as another arm needed for it"
    WARMED_UP = "from the speed of a warmed-up engine"
    ASSUMED = "assumed"


@dataclass(frozen=True, slots=True)
class Speed:
    """What one request alone gets from a warmed-up engine, in seconds."""

    ttft_s: float
    tpot_s: float


@dataclass(frozen=True, slots=True)
class Assumptions:
    """What is taken for granted while nothing is known."""

    startup_s: float = 120.0
    """Launch to ready, warm-up included."""
    speed: Speed = Speed(ttft_s=0.1, tpot_s=0.02)
    flat_until: int = 32
    """A decode step costs the same up to this batch, from there in proportion."""

    def describe(self) -> str:
        """In words, for people."""
        return (
            f"TTFT {self.speed.ttft_s:g} s and TPOT {self.speed.tpot_s:g} s alone,"
            f" every answer as long as max_tokens allows, start-up"
            f" {self.startup_s:g} s"
        )


ASSUMPTIONS = Assumptions()


@dataclass(frozen=True, slots=True)
class Known:
    """What the sweep has taught so far. Launches are named by their index."""

    startups: Mapping[int, float] = field(default_factory=dict)
    """Launch to ready in seconds, of every launch that got ready."""
    speeds: Mapping[int, Speed] = field(default_factory=dict)
    ended: Collection[int] = ()
    """Launches that are over, whether or not all their cells were measured."""


@dataclass(frozen=True, slots=True)
class DurationEstimate:
    """Seconds, and in words what they rest on."""

    seconds: float
    basis: str


def estimate_remaining(
    plan: SweepPlan,
    done: Mapping[CellKey, float],
    known: Known | None = None,
    assumed: Assumptions = ASSUMPTIONS,
) -> DurationEstimate:
    """The rest of the sweep; launches side by side take as long as the longest of
    them. `done`: seconds that each finished cell took. Freezing the first answers, a
    pass of its own before the cells, is not in it."""
    return _estimate(plan, plan.waves, done, known or Known(), assumed)


def estimate_launch(
    plan: SweepPlan,
    launch: LaunchPlan,
    done: Mapping[CellKey, float],
    known: Known | None = None,
    assumed: Assumptions = ASSUMPTIONS,
) -> DurationEstimate:
    """The rest of one launch, its start-up included where it is still to come."""
    return _estimate(plan, ((launch,),), done, known or Known(), assumed)


def estimate_cell(
    plan: SweepPlan,
    launch: LaunchPlan,
    cell: CellKey,
    done: Mapping[CellKey, float],
    known: Known,
    assumed: Assumptions = ASSUMPTIONS,
) -> tuple[float, Basis]:
    """Seconds of one cell, and what they rest on."""
    same = [s for key, s in done.items() if key.condition == cell.condition]
    same_arm = [
        s
        for key, s in done.items()
        if key.condition == cell.condition and key.arm == cell.arm
    ]
    if same_arm:
        return fmean(same_arm), Basis.MEASURED
    if same:
        return fmean(same), Basis.SAME_CONDITION
    speed = _speed(plan, launch, known)
    basis = Basis.WARMED_UP if speed else Basis.ASSUMED
    return _model(plan, cell, speed or assumed.speed, assumed), basis


def _estimate(
    plan: SweepPlan,
    waves: Sequence[Sequence[LaunchPlan]],
    done: Mapping[CellKey, float],
    known: Known,
    assumed: Assumptions,
) -> DurationEstimate:
    seconds = 0.0
    bases: Counter[Basis] = Counter()
    for wave in waves:
        each = [_launch_s(plan, launch, done, known, assumed) for launch in wave]
        seconds += max(launch_s for launch_s, _ in each)
        for _, counted in each:
            bases += counted
    return DurationEstimate(seconds, _describe(bases, assumed))


def _launch_s(
    plan: SweepPlan,
    launch: LaunchPlan,
    done: Mapping[CellKey, float],
    known: Known,
    assumed: Assumptions,
) -> tuple[float, Counter[Basis]]:
    """Seconds of the rest of one launch, and what its cells' estimates rest on."""
    bases: Counter[Basis] = Counter()
    left = [cell for cell in launch.cells if cell not in done]
    if launch.index in known.ended or not left:
        return 0.0, bases
    seconds = 0.0 if launch.index in known.startups else _startup(known, assumed)
    for cell in left:
        cell_s, basis = estimate_cell(plan, launch, cell, done, known, assumed)
        seconds += cell_s
        bases[basis] += 1
    return seconds, bases


def _model(plan: SweepPlan, cell: CellKey, speed: Speed, assumed: Assumptions) -> float:
    """Prompts are read one after the other (an engine is busy with one prefill), and
    answers are written side by side, each as long as it may be."""
    concurrency = cell.condition.concurrency
    size = cell_size(plan.spec.measure, cell.condition)
    requests = size.warmup + size.measured
    if cell.condition.is_open:
        answer = plan.spec.workload.max_tokens * speed.tpot_s
        return requests / cell.condition.request_rate + speed.ttft_s + answer
    slowdown = max(1.0, concurrency / assumed.flat_until)
    answer = plan.spec.workload.max_tokens * speed.tpot_s * slowdown
    return requests * speed.ttft_s + requests / concurrency * answer


def _speed(plan: SweepPlan, launch: LaunchPlan, known: Known) -> Speed | None:
    """Of this launch, else of the latest one of its arm, else of its target."""
    if launch.index in known.speeds:
        return known.speeds[launch.index]
    on_target = [
        other
        for other in plan.launches
        if other.index in known.speeds and other.target.label == launch.target.label
    ]
    same_arm = [other for other in on_target if other.arm == launch.arm]
    latest = (same_arm or on_target)[-1:]
    return known.speeds[latest[0].index] if latest else None


def _startup(known: Known, assumed: Assumptions) -> float:
    return fmean(known.startups.values()) if known.startups else assumed.startup_s


def _describe(bases: Counter[Basis], assumed: Assumptions) -> str:
    parts = [
        f"{bases[basis]} {'cell' if bases[basis] == 1 else 'cells'} {basis}"
        for basis in Basis
        if bases[basis]
    ]
    if bases[Basis.ASSUMED]:
        parts[-1] += f" ({assumed.describe()})"
    return ", ".join(parts) or "nothing left to measure"
