"""From a stored run to its findings and its derived files. `run` and `report` both go
this way, so that a report says the same whenever it is made."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pydantic import ValidationError

from specbench.analysis.cell import CellObservations, summarise_cell
from specbench.analysis.outputs import Outputs, outputs_of
from specbench.analysis.run import conclude
from specbench.engines import ADAPTERS
from specbench.errors import ResultsError
from specbench.planning.arms import speculation_of_arms
from specbench.report.csv_files import (
    breakeven_csv,
    cells_csv,
    contexts_csv,
    speedups_csv,
)
from specbench.report.facts import LossyArm, RunFacts
from specbench.report.json_report import report_json
from specbench.report.markdown import report_markdown
from specbench.runner.arm_traits import traits_of_arms
from specbench.runner.cell import translate_snapshots
from specbench.runner.prompts import is_caching_wanted
from specbench.schema.cell import CellKey
from specbench.schema.findings import CellStats, RunFindings
from specbench.schema.host import HostFacts
from specbench.schema.record import LaunchRecord
from specbench.schema.sample import RequestSample
from specbench.schema.sweep import SweepSpec
from specbench.store.derived import DerivedWriter
from specbench.store.manifest import RunStatus
from specbench.store.reader import StoredCell, StoredRun


@dataclass(frozen=True, slots=True)
class Derived:
    """A run, concluded."""

    folder: Path
    findings: RunFindings
    facts: RunFacts
    damaged: tuple[str, ...] = ()
    """One line for each cell that could not be read."""


def conclude_run(run: StoredRun) -> Derived:
    """Findings of a stored run; writes nothing. A cell that cannot be read costs that
    cell."""
    spec = _read_spec(run)
    listing = run.cells()
    launches = run.launches()
    notes = [*run.manifest.notes, *engine_notes(launches)]
    damaged = [f"cell {d.name} is damaged: {d.reason}" for d in listing.damaged]
    arms = speculation_of_arms(spec, is_aa=run.manifest.aa)
    plain = {arm for arm, speculative in arms.items() if speculative is None}
    cells: dict[CellKey, CellStats] = {}
    outputs: dict[CellKey, Outputs] = {}
    for cell in listing.cells:
        key = cell.record.key
        try:
            samples = cell.samples()
            cells[key] = _summarise(cell, samples, spec, key.arm not in plain)
            outputs[key] = outputs_of(samples)
        except ResultsError as error:
            damaged.append(f"cell {key.cell_id} is damaged: {error.message}")
    notes += damaged
    if run.manifest.status is not RunStatus.FINISHED:
        notes.append(f"the run is {run.manifest.status.value}, not finished")
    findings = conclude(
        tuple(cells.values()),
        launches,
        traits_of_arms(spec, is_aa=run.manifest.aa),
        outputs,
        prior=run.manifest.noise,
        planned_out=run.manifest.planned_out,
    )
    facts = _facts(run, spec, launches, notes)
    return Derived(run.folder, findings, facts, tuple(damaged))


def _read_spec(run: StoredRun) -> SweepSpec:
    path = run.layout.manifest
    try:
        spec = SweepSpec.model_validate(run.manifest.sweep)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise ResultsError(f"{path}: sweep.{place}: {first['msg']}") from error
    for target in spec.targets:
        if target.engine not in ADAPTERS:
            raise ResultsError(
                f"{path}: engine {target.engine!r} is not known",
                hint="read the run with the specbench version that wrote it",
            )
    return spec


def engine_notes(launches: Sequence[LaunchRecord]) -> list[str]:
    """What the engines changed by themselves, and the KV cache where it differs."""
    notes: dict[str, None] = {}
    capacity: dict[str, dict[str, int]] = {}
    for record in launches:
        if record.facts is None:
            continue
        for note in record.facts.notes:
            notes[f"{record.arm} on {record.target}: {note}"] = None
        if record.facts.kv_capacity_tokens is not None:
            arms = capacity.setdefault(record.target, {})
            arms[record.arm] = record.facts.kv_capacity_tokens
    for target, arms in capacity.items():
        if len(set(arms.values())) > 1:
            each = ", ".join(f"{arm} {tokens:,}" for arm, tokens in arms.items())
            notes[f"KV cache of {target}, in tokens: {each}"] = None
    return list(notes)


def derive_run(folder: Path) -> Derived:
    """Conclude the run and write its tables and plots beside the raw data."""
    derived = conclude_run(StoredRun.open(folder))
    write_reports(DerivedWriter(folder), derived)
    return derived


def write_reports(writer: DerivedWriter, derived: Derived) -> None:
    """Write every derived file; they can be deleted and made again."""
    findings, facts = derived.findings, derived.facts
    writer.write_text("cells.csv", cells_csv(findings))
    writer.write_text("breakeven.csv", breakeven_csv(findings))
    writer.write_text("speedups.csv", speedups_csv(findings))
    if findings.over_context:
        writer.write_text("contexts.csv", contexts_csv(findings))
    writer.write_text("report.json", report_json(findings, facts))
    writer.write_text("report.md", report_markdown(findings, facts))
    from specbench.report.plots import draw_plots

    for name, data in draw_plots(findings, facts).items():
        writer.write_bytes(f"plots/{name}", data)


def _summarise(
    cell: StoredCell,
    samples: tuple[RequestSample, ...],
    spec: SweepSpec,
    speculates: bool,
) -> CellStats:
    key = cell.record.key
    target = next((t for t in spec.targets if t.label == key.condition.target), None)
    if target is None:
        raise ResultsError(
            f"{cell.layout.record}: target {key.condition.target!r} is not in the sweep"
        )
    return summarise_cell(
        CellObservations(
            key=key,
            samples=samples,
            readings=translate_snapshots(ADAPTERS[target.engine], cell.snapshots()),
            client=cell.record.client,
            expects_speculation=speculates,
            is_caching_wanted=is_caching_wanted(target),
            gpu=cell.record.gpu,
            planned=cell.record.size.warmup + cell.record.size.measured,
            slo=spec.slo,
        )
    )


def _facts(
    run: StoredRun,
    spec: SweepSpec,
    launches: tuple[LaunchRecord, ...],
    notes: list[str],
) -> RunFacts:
    manifest = run.manifest
    engines = {
        record.target: f"{record.facts.engine} {record.facts.version or '?'}"
        for record in launches
        if record.facts is not None
    }
    if any(not record.command and record.facts for record in launches):
        notes.append(
            "the servers were already running: passes over them stand in for launches,"
            " so the spread leaves out what a restart would change"
        )
    return RunFacts(
        sweep_name=manifest.sweep_name,
        run_id=run.folder.name,
        started_utc=manifest.started_utc,
        device=device_words(
            manifest.host, is_cpu=all(t.device == "cpu" for t in spec.targets)
        ),
        engines=tuple(dict.fromkeys(engines.values())),
        models=tuple(dict.fromkeys(t.label for t in spec.targets)),
        datasets=manifest.datasets,
        texts=manifest.texts,
        launches_per_arm=max(
            (r.replicate for r in launches if r.facts is not None), default=0
        ),
        specbench_version=manifest.specbench_version,
        measurement_version=manifest.measurement_version,
        engine_by_target=engines,
        notes=tuple(notes),
        lossy_arms=tuple(
            LossyArm(target, arm, traits.lossy)
            for (target, arm), traits in traits_of_arms(spec, is_aa=manifest.aa).items()
            if traits.lossy
        ),
        searches=manifest.searches,
    )


def device_words(host: HostFacts | None, *, is_cpu: bool) -> str:
    """What computed, for captions."""
    if host is None:
        return "servers on hardware that is not known here"
    if host.gpus and not is_cpu:
        return host.device
    host = replace(host, gpus=())
    count = f"{host.cpu_count} cores of " if host.cpu_count else ""
    return f"{count}{host.device}"
