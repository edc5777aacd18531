"""Ours: the load processes and the driver that also measure engines, unchanged."""

import asyncio
import os

import uvloop
from closed_loop import Answer, read_load, say, write_answers

from specbench.load.cell_load import CellLoad
from specbench.load.crew import LoadCrew
from specbench.load.driver import CellHooks, drive_cell
from specbench.load.pacing import load_processes
from specbench.runner.selftest import numbered_requests
from specbench.schema.sample import Outcome, RequestSample
from specbench.schema.snapshot import Phase


def as_answer(sample: RequestSample) -> Answer:
    texts = [chunk for chunk in sample.chunks if chunk.text]
    return Answer(
        sample.index,
        sample.sent_ns,
        [(chunk.arrival_ns, chunk.tokens_so_far or 0) for chunk in texts],
    )


async def no_metrics(phase: Phase) -> None:
    if phase is Phase.BEFORE:  # connections are open, nothing is sent yet
        say("ready")
    await asyncio.sleep(0)


def ignore(_ended: int) -> None:
    """Nothing is shown."""


def main() -> None:
    load = read_load()
    requests = numbered_requests(load.streams * load.each)
    count = load_processes(load.streams, len(os.sched_getaffinity(0)))
    with LoadCrew.start(count) as crew:
        cell = CellLoad(
            base_url=load.url,
            path="/v1/chat/completions",
            requests=requests,
            concurrency=load.streams,
            request_s=load.request_s,
        )
        hooks = CellHooks(no_metrics, ignore)
        driven = uvloop.run(drive_cell(crew, cell, hooks))
        say("done")
    whole = [s for s in driven.samples if s.outcome is Outcome.OK]
    failures = [
        s.error or "empty" for s in driven.samples if s.outcome is not Outcome.OK
    ]
    write_answers(load.path, [as_answer(sample) for sample in whole], failures)


main()
