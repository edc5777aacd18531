"""Launch noise of this machine: kept after an A/A run, and recalled for the sweeps that
come later, whose intervals may rest on it."""

from dataclasses import dataclass, replace
from pathlib import Path

from specbench.analysis.noise import noise_records
from specbench.errors import ResultsError
from specbench.runner.derive import Derived
from specbench.runner.devices import launch_device
from specbench.runner.placement import Placement
from specbench.schema.comparison import NoiseKey, NoiseRecord
from specbench.schema.host import HostFacts
from specbench.schema.sweep import SweepSpec, Target
from specbench.store.format import to_json
from specbench.store.manifest import RunStatus
from specbench.store.noise_file import add_noise, noise_path, read_noise
from specbench.store.reader import StoredRun
from specbench.store.secrets import redact_document

MOST_VOID = 0.25
"""Share of void cells up to which an A/A run speaks for the machine."""


@dataclass(frozen=True, slots=True)
class KnownNoise:
    """What is known at the start of a run."""

    records: tuple[NoiseRecord, ...] = ()
    """At most one for each target, under its label."""
    notes: tuple[str, ...] = ()
    """Why something is not known that should be."""


@dataclass(frozen=True, slots=True)
class KeptNoise:
    """What came of an A/A run: where it is kept, or why it is not."""

    path: Path | None
    reason: str = ""


def recall_noise(spec: SweepSpec, placement: Placement) -> KnownNoise:
    """What A/A runs on this machine have shown of each target's engine and model."""
    try:
        kept = read_noise(noise_path(placement.host.hostname))
    except ResultsError as error:
        return KnownNoise(
            notes=(f"the kept launch noise could not be read: {error.message}",)
        )
    records = []
    for target in spec.targets:
        device = launch_device(placement.host, placement.places[target.label][0].gpus)
        record = choose_record(kept, target, device, settings_words(spec, target))
        if record is not None:
            records.append(replace(record, target=target.label))
    return KnownNoise(tuple(records))


def choose_record(
    kept: tuple[NoiseRecord, ...], target: Target, device: str, settings: str
) -> NoiseRecord | None:
    """The newest record of this engine and model on this device, served and measured
    in the same way: longer windows or other prompts have another noise."""
    wanted = (target.engine, target.model, device, settings)
    found = [r for r in kept if (r.engine, r.model, r.device, r.settings) == wanted]
    return found[-1] if found else None


def settings_words(spec: SweepSpec, target: Target) -> str:
    """Target, workload, loads and sizes of cells as one text, without what changes
    nothing: names, ports, the arms, the number of launches."""
    return to_json(
        {
            # as a stored run has it: what looks like a secret is in neither
            "target": redact_document(
                target.model_dump(
                    mode="json",
                    exclude={"name", "port", "model", "engine", "startup_timeout_s"},
                )
            ),
            "workload": spec.workload.model_dump(mode="json"),
            "load": spec.load.model_dump(mode="json"),
            "measure": spec.measure.model_dump(
                mode="json", exclude={"replicates", "gpus"}
            ),
        }
    )


def keep_noise(done: Derived) -> KeptNoise:
    """Keep what an A/A run has shown. Raises ResultsError."""
    run = StoredRun.open(done.folder)
    manifest = run.manifest
    if not manifest.aa:
        return KeptNoise(None, "it was no A/A run")
    if manifest.host is None:
        return KeptNoise(
            None,
            "nothing was launched: passes over a running server do not show what a"
            " restart changes",
        )
    if manifest.status is not RunStatus.FINISHED:
        return KeptNoise(None, f"the run is {manifest.status.value}")
    void = sum(cell.is_void for cell in done.findings.cells)
    if void > MOST_VOID * len(done.findings.cells):
        return KeptNoise(
            None,
            f"{void} of its {len(done.findings.cells)} cells are void: measure again on"
            " a quiet machine",
        )
    records = noise_records(done.findings, _keys(run, manifest.host))
    if not records:
        return KeptNoise(
            None,
            "it takes two launches of each arm, and two loads, to tell launches from"
            " cells",
        )
    path = noise_path(manifest.host.hostname)
    add_noise(path, records)
    return KeptNoise(path)


def _keys(run: StoredRun, host: HostFacts) -> dict[str, NoiseKey]:
    """What each target's noise holds for, as its launches told."""
    manifest = run.manifest
    spec = SweepSpec.model_validate(manifest.sweep)
    targets = {target.label: target for target in spec.targets}
    keys: dict[str, NoiseKey] = {}
    for record in run.launches():
        if record.facts is None or record.target in keys:
            continue
        target = targets[record.target]
        keys[record.target] = NoiseKey(
            model=target.model,
            engine=target.engine,
            engine_version=record.facts.version,
            device=launch_device(host, record.gpus),
            settings=settings_words(spec, target),
            run_id=run.folder.name,
            measured_utc=manifest.finished_utc or manifest.started_utc,
        )
    return keys
