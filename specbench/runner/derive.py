"""From a stored run to its findings and its derived files. `run` and `report` both go
this way, so that a report says the same whenever it is made."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from specbench.analysis.arms import ArmName
from specbench.analysis.cell import CellObservations, summarise_cell
from specbench.analysis.outputs import Outputs, outputs_of
from specbench.analysis.request_drafts import read_drafts
from specbench.analysis.run import conclude
from specbench.engines import ADAPTERS
from specbench.errors import ResultsError
from specbench.planning.arms import speculation_of_arms
from specbench.report import words
from specbench.report.category_columns import has_categories
from specbench.report.csv_files import (
    acceptance_csv,
    breakeven_csv,
    cells_csv,
    contexts_csv,
    speedups_csv,
)
from specbench.report.facts import LossyArm, RunFacts
from specbench.report.json_report import report_json
from specbench.report.markdown import report_markdown
from specbench.runner.arm_traits import drafters_of, traits_of_arms
from specbench.runner.cell import translate_snapshots
from specbench.runner.devices import target_facts
from specbench.runner.prompts import is_caching_wanted
from specbench.schema.cell import CellKey
from specbench.schema.drafting import Drafter
from specbench.schema.findings import CellStats, RunFindings
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
    arms = {
        target.label: speculation_of_arms(
            spec, is_aa=run.manifest.aa, target=target.label
        )
        for target in spec.targets
    }
    drafters = drafters_of(launches)
    cells: dict[CellKey, CellStats] = {}
    outputs: dict[CellKey, Outputs] = {}
    for cell in listing.cells:
        key = cell.record.key
        try:
            samples = cell.samples()
            cells[key] = _summarise(cell, samples, spec, arms, drafters)
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
    writer.write_text("breakeven.csv", breakeven_csv(findings, facts))
    writer.write_text("speedups.csv", speedups_csv(findings))
    if findings.over_context:
        writer.write_text("contexts.csv", contexts_csv(findings))
    if has_categories(findings):
        writer.write_text("acceptance.csv", acceptance_csv(findings))
    writer.write_text("report.json", report_json(findings, facts))
    writer.write_text("report.md", report_markdown(findings, facts))
    from specbench.report.plots import draw_plots

    for name, data in draw_plots(findings, facts).items():
        writer.write_bytes(f"plots/{name}", data)


def _summarise(
    cell: StoredCell,
    samples: tuple[RequestSample, ...],
    spec: SweepSpec,
    arms: Mapping[str, Mapping[str, dict[str, Any] | None]],
    drafters: Mapping[ArmName, Drafter],
) -> CellStats:
    key = cell.record.key
    target = next((t for t in spec.targets if t.label == key.condition.target), None)
    if target is None:
        raise ResultsError(
            f"{cell.layout.record}: target {key.condition.target!r} is not in the sweep"
        )
    own = arms[target.label]
    speculative = own.get(key.arm)
    adapter = ADAPTERS[target.engine]
    return summarise_cell(
        CellObservations(
            key=key,
            samples=samples,
            readings=translate_snapshots(adapter, cell.snapshots()),
            drafts=read_drafts(samples, adapter.read_request),
            counts_at_request_end=adapter.counts_at_request_end,
            drafter=drafters.get((target.label, key.arm)),
            client=cell.record.client,
            expects_speculation=speculative is not None or key.arm not in own,
            is_caching_wanted=is_caching_wanted(target),
            not_flushed=cell.record.not_flushed,
            learns_from_traffic=adapter.learns_from_traffic(speculative or {}),
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
    targets = target_facts(spec, launches, manifest.host)
    is_one = len(targets) == 1
    ready = {record.target for record in launches if record.facts is not None}
    if any(not record.command and record.facts for record in launches):
        notes.append(
            "the servers were already running: passes over them stand in for launches,"
            " so the spread leaves out what a restart would change"
        )
    traits = traits_of_arms(spec, drafters_of(launches), is_aa=manifest.aa)
    notes += [
        f"{arm} on {target}: {arm_traits.rate_caveat}"
        for (target, arm), arm_traits in traits.items()
        if arm_traits.rate_caveat
    ]
    return RunFacts(
        sweep_name=manifest.sweep_name,
        run_id=run.folder.name,
        started_utc=manifest.started_utc,
        device=words.listed(tuple(dict.fromkeys(t.device for t in targets))),
        engines=tuple(
            dict.fromkeys(target.engine for target in targets if target.label in ready)
        ),
        models=tuple(dict.fromkeys(t.label if is_one else t.model for t in targets)),
        datasets=manifest.datasets,
        texts=manifest.texts,
        launches_per_arm=max(
            (r.replicate for r in launches if r.facts is not None), default=0
        ),
        specbench_version=manifest.specbench_version,
        measurement_version=manifest.measurement_version,
        targets=targets,
        notes=tuple(notes),
        lossy_arms=tuple(
            LossyArm(target, arm, arm_traits.lossy)
            for (target, arm), arm_traits in traits.items()
            if arm_traits.lossy
        ),
        searches=manifest.searches,
    )
