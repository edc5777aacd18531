"""The open loop against a scripted server: each request leaves when it is due, whatever
became of those before it, and the window's edges are those of the arrivals."""

import asyncio
from itertools import pairwise

import pytest

from specbench.clock import monotonic_ns
from specbench.load.cell_load import CellLoad
from specbench.load.driver import DrivenCell, drive_cell
from specbench.load.sleeping import sleep_until
from specbench.load.transport import StampingTransport
from specbench.schema.sample import Outcome
from specbench.schema.snapshot import Phase
from tests.loopback.crews import CREWS
from tests.loopback.loops import BOTH_LOOPS, LoopFactory, run
from tests.loopback.scripted_server import (
    Peer,
    ScriptedServer,
    SeenRequest,
    answer_well,
    plain,
    stream,
)
from tests.loopback.test_load_driver import Crowd, Watch, requests

GAP_S = 0.005

pytestmark = pytest.mark.usefixtures("crew")


async def drive(
    server: ScriptedServer, warmup: int, measured: int, watch: Watch | None = None
) -> DrivenCell:
    count = warmup + measured
    load = CellLoad(
        base_url=server.url,
        path="/v1/chat/completions",
        requests=requests(warmup, measured),
        concurrency=0,
        request_s=0.0,
        stall_s=15.0,
        arrivals=tuple(GAP_S * (n + 1) for n in range(count)),
    )
    return await drive_cell(CREWS[0], load, (watch or Watch()).hooks())


@BOTH_LOOPS
def test_every_request_is_sent_once_and_never_before_it_is_due(
    loop_factory: LoopFactory,
) -> None:
    async def script() -> None:
        async with ScriptedServer(answer_well) as server:
            driven = await drive(server, 5, 30)
            seen = sorted(int(s.question) for s in server.requests)
        assert seen == list(range(35))
        assert [s.index for s in driven.samples] == seen
        assert [s.slot for s in driven.samples] == seen
        assert all(s.outcome is Outcome.OK for s in driven.samples)
        assert all(s.sent_ns >= s.scheduled_ns for s in driven.samples)

    run(loop_factory, script())


@BOTH_LOOPS
def test_due_instants_are_the_wanted_ones_whatever_the_server_does(
    loop_factory: LoopFactory,
) -> None:
    async def script() -> None:
        async with ScriptedServer(Crowd(20).handle) as server:
            driven = await drive(server, 4, 16)
        due = [s.scheduled_ns for s in driven.samples]
        gaps = [b - a for a, b in pairwise(due)]
        assert gaps == pytest.approx([GAP_S * 1e9] * 19, abs=2)

    run(loop_factory, script())


@BOTH_LOOPS
def test_nothing_waits_for_an_answer(loop_factory: LoopFactory) -> None:
    # no request is answered until all of them are there
    async def script() -> None:
        crowd = Crowd(24)
        async with ScriptedServer(crowd.handle) as server:
            driven = await drive(server, 4, 20)
        assert crowd.most == 24
        assert all(s.outcome is Outcome.OK for s in driven.samples)

    run(loop_factory, script())


@BOTH_LOOPS
def test_the_phases_are_announced_at_the_edges_of_the_arrivals(
    loop_factory: LoopFactory,
) -> None:
    async def script() -> None:
        watch = Watch()
        async with ScriptedServer(answer_well) as server:
            driven = await drive(server, 10, 90, watch)
        due = [s.scheduled_ns for s in driven.samples]
        inside = watch.phases.count(Phase.INSIDE)
        assert watch.phases == [
            Phase.BEFORE,
            Phase.OPEN,
            *[Phase.INSIDE] * inside,
            Phase.CLOSE,
            Phase.AFTER,
        ]
        assert watch.instant(Phase.BEFORE) < due[0]
        assert watch.instant(Phase.OPEN) >= due[9]
        assert watch.instant(Phase.CLOSE) >= due[-1]

    run(loop_factory, script())


@BOTH_LOOPS
def test_a_server_that_fails_again_and_again_is_not_fed_any_longer(
    loop_factory: LoopFactory,
) -> None:
    async def script() -> None:
        async def refuse(_: SeenRequest, peer: Peer) -> None:
            await peer.send(plain("500 Internal Server Error", b"out of memory"))

        async with ScriptedServer(refuse) as server:
            driven = await drive(server, 0, 400)
        assert len(driven.samples) < 200
        assert {s.outcome for s in driven.samples} == {Outcome.FAILED}

    run(loop_factory, script())


@BOTH_LOOPS
def test_a_failed_request_is_a_sample_and_the_others_go_on(
    loop_factory: LoopFactory,
) -> None:
    async def script() -> None:
        async def handler(seen: SeenRequest, peer: Peer) -> None:
            if seen.question == "7":
                await peer.close()
            else:
                await peer.send(stream())

        async with ScriptedServer(handler) as server:
            driven = await drive(server, 2, 20)
        failed = [s.index for s in driven.samples if s.outcome is Outcome.FAILED]
        assert failed == [7]
        assert len(driven.samples) == 22

    run(loop_factory, script())


# -- its parts ----------------------------------------------------------------


@BOTH_LOOPS
@pytest.mark.parametrize("idle_s", [0.0, 60.0], ids=["old", "fresh"])
def test_a_connection_that_lay_idle_for_too_long_is_not_used_again(
    loop_factory: LoopFactory, idle_s: float
) -> None:
    async def script() -> None:
        raw = b"POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n\r\n"
        async with ScriptedServer(answer_well) as server:
            transport = StampingTransport(server.url, idle_s=idle_s)
            for _ in range(3):
                await transport.exchange(raw)
            await transport.aclose()
            assert server.connections == (1 if idle_s else 3)

    run(loop_factory, script())


@BOTH_LOOPS
@pytest.mark.parametrize("awake_s", [0.0, 0.002])
def test_a_sleep_never_ends_before_its_instant(
    loop_factory: LoopFactory, awake_s: float
) -> None:
    async def script() -> None:
        for wait_ns in (0, 300_000, 1_000_000, 1_700_000, 5_000_000):
            due_ns = monotonic_ns() + wait_ns
            await sleep_until(due_ns, awake_s)
            assert monotonic_ns() >= due_ns

    run(loop_factory, script())


@BOTH_LOOPS
def test_a_loop_that_is_kept_awake_still_does_its_other_work(
    loop_factory: LoopFactory,
) -> None:
    async def script() -> None:
        rounds = 0

        async def work() -> None:
            nonlocal rounds
            while True:
                rounds += 1
                await asyncio.sleep(0)

        working = asyncio.create_task(work())
        await sleep_until(monotonic_ns() + 2_000_000, awake_s=0.002)
        working.cancel()
        assert rounds > 1

    run(loop_factory, script())
