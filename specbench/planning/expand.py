"""From a checked sweep to its plan: every launch in the order in which it will run,
with the caps that its engine gets and the cells that it measures."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest

from specbench.planning.arms import speculation_of_arms
from specbench.planning.engine_args import (
    CAP_ON_SEQUENCES,
    MAX_NUM_BATCHED_TOKENS,
    read_first,
    read_option,
    without_options,
)
from specbench.planning.order import balanced_replicates, first_places, wave_order
from specbench.schema.cell import CellKey
from specbench.schema.plan import AdmissionCaps, LaunchPlan, SweepPlan, Wave
from specbench.schema.sweep import Load, SweepSpec, Target
from specbench.search.grid import grid_conditions

OPEN_LOOP_SEQS = 256
"""Sequences that an engine may run at once where requests arrive by themselves and the
sweep file sets no cap."""
AA_NOTE = (
    "an A/A run: the baseline against itself, the sweep's own arms left out; whatever"
    " differs is this machine's launch noise"
)


def plan_sweep(
    spec: SweepSpec,
    *,
    is_aa: bool = False,
    places: Mapping[str, int] | None = None,
    together: Sequence[Sequence[str]] = (),
) -> SweepPlan:
    """The whole sweep. Inside a target the arms alternate, or run side by side where
    `places` (by the target's label) gives it more than one. Targets run one after the
    other, since only arms of the same target are compared; those that `together` names
    in one group run at the same time. `is_aa`: the baseline against itself instead of
    the sweep's arms."""
    places = places or {}
    targets = {target.label: target for target in spec.targets}
    first = first_places(places, together)
    launches: list[LaunchPlan] = []
    wave_number = 0
    for group in together or [[label] for label in targets]:
        waves = [
            _target_waves(spec, targets[label], is_aa, places.get(label, 1))
            for label in group
        ]
        for parts in zip_longest(*waves, fillvalue=()):
            for label, part in zip(group, parts, strict=True):
                launches += [
                    replace(
                        launch,
                        index=len(launches) + number,
                        place=first.get(label, 0) + launch.place,
                        wave=wave_number,
                    )
                    for number, launch in enumerate(part, 1)
                ]
            wave_number += 1
    plan = SweepPlan(spec=spec, launches=tuple(launches), is_aa=is_aa)
    notes = [AA_NOTE] if is_aa else []
    if not plan.is_adaptive:
        notes += _raised_notes(spec, places)
    return replace(plan, notes=tuple(notes))


def _target_waves(
    spec: SweepSpec, target: Target, is_aa: bool, places: int
) -> list[Wave]:
    """Of one target by itself: places from 0, launches and waves not yet numbered."""
    speculative = speculation_of_arms(spec, is_aa=is_aa, target=target.label)
    conditions = grid_conditions(target.label, spec.workload, spec.load)
    return [
        tuple(
            LaunchPlan(
                index=0,
                target=without_caps(target),
                arm=arm,
                speculative=speculative[arm],
                replicate=replicate,
                caps=admission_caps(target, spec.load),
                cells=tuple(CellKey(c, arm, replicate) for c in conditions),
                place=place,
            )
            for place, (arm, replicate) in enumerate(wave)
        )
        for wave in wave_order(tuple(speculative), spec.measure.replicates, places)
    ]


def _raised_notes(spec: SweepSpec, places: Mapping[str, int]) -> Iterator[str]:
    """Where more is launched than the sweep file asks for."""
    wanted = spec.measure.replicates
    raised = {
        target.label: balanced_replicates(wanted, places.get(target.label, 1))
        for target in spec.targets
    }
    for label, replicates in raised.items():
        if replicates > wanted:
            yield (
                f"{label}: {replicates} launches of each arm instead of {wanted}, so"
                f" that each of the {places[label]} places serves every arm equally"
                " often"
            )


def most_streams(load: Load) -> int:
    """Requests in flight at once: the highest load; of an open loop, which has none,
    what an engine is told to admit where the sweep file sets no cap."""
    return max(load.concurrencies, default=OPEN_LOOP_SEQS)


def admission_caps(target: Target, load: Load) -> AdmissionCaps:
    """The caps that the sweep file gives, else one that admits the highest load.
    Always explicit: an engine's default may differ with and without speculation."""
    sequences = read_first(target.args, CAP_ON_SEQUENCES)
    return AdmissionCaps(
        max_num_seqs=most_streams(load) if sequences is None else sequences,
        max_num_batched_tokens=read_option(target.args, MAX_NUM_BATCHED_TOKENS),
    )


def without_caps(target: Target) -> Target:
    """The target with the caps taken out of its args, so that they have one source."""
    args = without_options(target.args, (*CAP_ON_SEQUENCES, MAX_NUM_BATCHED_TOKENS))
    return target.model_copy(update={"args": args})
