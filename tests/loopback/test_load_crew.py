"""Load processes: one cell after another, and nothing left behind when something ends
that should not have."""

import asyncio
import os
import select
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
import uvloop

from specbench.load import lag
from specbench.load.cell_load import CellLoad
from specbench.load.client import RequestSettings, prepare_request
from specbench.load.crew import LoadCrew, LoadProcessError
from specbench.load.driver import CellHooks, DrivenCell, drive_cell
from specbench.load.worker import INDEX
from specbench.schema.prompt import Message, Prompt
from specbench.schema.sample import Outcome, Role
from specbench.schema.snapshot import Phase
from tests.loopback.loops import LIMIT_S, run
from tests.loopback.scripted_server import (
    Peer,
    ScriptedServer,
    SeenRequest,
    answer_well,
    stream,
)


async def ignore_phase(_: Phase) -> None:
    """Nothing to read."""


async def drive(
    crew: LoadCrew,
    url: str,
    concurrency: int,
    count: int,
    on_phase: Callable[[Phase], Awaitable[None]] = ignore_phase,
) -> DrivenCell:
    settings = RequestSettings("target", 16, 0.0, {})
    asked = tuple(
        prepare_request(
            index,
            Prompt(f"q{index}", "", 1, (Message("user", str(index)),)),
            Role.MEASURED,
            settings,
        )
        for index in range(count)
    )
    load = CellLoad(url, "/v1/chat/completions", asked, concurrency, 0.0)
    return await drive_cell(crew, load, CellHooks(on_phase, lambda _: None))


def take_index(queue: int) -> int | None:
    try:
        return int(INDEX.unpack(os.read(queue, INDEX.size))[0])
    except BlockingIOError:
        return None


def pids(crew: LoadCrew) -> list[int]:
    return [process.popen.pid for process in crew.processes]


def is_running(pid: int) -> bool:
    """A zombie has ended."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def test_one_crew_carries_cell_after_cell_on_one_event_loop_after_another() -> None:
    with LoadCrew.start(2, 2) as crew:
        before = pids(crew)
        for concurrency in (1, 4, 2):

            async def script(concurrency: int = concurrency) -> DrivenCell:
                async with ScriptedServer(answer_well) as server:
                    return await drive(crew, server.url, concurrency, 12)

            driven = run(uvloop.new_event_loop, script())
            assert [s.index for s in driven.samples] == list(range(12))
            assert {s.slot for s in driven.samples} <= set(range(concurrency))
            assert {s.outcome for s in driven.samples} == {Outcome.OK}
            assert driven.client.processes == (2 if concurrency > 2 else 1)
        assert pids(crew) == before
    assert not any(is_running(pid) for pid in before)


def test_slots_of_all_processes_take_from_one_list() -> None:
    async def script(crew: LoadCrew) -> DrivenCell:
        everybody = asyncio.Event()

        async def handler(seen: SeenRequest, peer: Peer) -> None:
            # the first four wait for one another: each slot has taken one of them
            if int(seen.question) == 3:
                everybody.set()
            await everybody.wait()
            await peer.send(stream())

        async with ScriptedServer(handler) as server:
            return await drive(crew, server.url, 4, 20)

    with LoadCrew.start(4, 1) as crew:
        driven = run(uvloop.new_event_loop, script(crew))
    assert [s.index for s in driven.samples] == list(range(20))
    assert {s.slot for s in driven.samples if s.index < 4} == {0, 1, 2, 3}
    assert driven.client.processes == 4


def test_a_process_killed_in_a_cell_fails_the_cell_and_not_the_next_one() -> None:
    with LoadCrew.start(2, 1) as crew:

        async def killed() -> None:
            async def handler(_: SeenRequest, peer: Peer) -> None:
                os.kill(pids(crew)[0], signal.SIGKILL)
                await peer.until_gone()

            async with ScriptedServer(handler) as server:
                await drive(crew, server.url, 2, 4)

        async def well() -> DrivenCell:
            async with ScriptedServer(answer_well) as server:
                return await drive(crew, server.url, 2, 4)

        with pytest.raises(LoadProcessError, match="ended while a cell ran"):
            run(uvloop.new_event_loop, killed())
        driven = run(uvloop.new_event_loop, well())
        assert {s.outcome for s in driven.samples} == {Outcome.OK}


def test_a_cell_that_is_cancelled_drops_its_connections_and_ends_the_processes() -> (
    None
):
    with LoadCrew.start(1) as crew:
        before = pids(crew)

        async def script() -> None:
            came, gone = asyncio.Event(), asyncio.Event()

            async def handler(_: SeenRequest, peer: Peer) -> None:
                came.set()
                await peer.until_gone()
                gone.set()

            async with ScriptedServer(handler) as server:
                driving = asyncio.ensure_future(drive(crew, server.url, 1, 4))
                await came.wait()
                driving.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await driving
                await gone.wait()

        run(uvloop.new_event_loop, script())
        assert not any(is_running(pid) for pid in before)


PARENT = """
import sys
from specbench.load.crew import LoadCrew
with LoadCrew.start(2) as crew:
    print(*(p.popen.pid for p in crew.processes), flush=True)
    sys.stdin.read()
"""


def test_load_processes_end_when_their_parent_is_killed() -> None:
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert parent.stdout is not None
    children = [os.pidfd_open(int(word)) for word in parent.stdout.readline().split()]
    assert len(children) == 2
    parent.kill()
    parent.communicate()
    for child in children:
        # a process's descriptor becomes readable when it ends
        assert select.select([child], [], [], LIMIT_S)[0] == [child]
        os.close(child)


def test_ctrl_c_in_the_terminal_reaches_the_parent_only() -> None:
    with LoadCrew.start(1) as crew:
        assert os.getpgid(pids(crew)[0]) != os.getpgid(0)


def test_more_requests_than_the_queue_holds_are_added_as_it_empties() -> None:
    with LoadCrew.start(1) as crew:
        crew.queue_requests(300_000)
        seen = 0
        while (index := take_index(crew.queue_end)) is not None:
            assert index == seen
            seen += 1
            if seen % 1000 == 0:
                crew.refill()
        assert seen == 300_000


def test_a_stopped_process_fails_the_cell_in_bounded_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(lag, "STUCK_S", 0.1)
    monkeypatch.setattr(lag, "PROBE_S", 0.0005)

    async def script(crew: LoadCrew) -> None:
        async def handler(_: SeenRequest, peer: Peer) -> None:
            os.kill(pids(crew)[0], signal.SIGSTOP)
            await peer.until_gone()

        async with ScriptedServer(handler) as server:
            await drive(crew, server.url, 1, 4)

    with (
        LoadCrew.start(1) as crew,
        pytest.raises(LoadProcessError, match="has not read for"),
    ):
        run(uvloop.new_event_loop, script(crew))


def test_a_slow_last_reading_of_the_metrics_is_not_time_without_probes() -> None:
    async def script(crew: LoadCrew) -> DrivenCell:
        async def read_slowly(phase: Phase) -> None:
            if phase is Phase.CLOSE:
                await asyncio.sleep(1.0)

        async with ScriptedServer(answer_well) as server:
            return await drive(crew, server.url, 1, 4, read_slowly)

    with LoadCrew.start(1) as crew:
        health = run(uvloop.new_event_loop, script(crew)).client
    assert health.lag_expected is not None
    assert health.lag_expected < 10  # of 20 a second


def test_a_closed_standard_input_costs_no_request() -> None:
    script = (
        "import os; os.close(0);"
        "from specbench.cli.streams import open_standard_streams;"
        "open_standard_streams();"
        "from specbench.load.crew import LoadCrew;"
        "import contextlib;"
        "crew = LoadCrew(1, 128);"
        "print(crew.queue_end > 2)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "True"
