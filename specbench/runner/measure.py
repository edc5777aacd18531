"""Cells against one server that already runs: no launch, no pair, no store."""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from specbench.analysis.cell import CellObservations, summarise_cell
from specbench.analysis.request_drafts import read_drafts
from specbench.engines import ADAPTERS
from specbench.errors import InputError
from specbench.host.affinity import pin_this_process
from specbench.host.machine import usable_cpus
from specbench.load.crew import LoadCrew
from specbench.load.pacing import load_processes
from specbench.runner.address import check_url
from specbench.runner.cell import (
    CellTask,
    Client,
    Endpoint,
    measure_cell,
    translate_snapshots,
)
from specbench.runner.serving import auth_headers, read_facts
from specbench.schema.cell import CellKey, Condition
from specbench.schema.drafting import Drafter
from specbench.schema.findings import CellStats
from specbench.schema.plan import CellSize
from specbench.schema.prompt import Dataset
from specbench.schema.record import EngineFacts
from specbench.workload.order import order_questions
from specbench.workload.prompts import (
    Opening,
    cell_prompts,
    list_prompts,
    mark_pass,
    put_marker,
)

ARM = "server"
"""Name of the only arm: it is not known whether it speculates."""


@dataclass(frozen=True, slots=True)
class MeasureJob:
    """What `specbench measure` asks for."""

    url: str
    engine: str
    model: str | None
    """Served name; None = what the server says."""
    dataset: Dataset
    concurrency: tuple[int, ...]
    requests: int
    """Measured requests of each cell."""
    warmup: int
    max_tokens: int
    temperature: float
    seed: int
    client_cpus: tuple[int, ...] | None


@dataclass(frozen=True, slots=True)
class Measured:
    """What came of it."""

    facts: EngineFacts
    cells: tuple[CellStats, ...]


def measure_server(
    job: MeasureJob, on_progress: Callable[[int, int], None]
) -> Measured:
    """Measure each load in turn. `on_progress` gets concurrency and ended requests."""
    adapter = ADAPTERS[job.engine]
    check_url(job.url)
    headers = auth_headers(os.environ)
    facts = read_facts(job.url, adapter, log="", headers=headers)
    model = job.model or facts.model_id
    if model is None:
        raise InputError(
            f"{job.url}{adapter.models_path} names no model",
            hint="say which one with --model",
        )
    endpoint = Endpoint(job.url, adapter, model, headers)
    cpus = job.client_cpus or usable_cpus()
    processes = load_processes(max(job.concurrency), len(cpus))
    with pin_this_process(job.client_cpus), LoadCrew.start(processes) as crew:
        cells = tuple(
            _measure_one(
                job, Client(crew), endpoint, concurrency, on_progress, facts.drafter
            )
            for concurrency in job.concurrency
        )
    return Measured(facts, cells)


def _measure_one(
    job: MeasureJob,
    client: Client,
    endpoint: Endpoint,
    concurrency: int,
    on_progress: Callable[[int, int], None],
    drafter: Drafter | None,
) -> CellStats:
    condition = Condition(
        endpoint.model_id, job.dataset.name, 0, job.temperature, concurrency
    )
    key = CellKey(condition, ARM, 1)
    questions = order_questions(job.dataset.questions, job.seed)
    listed = list_prompts(questions, "first", {})
    opening: Opening = put_marker
    if len(job.concurrency) > 1:
        # the server may have kept prefixes from the loads before
        opening = mark_pass(opening, f"c{concurrency}")
    warmup, measured = cell_prompts(
        listed.prompts, CellSize(job.warmup, job.requests), opening
    )
    cell = measure_cell(
        client,
        endpoint,
        CellTask(key, 1, warmup, measured, job.max_tokens, 0.0),
        lambda done: on_progress(concurrency, done),
    )
    adapter = endpoint.adapter
    return summarise_cell(
        CellObservations(
            key=key,
            samples=cell.samples,
            readings=translate_snapshots(adapter, cell.snapshots),
            drafts=read_drafts(cell.samples, adapter.read_request),
            counts_at_request_end=adapter.counts_at_request_end,
            drafter=drafter,
            client=cell.record.client,
            planned=cell.record.size.warmup + cell.record.size.measured,
        )
    )


def check_loads(concurrency: Sequence[int], requests: int) -> None:
    """A cell needs at least one request a slot."""
    for value in concurrency:
        if value < 1:
            raise InputError(f"--concurrency {value}: must be at least 1")
        if requests < value:
            raise InputError(
                f"--requests {requests} does not fill --concurrency {value}",
                hint="send at least as many requests as are to be in flight; 4 times"
                " as many give a good window",
            )
