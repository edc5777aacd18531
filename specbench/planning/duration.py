"""How long the rest of a sweep will take, and in words what that rests on: cell by cell
from the best that is known, with the start-ups of its launches."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean

from specbench.planning.cell_time import Basis, CellClock, CellTime
from specbench.planning.known_times import ASSUMPTIONS, Assumptions, Known
from specbench.schema.cell import CellKey
from specbench.schema.plan import LaunchPlan, SweepPlan, Wave


@dataclass(frozen=True, slots=True)
class DurationEstimate:
    """Seconds of machine time, and in words what they rest on."""

    seconds: float
    basis: str
    cell_s: float
    """Of that, the cells; of all launches together, also of those side by side."""
    is_guess: bool
    """Whether some cell rests on neither its own nor its neighbours' time."""


GUESSES = (Basis.WARMED_UP, Basis.ASSUMED)

Rest = Callable[[LaunchPlan], tuple[Sequence[CellKey], bool]]
"""What of a launch is still to come: cells, and whether it has to start."""


def estimate_remaining(
    plan: SweepPlan,
    done: Mapping[CellKey, float],
    known: Known | None = None,
    assumed: Assumptions = ASSUMPTIONS,
) -> DurationEstimate:
    """The rest of the sweep; launches side by side take as long as the longest of
    them. `done`: seconds that each finished cell took. Freezing the first answers, a
    pass of its own before the cells, is not in it."""
    clock = CellClock.of(plan, done, known or Known(), assumed)
    return _add_up(clock, plan.waves, _still_to_come(clock))


def estimate_launch(
    plan: SweepPlan,
    launch: LaunchPlan,
    done: Mapping[CellKey, float],
    known: Known | None = None,
    assumed: Assumptions = ASSUMPTIONS,
) -> DurationEstimate:
    """The rest of one launch, its start-up included where it is still to come."""
    clock = CellClock.of(plan, done, known or Known(), assumed)
    return _add_up(clock, ((launch,),), _still_to_come(clock))


def estimate_whole(
    plan: SweepPlan,
    waves: Sequence[Wave],
    done: Mapping[CellKey, float],
    known: Known | None = None,
    assumed: Assumptions = ASSUMPTIONS,
) -> DurationEstimate:
    """Of these waves from their beginning, as if none of their cells had been measured
    yet; `done` only tells how long such cells take."""
    clock = CellClock.of(plan, done, known or Known(), assumed)
    return _add_up(clock, waves, lambda launch: (_possible(clock, launch), True))


def _still_to_come(clock: CellClock) -> Rest:
    def rest(launch: LaunchPlan) -> tuple[Sequence[CellKey], bool]:
        if launch.index in clock.known.ended:
            return (), False
        left = [c for c in _possible(clock, launch) if c not in clock.done]
        return left, bool(left) and launch.index not in clock.known.startups

    return rest


def _possible(clock: CellClock, launch: LaunchPlan) -> Sequence[CellKey]:
    impossible = clock.known.impossible
    return [cell for cell in launch.cells if cell.condition not in impossible]


@dataclass(slots=True)
class _Sum:
    """What was added up so far."""

    cells: list[CellTime] = field(default_factory=list)
    startups: list[tuple[float, str]] = field(default_factory=list)
    """Seconds, and what they rest on."""


def _add_up(clock: CellClock, waves: Sequence[Wave], rest: Rest) -> DurationEstimate:
    seconds = 0.0
    total = _Sum()
    for wave in waves:
        each = [0.0]
        for launch in wave:
            cells, must_start = rest(launch)
            times = [clock.time(launch, cell) for cell in cells]
            total.cells += times
            starts = [_startup(clock, launch)] if must_start else []
            total.startups += starts
            each.append(sum(t.seconds for t in times) + sum(s for s, _ in starts))
        seconds += max(each)
    return DurationEstimate(
        seconds=seconds,
        basis=_describe(total, clock.assumed),
        cell_s=sum(time.seconds for time in total.cells),
        is_guess=any(time.basis in GUESSES for time in total.cells),
    )


def _startup(clock: CellClock, launch: LaunchPlan) -> tuple[float, str]:
    known = clock.known
    if known.startups:
        return fmean(known.startups.values()), ""
    of_target = {
        arm: seconds
        for (label, arm), seconds in known.recalled.startups.items()
        if label == launch.target.label
    }
    if launch.arm in of_target:
        return of_target[launch.arm], "as in an earlier run"
    if of_target:
        return fmean(of_target.values()), "as other arms needed in an earlier run"
    return clock.assumed.startup_s, "assumed"


def _describe(total: _Sum, assumed: Assumptions) -> str:
    if not total.cells:
        return "nothing left to measure"
    words = []
    for basis in Basis:
        times = [t for t in total.cells if t.basis is basis]
        if times:
            words.append((len(times), _basis_words(basis, times, assumed)))
    if len(words) == 1:
        text = f"{_cells(len(total.cells))} {words[0][1]}"
    else:
        parts = ", ".join(f"{count} {of_basis}" for count, of_basis in words)
        text = f"{_cells(len(total.cells))}: {parts}"
    return text + _startup_words(total.startups)


def _cells(count: int) -> str:
    return f"{count} {'cell' if count == 1 else 'cells'}"


def _basis_words(basis: Basis, times: Sequence[CellTime], assumed: Assumptions) -> str:
    if basis is Basis.RECALLED:
        days = sorted({time.day for time in times})
        until = f" to {days[-1]}" if len(days) > 1 else ""
        return f"{basis.value} {days[0]}{until}"
    if basis is Basis.ASSUMED:
        return f"{basis.value} ({assumed.describe()})"
    return basis.value


def _startup_words(startups: Sequence[tuple[float, str]]) -> str:
    """Only of those that are no experience of this run."""
    groups: dict[str, list[float]] = {}
    for seconds, words in startups:
        groups.setdefault(words, []).append(seconds)
    groups.pop("", None)
    if not groups:
        return ""
    each = ", ".join(
        f"{fmean(seconds):.{0 if fmean(seconds) >= 10 else 1}f} s {words}"
        for words, seconds in groups.items()
    )
    return f"; each start-up {each}"
