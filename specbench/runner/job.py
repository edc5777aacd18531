"""One run from its beginning to its report: makes the run folder, sweeps, and derives
findings and files from what was stored. An interruption keeps what was measured."""

import contextlib
import os
import secrets
import subprocess
import threading
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from specbench import MEASUREMENT_VERSION, __version__
from specbench.clock import utc_now
from specbench.errors import SpecbenchError
from specbench.host.affinity import pin_this_process
from specbench.load.crew import LoadCrew
from specbench.load.pacing import load_processes
from specbench.planning.expand import most_streams
from specbench.runner.budget import Budget
from specbench.runner.derive import Derived, derive_run
from specbench.runner.durations import (
    Recollection,
    keep_durations,
    recall_durations,
)
from specbench.runner.events import Event, Listener, Remark, SweepStarted
from specbench.runner.interruption import Interruption
from specbench.runner.noise import recall_noise
from specbench.runner.placement import Placement
from specbench.runner.preflight import Prepared
from specbench.runner.progress import SweepProgress
from specbench.runner.prompts import PromptSource
from specbench.runner.rounds import search_batches
from specbench.runner.serving import LaunchSite, Ports
from specbench.runner.sweep import grid_batches, run_sweep
from specbench.runner.sweep_job import SweepJob
from specbench.schema.record import DatasetUse, TextUse
from specbench.schema.sweep import SweepSpec
from specbench.search.adaptive import next_round
from specbench.store.format import FORMAT_VERSION
from specbench.store.manifest import Manifest, RunStatus, add_notes
from specbench.store.writer import RunWriter

GIT_TIMEOUT_S = 5


def execute(
    prepared: Prepared,
    placement: Placement,
    sweep_name: str,
    results: Path,
    urls: Mapping[str, str],
    listener: Listener,
) -> Derived:
    """Run a prepared sweep. Raises what stopped it, after the reports of what is
    there have been written."""
    started = utc_now()
    run_id = secrets.token_hex(3)
    manifest = _manifest(prepared, sweep_name, placement)
    if urls:
        # of servers that already run nobody knows the machine
        manifest = replace(manifest, host=None)
    elif not prepared.plan.is_aa:
        known = recall_noise(prepared.plan.spec, placement)
        manifest = add_notes(replace(manifest, noise=known.records), known.notes)
    writer = RunWriter.create(results, manifest, started, run_id)
    listener(SweepStarted(prepared.plan, str(writer.folder)))
    try:
        _measure(prepared, placement, writer, urls, listener)
    except KeyboardInterrupt:
        writer.finish(RunStatus.INTERRUPTED, utc_now(), "interrupted")
        derive_run(writer.folder)
        raise
    except SpecbenchError as error:
        writer.finish(RunStatus.FAILED, utc_now(), error.message)
        derive_run(writer.folder)
        raise
    writer.finish(RunStatus.FINISHED, utc_now())
    return derive_run(writer.folder)


def _measure(
    prepared: Prepared,
    placement: Placement,
    writer: RunWriter,
    urls: Mapping[str, str],
    listener: Listener,
) -> None:
    """All waves of the grid, or those that the search chooses. How long things took is
    kept whatever ends it."""
    plan = prepared.plan
    budget = Budget(plan.spec.search.budget_s if plan.is_adaptive else None)
    recollection = Recollection()
    if not urls:
        recollection = recall_durations(plan, placement)
        tell_remark(listener, recollection.note)
    progress = SweepProgress(plan, budget, recollection.recalled)
    interruption = Interruption()
    run_id = f"{os.getpid()}-{writer.folder.name.rsplit('-', 1)[-1]}"
    try:
        with (
            pin_this_process(placement.client_cpus),
            _crews(plan.spec, placement) as crews,
        ):
            job = SweepJob(
                plan=plan,
                prompts=PromptSource(prepared, urls),
                writer=writer,
                sites=_sites(placement, writer.folder, run_id, interruption),
                crews=crews,
                listener=one_at_a_time(listener),
                urls=urls,
                interruption=interruption,
                budget=budget,
            )
            if plan.is_adaptive:
                batches = search_batches(job, progress, next_round)
            else:
                batches = grid_batches(plan)
            with contextlib.closing(batches):
                run_sweep(job, progress, batches)
    finally:
        if not urls:
            now = utc_now().isoformat(timespec="seconds")
            kept = keep_durations(plan, placement, progress.done(), now)
            tell_remark(listener, kept)


def tell_remark(listener: Listener, words: str) -> None:
    """Tell it where there is something to tell."""
    if words:
        listener(Remark(words))


def one_at_a_time(listener: Listener) -> Listener:
    """The listener, for events out of several threads."""
    lock = threading.Lock()

    def tell(event: Event) -> None:
        with lock:
            listener(event)

    return tell


@contextlib.contextmanager
def _crews(spec: SweepSpec, placement: Placement) -> Iterator[tuple[LoadCrew, ...]]:
    """Load processes of each place; the client's CPUs are shared by all of them."""
    places = placement.most_places
    count = load_processes(most_streams(spec.load), placement.cpu_count // places)
    with contextlib.ExitStack() as stack:
        yield tuple(stack.enter_context(LoadCrew.start(count)) for _ in range(places))


def _sites(
    placement: Placement, folder: Path, run_id: str, interruption: Interruption
) -> dict[str, dict[int, LaunchSite]]:
    ports = Ports()
    return {
        label: {
            number: LaunchSite(
                folder, run_id, place, placement.host, ports, interruption
            )
            for number, place in placement.numbered(label).items()
        }
        for label in placement.places
    }


def _manifest(prepared: Prepared, sweep_name: str, placement: Placement) -> Manifest:
    spec = prepared.plan.spec
    return Manifest(
        format_version=FORMAT_VERSION,
        specbench_version=__version__,
        measurement_version=MEASUREMENT_VERSION,
        sweep_name=sweep_name,
        sweep=spec.model_dump(mode="json"),
        host=placement.host,
        datasets=tuple(
            DatasetUse(
                name=d.name,
                path=_short_path(d.path),
                sha256=d.sha256,
                used=len(d.questions),
                skipped=tuple(f"{s.where}: {s.reason}" for s in d.skipped),
            )
            for d in prepared.datasets.values()
        ),
        notes=(*prepared.plan.notes, *placement.notes),
        filler=filler_words(prepared),
        texts=text_uses(prepared),
        git_commit=_git_commit(),
        seeds={"prompts": spec.workload.seed},
        started_utc=utc_now().isoformat(timespec="seconds"),
        finished_utc=None,
        status=RunStatus.RUNNING,
        aa=prepared.plan.is_aa,
    )


def _short_path(path: str) -> str:
    """As seen from the folder that the run is started in, where it lies below that."""
    with contextlib.suppress(ValueError):
        return str(Path(path).relative_to(Path.cwd()))
    return path


def filler_words(prepared: Prepared) -> str | None:
    """What made prompts longer, so that two runs can be told apart by it."""
    texts = prepared.lengths.texts
    each = [f"{t.name}, {t.licence}, sha256 {t.sha256}" for t in texts]
    return "; ".join(each) or None


def text_uses(prepared: Prepared) -> tuple[TextUse, ...]:
    """The same, one by one, with their lengths."""
    return tuple(
        TextUse(t.name, t.licence, t.sha256, t.words) for t in prepared.lengths.texts
    )


def _git_commit() -> str | None:
    """Of the folder that the run is started in; None where git has no answer."""
    try:
        done = subprocess.run(
            ["git", "rev-parse", "HEAD"],
            capture_output=True,
            text=True,
            timeout=GIT_TIMEOUT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() or None if done.returncode == 0 else None
