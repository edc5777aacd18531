"""From a launch plan to a server that answers, and back to nothing: starts the
engine, waits, asks for its facts, and ends it whatever happens in between."""

import contextlib
import os
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from specbench.clock import utc_now
from specbench.engines import ADAPTERS
from specbench.engines.contract import (
    EngineAdapter,
    FactPages,
    LaunchCommand,
    LaunchRequest,
)
from specbench.errors import EngineError, SpecbenchError
from specbench.host.gpu_choice import ORDER, visible_variables
from specbench.host.gpu_watch import GpuWatch
from specbench.host.machine import read_host
from specbench.launch.downloads import hub_download_active
from specbench.launch.engine_package import find_flags
from specbench.launch.health import HealthProbe
from specbench.launch.log_tail import read_tail
from specbench.launch.ports import find_free_port
from specbench.launch.process import EngineProcess
from specbench.launch.readiness import (
    StartupRules,
    StartupWatch,
    TimeSource,
    wait_until_ready,
)
from specbench.runner.address import API_KEY_VARIABLE
from specbench.runner.cell import Endpoint
from specbench.runner.events import LaunchWaiting, Listener
from specbench.runner.interruption import Interruption
from specbench.runner.placement import Place
from specbench.runner.preflight import DEFAULT_PROGRAMS, HOST
from specbench.schema.host import HostFacts
from specbench.schema.plan import LaunchPlan
from specbench.schema.record import EngineFacts, LaunchRecord
from specbench.scrape.pages import fetch_page

PAGE_TIMEOUT_S = 10.0
LOG_TAIL_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class Served:
    """A server that is ready, and the record of how it came to be."""

    endpoint: Endpoint
    record: LaunchRecord
    facts: EngineFacts
    why_dead: Callable[[], str | None]
    """Why the engine has ended by itself; None while it lives."""


class Ports:
    """Free ports, none of them twice: an engine takes its port long after it was
    found, and of two that start at once vLLM would share one without complaint."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._given: set[int] = set()

    def take(self) -> int:
        """One that nobody had a moment ago."""
        with self._lock:
            while (port := find_free_port(HOST)) in self._given:
                pass
            self._given.add(port)
            return port


@dataclass(frozen=True, slots=True)
class LaunchSite:
    """Where and on what the launches of one place run."""

    run_folder: Path
    run_id: str
    place: Place
    host: HostFacts
    ports: Ports
    interruption: Interruption


class LaunchFailedError(EngineError):
    """A launch that did not serve; carries the record to keep."""

    def __init__(self, error: SpecbenchError, record: LaunchRecord) -> None:
        super().__init__(error.message, error.hint)
        self.record = record


@contextlib.contextmanager
def serve(
    launch: LaunchPlan, site: LaunchSite, log_path: Path, listener: Listener
) -> Iterator[Served]:
    """A launched engine, ready; ended on leaving, its descendants too. Whatever keeps
    it from serving is a LaunchFailedError."""
    adapter = ADAPTERS[launch.target.engine]
    record = LaunchRecord(
        index=launch.index,
        target=launch.target.label,
        arm=launch.arm,
        replicate=launch.replicate,
        command=(),
        started_utc=utc_now().isoformat(timespec="milliseconds"),
        log_path=str(log_path.relative_to(site.run_folder)),
        host=read_host(),
        place=launch.place,
        gpus=site.place.gpus,
    )
    headers = auth_headers({**os.environ, **launch.target.env})
    process: EngineProcess | None = None
    is_ready = False
    try:
        try:
            url, command = _command(launch, site, log_path.parent)
            record = replace(record, command=command.argv, env=command.env, url=url)
            process = EngineProcess.start(
                command,
                log_path,
                f"{site.run_id}-{launch.index}",
                site.place.usable_cpus or None,
            )
            with HealthProbe(url, adapter.health_path) as probe:
                ready_s = _wait(
                    process, probe, launch, log_path, site.interruption, listener
                )
            is_ready = True
            facts = read_facts(
                url, adapter, log=read_tail(log_path, LOG_TAIL_BYTES), headers=headers
            )
        except SpecbenchError as error:
            failed = replace(record, error=_one_text(error))
            raise LaunchFailedError(error, failed) from error
        running = process
        running.remember_family()
        with GpuWatch(site.place.gpus, lambda: running.family_pids) as gpu:
            yield Served(
                endpoint=Endpoint(
                    url, adapter, facts.model_id or launch.target.label, headers, gpu
                ),
                record=replace(record, ready_s=ready_s, facts=facts),
                facts=facts,
                why_dead=lambda: _why_dead(running, adapter, log_path),
            )
    finally:
        if process is not None:
            process.stop(not is_ready, sleep=site.interruption.sleep_while_ending)


def _command(
    launch: LaunchPlan, site: LaunchSite, folder: Path
) -> tuple[str, LaunchCommand]:
    """URL and command line of a launch."""
    target = launch.target
    adapter = ADAPTERS[target.engine]
    port = target.port or site.ports.take()
    program = target.executable or DEFAULT_PROGRAMS.get(target.engine)
    command = adapter.command(
        LaunchRequest(
            target=target,
            speculative=launch.speculative,
            caps=launch.caps,
            host=HOST,
            port=port,
            engine_cpus=site.place.engine_cpus,
            model_name=target.label,
            help_text=find_flags(program, adapter.package),
            folder=str(folder),
        )
    )
    order = {**os.environ, **target.env}.get(ORDER)
    visible = visible_variables(site.place.gpus, order)
    command = replace(command, env={**command.env, **visible})
    return f"http://{HOST}:{port}", command


def _wait(
    process: EngineProcess,
    probe: HealthProbe,
    launch: LaunchPlan,
    log_path: Path,
    interruption: Interruption,
    listener: Listener,
) -> float:
    """Seconds from launch to ready."""
    target = launch.target
    adapter = ADAPTERS[target.engine]
    clock = wait_until_ready(
        process,
        probe,
        StartupRules(log_path, target.startup_timeout_s, adapter.find_cause),
        StartupWatch(
            is_downloading=hub_download_active({**os.environ, **target.env}),
            on_progress=lambda elapsed_s, line, is_downloading: listener(
                LaunchWaiting(elapsed_s, line, is_downloading, launch.place)
            ),
        ),
        TimeSource(sleep=interruption.sleep),
    )
    return clock.elapsed_s


def _why_dead(
    process: EngineProcess, adapter: EngineAdapter, log_path: Path
) -> str | None:
    code = process.poll()
    if code is None:
        return None
    cause = adapter.find_cause(read_tail(log_path, LOG_TAIL_BYTES))
    return f"the engine ended by itself (exit code {code}): {cause}"


@contextlib.contextmanager
def take_up(launch: LaunchPlan, url: str, host: HostFacts) -> Iterator[Served]:
    """A server that already runs; it is left alone afterwards."""
    adapter = ADAPTERS[launch.target.engine]
    headers = auth_headers(os.environ)
    record = LaunchRecord(
        index=launch.index,
        target=launch.target.label,
        arm=launch.arm,
        replicate=launch.replicate,
        command=(),
        url=url,
        started_utc=utc_now().isoformat(timespec="milliseconds"),
        host=host,
    )
    try:
        facts = read_facts(url, adapter, log="", headers=headers)
    except EngineError as error:
        raise LaunchFailedError(
            error, replace(record, error=_one_text(error))
        ) from error
    endpoint = Endpoint(url, adapter, facts.model_id or launch.target.model, headers)
    yield Served(endpoint, replace(record, facts=facts), facts, lambda: None)


def auth_headers(environ: Mapping[str, str]) -> dict[str, str]:
    """A key for servers that want one; it comes from the environment only and is
    sent to the server only. vLLM itself takes its key from VLLM_API_KEY."""
    key = environ.get(API_KEY_VARIABLE) or environ.get("VLLM_API_KEY")
    return {"authorization": f"Bearer {key}"} if key else {}


def read_facts(
    url: str, adapter: EngineAdapter, *, log: str, headers: dict[str, str]
) -> EngineFacts:
    """Ask a running server what it is. Only the list of models is indispensable."""

    def page(path: str) -> str | None:
        with contextlib.suppress(EngineError):
            return fetch_page(url, path, PAGE_TIMEOUT_S, headers)
        return None

    models = fetch_page(url, adapter.models_path, PAGE_TIMEOUT_S, headers)
    info = page(adapter.info_path) if adapter.info_path else None
    return adapter.read_facts(
        FactPages(
            version=page(adapter.version_path) if info is None else None,
            models=models,
            metrics=page(adapter.metrics_path),
            log=log,
            info=info,
        )
    )


def _one_text(error: SpecbenchError) -> str:
    return f"{error.message} ({error.hint})" if error.hint else error.message
