"""How long things take on this machine: kept at the end of every run, whole or not, and
recalled for the estimate of the next. Only estimates rest on it, so that nothing fails
here: what goes wrong is told in a sentence."""

import hashlib
from collections import defaultdict
from dataclasses import dataclass, field
from statistics import fmean
from typing import NamedTuple

from specbench.errors import ResultsError
from specbench.planning.arms import speculation_of_arms
from specbench.planning.known_times import Recalled, RecalledCell
from specbench.report.words import day
from specbench.runner.devices import launch_device
from specbench.runner.placement import Placement
from specbench.runner.progress import Done
from specbench.schema.cell import Condition
from specbench.schema.durations import KeptCell, KeptDurations
from specbench.schema.plan import SweepPlan
from specbench.schema.sweep import Target
from specbench.store.durations_file import (
    add_durations,
    durations_path,
    read_durations,
)
from specbench.store.format import to_json


@dataclass(frozen=True, slots=True)
class Recollection:
    """What is known at the start of a run."""

    recalled: Recalled = field(default_factory=Recalled)
    note: str = ""
    """Why nothing is known that should be; empty = all is well."""


def recall_durations(plan: SweepPlan, placement: Placement) -> Recollection:
    """Times of this sweep's arms on this machine, whatever the engine's version then;
    later ones count."""
    path = durations_path(placement.host.hostname)
    try:
        kept = read_durations(path)
    except ResultsError as error:
        return Recollection(
            note="how long cells take on this machine could not be read, and is"
            f" assumed instead: {error.message}"
        )
    cells: dict[tuple[Condition, str], RecalledCell] = {}
    startups: dict[tuple[str, str], float] = {}
    for target in plan.spec.targets:
        for arm, speculative in _arms(plan, target).items():
            wanted = _key(plan, placement, target, speculative)
            for record in kept:
                if _key_of(record) != wanted:
                    continue
                for cell in record.cells:
                    cells[_condition(target, cell), arm] = RecalledCell(
                        cell.seconds, day(cell.measured_utc)
                    )
                if record.startup_s is not None:
                    startups[target.label, arm] = record.startup_s
    return Recollection(Recalled(cells, startups))


def keep_durations(
    plan: SweepPlan, placement: Placement, done: Done, now_utc: str
) -> str:
    """Keep what a run has shown, also one that was interrupted. Returns why that was
    not possible; empty = it was."""
    records = _records(plan, placement, done, now_utc)
    if not records:
        return ""
    try:
        add_durations(durations_path(placement.host.hostname), records)
    except ResultsError as error:
        return f"how long things took could not be kept: {error.message}"
    return ""


def _records(
    plan: SweepPlan, placement: Placement, done: Done, now_utc: str
) -> list[KeptDurations]:
    """One for each arm that has got ready at least once."""
    records = []
    for target in plan.spec.targets:
        for arm, speculative in _arms(plan, target).items():
            launches = [
                r for r in done.launches if (r.target, r.arm) == (target.label, arm)
            ]
            versions = [r.facts.version for r in launches if r.facts is not None]
            if not versions:
                continue
            overheads = [
                done.overheads[r.index] for r in launches if r.index in done.overheads
            ]
            key = _key(plan, placement, target, speculative)
            records.append(
                KeptDurations(
                    model=key.model,
                    engine=key.engine,
                    engine_version=versions[-1],
                    device=key.device,
                    settings=key.settings,
                    arm=arm,
                    startup_s=fmean(overheads) if overheads else None,
                    cells=_cells(done, target.label, arm, now_utc),
                )
            )
    return records


def _cells(done: Done, target: str, arm: str, now_utc: str) -> tuple[KeptCell, ...]:
    """Means over the launches. Cells with failed requests were no ordinary ones; a void
    one took as long as any."""
    seconds: defaultdict[Condition, list[float]] = defaultdict(list)
    for stats in done.cells:
        key = stats.key
        if not stats.failed and (key.condition.target, key.arm) == (target, arm):
            seconds[key.condition].append(done.cell_s[key])
    return tuple(_kept(c, fmean(each), now_utc) for c, each in seconds.items())


class _Key(NamedTuple):
    """What a record must have to fit an arm."""

    model: str
    engine: str
    device: str
    settings: str


def _key(
    plan: SweepPlan,
    placement: Placement,
    target: Target,
    speculative: dict[str, object] | None,
) -> _Key:
    places = placement.places[target.label]
    return _Key(
        model=target.model,
        engine=target.engine,
        device=launch_device(placement.host, places[0].gpus),
        settings=hash_settings(plan, target, speculative, len(places)),
    )


def _key_of(record: KeptDurations) -> _Key:
    return _Key(record.model, record.engine, record.device, record.settings)


def hash_settings(
    plan: SweepPlan,
    target: Target,
    speculative: dict[str, object] | None,
    places: int,
) -> str:
    """What changes the time of one cell, beside its own condition. A hash: arguments
    and variables may hold secrets."""
    spec = plan.spec
    settings = {
        "target": target.model_dump(
            mode="json", include={"args", "env", "tensor_parallel", "device"}
        ),
        "speculative": speculative,
        "workload": spec.workload.model_dump(
            mode="json", include={"max_tokens", "turns"}
        ),
        "arrivals": spec.load.arrivals if spec.load.is_open else None,
        "measure": spec.measure.model_dump(
            mode="json", exclude={"replicates", "placement", "gpus"}
        ),
        "places": places,
    }
    return hashlib.sha256(to_json(settings).encode()).hexdigest()[:16]


def _arms(plan: SweepPlan, target: Target) -> dict[str, dict[str, object] | None]:
    return dict(speculation_of_arms(plan.spec, is_aa=plan.is_aa, target=target.label))


def _kept(condition: Condition, seconds: float, now_utc: str) -> KeptCell:
    return KeptCell(
        dataset=condition.dataset,
        context=condition.context,
        temperature=condition.temperature,
        concurrency=condition.concurrency,
        request_rate=condition.request_rate,
        seconds=seconds,
        measured_utc=now_utc,
    )


def _condition(target: Target, cell: KeptCell) -> Condition:
    return Condition(
        target=target.label,
        dataset=cell.dataset,
        context=cell.context,
        temperature=cell.temperature,
        concurrency=cell.concurrency,
        request_rate=cell.request_rate,
    )
