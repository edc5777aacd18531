"""What a run would do and cost, before anything starts: launches, time as far as it is
known, what a search would begin with, memory."""

import os
from dataclasses import dataclass
from statistics import fmean

from specbench.planning.arms import speculating_arms
from specbench.planning.duration import DurationEstimate, estimate_whole
from specbench.planning.known_times import Known
from specbench.planning.memory import MemoryPlan
from specbench.planning.rounds import plan_round
from specbench.runner.durations import recall_durations
from specbench.runner.memory import sweep_memory
from specbench.runner.placement import Placement
from specbench.schema.plan import LaunchPlan, SweepPlan, Wave
from specbench.schema.search import SearchEnd, SearchRound
from specbench.schema.sweep import Target
from specbench.search.adaptive import SearchState, next_round


@dataclass(frozen=True, slots=True)
class FirstRound:
    """What the search of one target begins with."""

    target: str
    round: SearchRound
    waves: tuple[Wave, ...]
    expected: DurationEstimate


@dataclass(frozen=True, slots=True)
class Forecast:
    """A run that has not begun."""

    plan: SweepPlan
    placement: Placement
    known: Known
    """What the estimates rest on."""
    expected: DurationEstimate
    """Of all launches of the plan; a search takes no longer."""
    first_rounds: tuple[FirstRound, ...]
    """By target; empty where the grid is measured."""
    memory: tuple[MemoryPlan, ...]
    """By target; empty where servers already run."""
    notes: tuple[str, ...]
    """What a reader should know, one sentence each."""

    @property
    def launches(self) -> tuple[LaunchPlan, ...]:
        """Those that are known beforehand, in order."""
        if not self.plan.is_adaptive:
            return self.plan.launches
        return tuple(x for r in self.first_rounds for wave in r.waves for x in wave)


def make_forecast(
    plan: SweepPlan, placement: Placement, *, will_launch: bool
) -> Forecast:
    """Of a prepared sweep. Reads what is kept of this machine and the models' files."""
    notes = [*plan.notes, *placement.notes]
    known = Known()
    if will_launch:
        recollection = recall_durations(plan, placement)
        known = Known(recalled=recollection.recalled)
        notes += filter(None, [recollection.note])
    rounds: list[FirstRound] = []
    for target in plan.spec.targets if plan.is_adaptive else ():
        after = rounds[-1].waves[-1][-1] if rounds else None
        found = _first_round(plan, placement, target, known, after)
        if isinstance(found, str):
            notes.append(f"the search on {target.label} would end at once: {found}")
        else:
            rounds.append(found)
    return Forecast(
        plan=plan,
        placement=placement,
        known=known,
        expected=estimate_whole(plan, plan.waves, {}, known),
        first_rounds=tuple(rounds),
        memory=sweep_memory(plan.spec, placement, os.environ) if will_launch else (),
        notes=tuple(notes),
    )


def _first_round(
    plan: SweepPlan,
    placement: Placement,
    target: Target,
    known: Known,
    after: LaunchPlan | None,
) -> FirstRound | str:
    """Or why there is none."""
    label = target.label
    startups = [s for (of, _), s in known.recalled.startups.items() if of == label]
    choice = next_round(
        SearchState(
            spec=plan.spec,
            target=label,
            arms=speculating_arms(plan.spec, label),
            cells=(),
            cell_s={},
            startup_s=fmean(startups) if startups else 0.0,
            spent_s=0.0,
            budget_s=plan.spec.search.budget_s,
            prior=(),  # tells speedups from 1, and there are none yet
            lost=frozenset(),
            impossible=frozenset(),
            rounds=(),
        )
    )
    if isinstance(choice, SearchEnd):
        return "; ".join(dict.fromkeys(end.words for end in choice.ends))
    waves = plan_round(plan.spec, target, choice, placement.counts[label], after)
    return FirstRound(label, choice, waves, estimate_whole(plan, waves, {}, known))
