"""From a round of the adaptive search to its launches, in balanced order, on the places
that the machine has."""

from specbench.planning.arms import speculation_of_arms
from specbench.planning.expand import admission_caps, without_caps
from specbench.planning.order import round_order
from specbench.schema.cell import CellKey
from specbench.schema.plan import LaunchPlan, Wave
from specbench.schema.search import SearchRound
from specbench.schema.sweep import BASELINE, SweepSpec, Target


def plan_round(
    spec: SweepSpec,
    target: Target,
    round_: SearchRound,
    places: int,
    after: LaunchPlan | None,
) -> tuple[Wave, ...]:
    """One launch of each arm that the round names, as its replicate of that number.
    Launches and waves are counted on from `after`, the last launch before them."""
    speculative = speculation_of_arms(spec, target=target.label)
    arms = tuple(arm for arm in speculative if round_.cells.get(arm))
    if set(round_.cells) - set(speculative):
        unknown = ", ".join(sorted(set(round_.cells) - set(speculative)))
        raise ValueError(f"round {round_.number} names no arm of the target: {unknown}")
    assert arms[:1] == (BASELINE,), "a round without the baseline compares nothing"
    index, wave_number = (after.index, after.wave) if after else (0, -1)
    waves = []
    for wave in round_order(arms, round_.number, places):
        wave_number += 1
        launches = [
            LaunchPlan(
                index=index + place + 1,
                target=without_caps(target),
                arm=arm,
                speculative=speculative[arm],
                replicate=round_.number,
                caps=admission_caps(target, spec.load),
                cells=tuple(CellKey(c, arm, round_.number) for c in round_.cells[arm]),
                place=place,
                wave=wave_number,
            )
            for place, arm in enumerate(wave)
        ]
        index += len(launches)
        waves.append(tuple(launches))
    return tuple(waves)
