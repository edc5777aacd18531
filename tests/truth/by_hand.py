"""Cells driven without the command line, where a test needs the raw samples of a
server that already runs, a crew of its own or a short patience."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from specbench.analysis.cell import CellObservations, summarise_cell
from specbench.analysis.request_drafts import read_drafts
from specbench.engines import ADAPTERS
from specbench.load.cell_load import CellLoad
from specbench.load.client import RequestSettings, prepare_request
from specbench.load.crew import LoadCrew
from specbench.load.driver import CellHooks, DrivenCell, drive_cell
from specbench.report.json_report import plain_cell
from specbench.runner.cell import run_loop, translate_snapshots
from specbench.schema.cell import CellKey, Condition
from specbench.schema.plan import CellSize
from specbench.schema.sample import RequestSample, Role
from specbench.schema.snapshot import MetricsSnapshot, Phase
from specbench.scrape.snapshots import SnapshotReader
from specbench.workload.order import order_questions
from specbench.workload.prompts import cell_prompts, list_prompts, put_marker
from specbench.workload.readers import load_dataset
from tests.truth.judge import Truth, find_truth
from tests.truth.seen import SeenCell, driven_cell
from tests.truth.server_log import ServerLog

SIM = ADAPTERS["sim"]


@dataclass(frozen=True, slots=True)
class HandCell:
    """What a cell is asked for."""

    url: str
    concurrency: int
    requests: int
    """All measured; a slot's first one never counts for latencies."""
    max_tokens: int = 1024
    stall_s: float = 20.0
    expects_speculation: bool = False
    arrivals: tuple[float, ...] = ()
    """Of an open loop, whose concurrency is 0."""

    @property
    def rate(self) -> float:
        """Requests per second of an open loop."""
        return self.requests / self.arrivals[-1] if self.arrivals else 0.0


@dataclass(frozen=True, slots=True)
class Driven:
    """What came of it: raw, and as the product sums it up."""

    samples: tuple[RequestSample, ...]
    seen: SeenCell
    figures: dict[str, Any]
    """As in the product's JSON."""
    processes: int

    @property
    def codes(self) -> set[str]:
        """Of all findings."""
        return {finding["code"] for finding in self.figures["findings"]}

    @property
    def void_codes(self) -> set[str]:
        """Of those that void the cell."""
        found = self.figures["findings"]
        return {f["code"] for f in found if f["severity"] == "void"}

    def truth(self, log: ServerLog) -> Truth:
        """By the server's log, between the readings before and after the cell."""
        first, last = (
            log.page_before(self.seen.page(phase).instant_ns)
            for phase in ("before", "after")
        )
        return find_truth(self.seen, log, log.calls_between(first, last))


def drive(
    crew: LoadCrew, cell: HandCell, on_progress: Callable[[int], None] | None = None
) -> Driven:
    """Drive one cell. `on_progress` runs on the parent's event loop."""
    snapshots: list[MetricsSnapshot] = []
    driven = run_loop(_drive(crew, cell, snapshots, on_progress or (lambda _: None)))
    condition = Condition("m", "mt-bench-style", 0, 0.0, cell.concurrency, cell.rate)
    stats = summarise_cell(
        CellObservations(
            key=CellKey(condition, "server", 1),
            samples=driven.samples,
            readings=translate_snapshots(SIM, snapshots),
            client=driven.client,
            expects_speculation=cell.expects_speculation,
            drafts=read_drafts(driven.samples, SIM.read_request),
        )
    )
    return Driven(
        samples=driven.samples,
        seen=driven_cell(cell.concurrency, driven.samples, snapshots),
        figures=plain_cell(stats),
        processes=driven.client.processes,
    )


async def _drive(
    crew: LoadCrew,
    cell: HandCell,
    snapshots: list[MetricsSnapshot],
    on_progress: Callable[[int], None],
) -> DrivenCell:
    async with SnapshotReader(cell.url, SIM.metrics_path, SIM.series_prefix) as reader:

        async def read(phase: Phase) -> None:
            snapshots.append(await reader.take(phase))

        questions = order_questions(load_dataset("mt-bench-style").questions, 0)
        prompts = list_prompts(questions, "first", {}).prompts
        _, asked = cell_prompts(prompts, CellSize(0, cell.requests), put_marker)
        settings = RequestSettings("m", cell.max_tokens, 0.0, SIM.request_extras())
        load = CellLoad(
            base_url=cell.url,
            path=SIM.chat_path,
            requests=tuple(
                prepare_request(index, prompt, Role.MEASURED, settings)
                for index, prompt in enumerate(asked)
            ),
            concurrency=cell.concurrency,
            # unknown, so that the metrics are read each quarter of a second
            request_s=0.0,
            stall_s=cell.stall_s,
            arrivals=cell.arrivals,
        )
        return await drive_cell(crew, load, CellHooks(read, on_progress))


TRIES = 6


def until_not_void(
    drive_once: Callable[[], Driven], is_unlucky: Callable[[Driven], bool] | None = None
) -> Driven:
    """A cell that the client's own lag voided is repeated some times: that is what
    the product asks of its users. Any other void cell is a fault."""
    for _ in range(TRIES):
        driven = drive_once()
        others = {c for c in driven.void_codes if not c.startswith("client-")}
        assert not others, driven.figures["findings"]
        if not driven.void_codes and not (is_unlucky and is_unlucky(driven)):
            return driven
    raise AssertionError(f"void {TRIES} times: {driven.figures['findings']}")


def log_file(folder: Path) -> Path:
    """Where a test's server logs."""
    return folder / "truth.jsonl"
