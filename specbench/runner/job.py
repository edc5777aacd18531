"""One run from its beginning to its report: makes the run folder, sweeps, and derives
findings and files from what was stored. An interruption keeps what was measured."""

import contextlib
import os
import secrets
import subprocess
from collections.abc import Mapping
from pathlib import Path

from specbench import MEASUREMENT_VERSION, __version__
from specbench.clock import utc_now
from specbench.errors import SpecbenchError
from specbench.host.affinity import pin_this_process, split_cpus
from specbench.host.machine import read_host, usable_cpus
from specbench.load.crew import LoadCrew
from specbench.load.pacing import load_processes
from specbench.runner.derive import Derived, derive_run
from specbench.runner.events import Listener, SweepStarted
from specbench.runner.preflight import Prepared
from specbench.runner.prompts import PromptSource
from specbench.runner.serving import LaunchSite, choose_gpus
from specbench.runner.sweep import SweepJob, run_sweep
from specbench.schema.host import HostFacts
from specbench.schema.record import DatasetUse
from specbench.schema.sweep import SweepSpec
from specbench.store.format import FORMAT_VERSION
from specbench.store.manifest import Manifest, RunStatus, add_notes
from specbench.store.writer import RunWriter

GIT_TIMEOUT_S = 5


def execute(
    prepared: Prepared,
    sweep_name: str,
    results: Path,
    urls: Mapping[str, str],
    listener: Listener,
) -> Derived:
    """Run a prepared sweep. Raises what stopped it, after the reports of what is
    there have been written."""
    cpus = usable_cpus()
    host = read_host()
    for target in () if urls else prepared.plan.spec.targets:
        choose_gpus(target, host)  # refuses what this machine has not got
    split = split_cpus(cpus, has_gpu=bool(urls) or on_gpu(prepared.plan.spec, host))
    started = utc_now()
    run_id = secrets.token_hex(3)
    # of servers that already run nobody knows the machine
    manifest = _manifest(prepared, sweep_name, None if urls else host)
    manifest = add_notes(manifest, [split.note] if split.note else [])
    writer = RunWriter.create(results, manifest, started, run_id)
    listener(SweepStarted(prepared.plan, str(writer.folder)))
    processes = load_processes(
        max(prepared.plan.spec.load.concurrency), len(split.client or cpus)
    )
    try:
        with pin_this_process(split.client), LoadCrew.start(processes) as crew:
            run_sweep(
                SweepJob(
                    plan=prepared.plan,
                    prompts=PromptSource(prepared, marks_passes=bool(urls)),
                    writer=writer,
                    site=LaunchSite(
                        writer.folder, f"{os.getpid()}-{run_id}", split, cpus, host
                    ),
                    listener=listener,
                    crew=crew,
                    urls=urls,
                )
            )
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


def on_gpu(spec: SweepSpec, host: HostFacts) -> bool:
    """Whether any engine of the sweep computes on GPUs of this machine."""
    return bool(host.gpus) and any(t.device != "cpu" for t in spec.targets)


def _manifest(prepared: Prepared, sweep_name: str, host: HostFacts | None) -> Manifest:
    spec = prepared.plan.spec
    return Manifest(
        format_version=FORMAT_VERSION,
        specbench_version=__version__,
        measurement_version=MEASUREMENT_VERSION,
        sweep_name=sweep_name,
        sweep=spec.model_dump(mode="json"),
        host=host,
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
        notes=tuple(
            f"{name}: {entry.where} {entry.reason}"
            for name, entries in prepared.overlong.items()
            for entry in entries
        ),
        filler=filler_words(prepared),
        git_commit=_git_commit(),
        seeds={"prompts": spec.workload.seed},
        started_utc=utc_now().isoformat(timespec="seconds"),
        finished_utc=None,
        status=RunStatus.RUNNING,
    )


def _short_path(path: str) -> str:
    """As seen from the folder that the run is started in, where it lies below that."""
    with contextlib.suppress(ValueError):
        return str(Path(path).relative_to(Path.cwd()))
    return path


def filler_words(prepared: Prepared) -> str | None:
    """What made prompts longer, so that two runs can be told apart by it."""
    filler = prepared.filler
    if filler is None:
        return None
    return f"{filler.name}, {filler.licence}, sha256 {filler.sha256}"


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
