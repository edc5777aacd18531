"""The closed loop against a scripted server: every request once, never more than the
slots at a time, and the window's edges announced in order."""

import asyncio
import itertools
import socket
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

import pytest

from specbench.analysis.window import NoWindow, Window, find_window
from specbench.clock import monotonic_ns
from specbench.load import driver
from specbench.load.cell_load import CellLoad
from specbench.load.client import PreparedRequest, RequestSettings, prepare_request
from specbench.load.driver import CellHooks, DrivenCell, drive_cell
from specbench.schema.prompt import Message, Prompt
from specbench.schema.sample import Outcome, RequestSample, Role
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

SETTINGS = RequestSettings("target", 16, 0.0, {})

pytestmark = pytest.mark.usefixtures("crew")


def is_one_process() -> bool:
    return len(CREWS[0]) == 1


def requests(warmup: int, measured: int) -> tuple[PreparedRequest, ...]:
    """Warm-up first; each asks its own index."""
    roles = [Role.WARMUP] * warmup + [Role.MEASURED] * measured
    return tuple(
        prepare_request(
            index,
            Prompt(f"q{index}/1", "", 1, (Message("user", f"{index}"),)),
            role,
            SETTINGS,
        )
        for index, role in enumerate(roles)
    )


@dataclass
class Watch:
    """What the hooks were told, and when."""

    phases: list[Phase] = field(default_factory=list)
    instants: list[int] = field(default_factory=list)
    ended: list[int] = field(default_factory=list)
    ended_at_phase: list[int] = field(default_factory=list)
    meanwhile: Callable[[Phase], Awaitable[None]] | None = None

    async def on_phase(self, phase: Phase) -> None:
        self.phases.append(phase)
        self.instants.append(monotonic_ns())
        self.ended_at_phase.append(self.ended[-1] if self.ended else 0)
        if self.meanwhile is not None:
            await self.meanwhile(phase)

    def hooks(self) -> CellHooks:
        return CellHooks(on_phase=self.on_phase, on_progress=self.ended.append)

    def instant(self, phase: Phase) -> int:
        return self.instants[self.phases.index(phase)]


@dataclass
class Crowd:
    """A handler that counts how many requests are in progress. The first ones are
    held until `full` of them are there."""

    full: int
    now: int = 0
    most: int = 0
    _is_full: asyncio.Event = field(default_factory=asyncio.Event)

    async def handle(self, _: SeenRequest, peer: Peer) -> None:
        self.now += 1
        self.most = max(self.most, self.now)
        if self.now == self.full:
            self._is_full.set()
        await self._is_full.wait()
        answer = stream()
        await peer.send(answer[:-1])
        # over before the client can know that it is
        self.now -= 1
        await peer.send(answer[-1:])


@dataclass
class Gate:
    """Holds some requests until the last of them is there, so that no load process
    takes two before another has taken one."""

    places: range
    _is_open: asyncio.Event = field(default_factory=asyncio.Event)

    async def wait(self, seen: SeenRequest) -> None:
        place = int(seen.question)
        if place not in self.places:
            return
        if place == self.places[-1]:
            self._is_open.set()
        await self._is_open.wait()


async def drive(
    server: ScriptedServer,
    asked: tuple[PreparedRequest, ...],
    concurrency: int,
    watch: Watch | None = None,
    request_s: float = 0.0,
) -> DrivenCell:
    load = CellLoad(
        base_url=server.url,
        path="/v1/chat/completions",
        requests=asked,
        concurrency=concurrency,
        request_s=request_s,
        stall_s=15.0,
    )
    return await drive_cell(CREWS[0], load, (watch or Watch()).hooks())


def assert_counts_up(ended: list[int], total: int) -> None:
    """Ends that decide nothing are told together."""
    assert ended == sorted(set(ended))
    assert ended[-1] == total


def samples_of(driven: DrivenCell) -> list[RequestSample]:
    return list(driven.samples)


# -- the requests ------------------------------------------------------------


@BOTH_LOOPS
@pytest.mark.parametrize(("concurrency", "measured"), [(1, 4), (3, 7), (8, 20)])
def test_every_request_is_sent_once_and_comes_back_in_its_place(
    loop_factory: LoopFactory, concurrency: int, measured: int
) -> None:
    async def script() -> None:
        asked = requests(concurrency, measured)
        async with ScriptedServer(answer_well) as server:
            driven = await drive(server, asked, concurrency)
            seen = sorted(int(s.question) for s in server.requests)
            bodies = {s.body for s in server.requests}
        assert seen == list(range(len(asked)))
        assert bodies == {request.body for request in asked}
        assert [s.prompt_id for s in driven.samples] == [r.prompt_id for r in asked]
        assert all(s.outcome is Outcome.OK for s in samples_of(driven))

    run(loop_factory, script())


@BOTH_LOOPS
@pytest.mark.parametrize("concurrency", [1, 2, 6])
def test_the_slots_are_filled_and_never_exceeded(
    loop_factory: LoopFactory, concurrency: int
) -> None:
    async def script() -> None:
        crowd = Crowd(concurrency)
        async with ScriptedServer(crowd.handle) as server:
            driven = await drive(server, requests(concurrency, 15), concurrency)
            assert server.connections == concurrency
        assert crowd.most == concurrency
        assert {e.slot for e in driven.samples} == set(range(concurrency))

    run(loop_factory, script())


@BOTH_LOOPS
def test_every_warmup_request_is_sent_before_any_measured_one(
    loop_factory: LoopFactory,
) -> None:
    async def script() -> None:
        async with ScriptedServer(answer_well) as server:
            driven = await drive(server, requests(4, 12), 4)
        sent: dict[Role, list[int]] = {Role.WARMUP: [], Role.MEASURED: []}
        for sample in driven.samples:
            sent[sample.role].append(sample.sent_ns)
        if is_one_process():
            assert max(sent[Role.WARMUP]) <= min(sent[Role.MEASURED])
        assert [s.role for s in driven.samples][:4] == [Role.WARMUP] * 4

    run(loop_factory, script())


@BOTH_LOOPS
def test_warmup_is_handed_over_without_draining(loop_factory: LoopFactory) -> None:
    # slot 1's warm-up is answered only once a measured request has arrived
    async def script() -> None:
        measured_came = asyncio.Event()

        async def handler(seen: SeenRequest, peer: Peer) -> None:
            if int(seen.question) >= 2:
                measured_came.set()
            if seen.question == "1":
                await measured_came.wait()
            await peer.send(stream())

        async with ScriptedServer(handler) as server:
            driven = await drive(server, requests(2, 4), 2)
        assert all(s.outcome is Outcome.OK for s in samples_of(driven))

    run(loop_factory, script())


@BOTH_LOOPS
def test_instants_are_monotone_within_a_request_and_along_its_slot(
    loop_factory: LoopFactory,
) -> None:
    async def script() -> None:
        async with ScriptedServer(answer_well) as server:
            samples = samples_of(await drive(server, requests(3, 15), 3))
        for sample in samples:
            arrivals = [c.arrival_ns for c in sample.chunks]
            instants = [sample.scheduled_ns, sample.sent_ns, *arrivals, sample.end_ns]
            assert instants == sorted(instants)
        for slot in range(3):
            own = sorted(
                (s for s in samples if s.slot == slot), key=lambda s: s.sent_ns
            )
            assert [s.index for s in own] == sorted(s.index for s in own)
            for before, after in itertools.pairwise(own):
                # due at once, and never two at a time
                assert after.scheduled_ns == before.end_ns
                assert after.sent_ns >= before.end_ns

    run(loop_factory, script())


@BOTH_LOOPS
def test_starts_are_staggered_over_one_request(loop_factory: LoopFactory) -> None:
    async def script() -> None:
        async with ScriptedServer(Crowd(4).handle) as server:
            driven = await drive(server, requests(4, 8), 4, request_s=0.08)
        first: dict[int, int] = {}
        for sample in driven.samples:
            due = sample.scheduled_ns
            first[sample.slot] = min(due, first.get(sample.slot, due))
        # due instants are the plan itself, and a slot's task may only begin late
        for slot in range(4):
            assert first[slot] - first[0] >= slot * 20_000_000

    run(loop_factory, script())


@BOTH_LOOPS
def test_fewer_requests_than_slots_are_all_asked(loop_factory: LoopFactory) -> None:
    async def script() -> None:
        watch = Watch()
        async with ScriptedServer(answer_well) as server:
            driven = await drive(server, requests(0, 2), 5, watch)
        assert len(driven.samples) == 2
        assert Phase.OPEN not in watch.phases
        assert watch.phases[-1] is Phase.AFTER

    run(loop_factory, script())


# -- failures are data -------------------------------------------------------


@BOTH_LOOPS
def test_a_failed_request_is_a_sample_and_the_loop_goes_on(
    loop_factory: LoopFactory,
) -> None:
    async def script() -> None:
        async def handler(seen: SeenRequest, peer: Peer) -> None:
            if seen.question == "3":
                await peer.send(plain("500 Internal Server Error", b"out of memory"))
            elif seen.question == "5":
                await peer.send(stream()[:150])
                await peer.close()
            else:
                await peer.send(stream())

        watch = Watch()
        async with ScriptedServer(handler) as server:
            samples = samples_of(await drive(server, requests(2, 8), 2, watch))
            asked = sorted(int(s.question) for s in server.requests)
        assert asked == list(range(10))
        failed = {s.index: s.error for s in samples if s.outcome is Outcome.FAILED}
        assert sorted(failed) == [3, 5]
        assert "out of memory" in (failed[3] or "")
        assert_counts_up(watch.ended, 10)

    run(loop_factory, script())


@BOTH_LOOPS
def test_a_server_that_dies_fails_some_requests_and_is_then_given_up(
    loop_factory: LoopFactory,
) -> None:
    async def script() -> None:
        async def handler(seen: SeenRequest, peer: Peer) -> None:
            if int(seen.question) >= 4:
                assert server._server is not None
                server._server.close()
                await peer.close()
            else:
                await peer.send(stream())

        async with ScriptedServer(handler) as server:
            samples = samples_of(await drive(server, requests(1, 99), 1))
        outcomes = [s.outcome for s in samples]
        assert outcomes[:4] == [Outcome.OK] * 4
        assert set(outcomes[4:]) == {Outcome.FAILED}
        # more would only make it later: the cell is void with these already
        assert 4 <= len(outcomes[4:]) <= 10
        assert "cannot connect" in (samples[-1].error or "")

    run(loop_factory, script())


# -- the phases --------------------------------------------------------------


@BOTH_LOOPS
def test_phases_come_in_order_around_the_window(
    loop_factory: LoopFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(driver, "FIRST_SCRAPE_S", 0.005)

    async def script() -> None:
        looked_inside = asyncio.Event()

        async def meanwhile(phase: Phase) -> None:
            if watch.phases.count(Phase.INSIDE) == 2:
                looked_inside.set()

        gate = Gate(range(2))

        async def handler(seen: SeenRequest, peer: Peer) -> None:
            await gate.wait(seen)
            # both slots have turned over when request 3 is there
            if int(seen.question) >= 3:
                await looked_inside.wait()
            await peer.send(stream())

        watch = Watch(meanwhile=meanwhile)
        async with ScriptedServer(handler) as server:
            await drive(server, requests(2, 8), 2, watch)
        inside = watch.phases.count(Phase.INSIDE)
        assert inside >= 2
        assert watch.phases == [
            Phase.BEFORE,
            Phase.OPEN,
            *[Phase.INSIDE] * inside,
            Phase.CLOSE,
            Phase.AFTER,
        ]

    run(loop_factory, script())


@BOTH_LOOPS
def test_before_and_after_the_server_is_idle_and_connections_stand_ready(
    loop_factory: LoopFactory,
) -> None:
    async def script() -> None:
        crowd = Crowd(3)
        busy: dict[Phase, int] = {}
        seen: dict[Phase, int] = {}
        ready = asyncio.Event()

        async def greeter(number: int, _: Peer) -> None:
            if number == 2:
                ready.set()

        async def meanwhile(phase: Phase) -> None:
            busy[phase] = crowd.now
            seen[phase] = len(server.requests)
            # made ahead, or this waits for ever
            await ready.wait()

        async with ScriptedServer(crowd.handle, greeter) as server:
            await drive(server, requests(3, 9), 3, Watch(meanwhile=meanwhile))
        assert (busy[Phase.BEFORE], seen[Phase.BEFORE]) == (0, 0)
        assert (busy[Phase.AFTER], seen[Phase.AFTER]) == (0, 12)

    run(loop_factory, script())


@BOTH_LOOPS
def test_the_edges_are_announced_when_the_samples_say_that_they_are(
    loop_factory: LoopFactory,
) -> None:
    # slot by slot the server answers only what the script allows, so that the last
    # slot turns over late and one slot runs dry while another is still busy
    async def script() -> None:
        opened, closed = asyncio.Event(), asyncio.Event()

        async def meanwhile(phase: Phase) -> None:
            {Phase.OPEN: opened, Phase.CLOSE: closed}.get(phase, asyncio.Event()).set()

        first, second = Gate(range(2)), Gate(range(2, 4))

        async def handler(seen: SeenRequest, peer: Peer) -> None:
            await first.wait(seen)
            await second.wait(seen)
            place = int(seen.question)
            if 2 <= place <= 4:
                await opened.wait()
            if place == 7:
                await closed.wait()
            await peer.send(stream())

        watch = Watch(meanwhile=meanwhile)
        async with ScriptedServer(handler) as server:
            samples = samples_of(await drive(server, requests(2, 6), 2, watch))
        window = find_window(samples, 2)
        assert isinstance(window, Window)
        assert window.open_ns <= watch.instant(Phase.OPEN)
        assert window.close_ns <= watch.instant(Phase.CLOSE)
        # nothing else ended between an edge and its announcement
        ends = sorted(s.end_ns for s in samples)
        for phase, edge in (
            (Phase.OPEN, window.open_ns),
            (Phase.CLOSE, window.close_ns),
        ):
            place = watch.phases.index(phase)
            # of several processes each tells of its own ends only, and not all at once
            if is_one_process():
                assert watch.ended_at_phase[place] == ends.index(edge) + 1
        assert max(ends) > watch.instant(Phase.CLOSE)

    run(loop_factory, script())


@BOTH_LOOPS
def test_a_refused_request_does_not_open_the_window(loop_factory: LoopFactory) -> None:
    async def script() -> None:
        opened = asyncio.Event()

        async def meanwhile(phase: Phase) -> None:
            if phase is Phase.OPEN:
                opened.set()

        async def handler(seen: SeenRequest, peer: Peer) -> None:
            if seen.question == "0":
                await peer.send(plain("503 Service Unavailable", b"busy"))
                return
            if int(seen.question) >= 2:
                await opened.wait()
            await peer.send(stream())

        watch = Watch(meanwhile=meanwhile)
        async with ScriptedServer(handler) as server:
            samples = samples_of(await drive(server, requests(1, 4), 1, watch))
        window = find_window(samples, 1)
        assert isinstance(window, Window)
        assert window.open_ns == samples[1].end_ns <= watch.instant(Phase.OPEN)
        assert watch.ended_at_phase[watch.phases.index(Phase.OPEN)] == 2

    run(loop_factory, script())


@BOTH_LOOPS
def test_without_a_turnover_of_all_slots_the_window_is_not_opened(
    loop_factory: LoopFactory,
) -> None:
    # slot 1's first request lasts until slot 0 has used up the list
    async def script() -> None:
        watch = Watch()
        rest_done = asyncio.Event()
        gate = Gate(range(2))

        async def handler(seen: SeenRequest, peer: Peer) -> None:
            await gate.wait(seen)
            if seen.question == "1":
                await rest_done.wait()
            await peer.send(stream())

        def on_progress(ended: int) -> None:
            watch.ended.append(ended)
            if ended >= 5:
                rest_done.set()

        async with ScriptedServer(handler) as server:
            load = CellLoad(server.url, "/chat", requests(2, 4), 2, 0.0)
            driven = await drive_cell(
                CREWS[0], load, CellHooks(watch.on_phase, on_progress)
            )
        assert isinstance(find_window(samples_of(driven), 2), NoWindow)
        # one process says that it is dry before another's turn-over can be known
        assert Phase.OPEN not in watch.phases or not is_one_process()
        assert (watch.phases[0], watch.phases[-1]) == (Phase.BEFORE, Phase.AFTER)

    run(loop_factory, script())


@BOTH_LOOPS
def test_progress_counts_every_ended_request(loop_factory: LoopFactory) -> None:
    async def script() -> None:
        watch = Watch()
        async with ScriptedServer(answer_well) as server:
            await drive(server, requests(2, 5), 2, watch)
        assert_counts_up(watch.ended, 7)

    run(loop_factory, script())


@BOTH_LOOPS
def test_a_slow_reading_of_the_metrics_does_not_hold_the_slots_back(
    loop_factory: LoopFactory,
) -> None:
    async def script() -> None:
        all_asked = asyncio.Event()

        async def meanwhile(phase: Phase) -> None:
            if phase is Phase.OPEN:
                await all_asked.wait()

        async def handler(seen: SeenRequest, peer: Peer) -> None:
            if len(server.requests) == 9:
                all_asked.set()
            await peer.send(stream())

        watch = Watch(meanwhile=meanwhile)
        async with ScriptedServer(handler) as server:
            driven = await drive(server, requests(3, 6), 3, watch)
        assert len(driven.samples) == 9
        assert watch.phases[-2:] == [Phase.CLOSE, Phase.AFTER]

    run(loop_factory, script())


@BOTH_LOOPS
def test_the_clients_own_health_comes_with_the_cell(loop_factory: LoopFactory) -> None:
    async def script() -> None:
        async with ScriptedServer(answer_well) as server:
            driven = await drive(server, requests(2, 6), 2, request_s=0.05)
        health = driven.client
        assert health.lag_samples > 0
        assert health.lag_p50_s is not None
        assert health.lag_max_s is not None
        assert 0 <= health.lag_p50_s <= health.lag_max_s
        assert health.cpu_share is not None
        assert health.cpu_share >= 0

    run(loop_factory, script())


@BOTH_LOOPS
def test_a_server_that_is_gone_gives_failed_samples_and_no_exception(
    loop_factory: LoopFactory,
) -> None:
    with socket.socket() as reserved:
        reserved.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{reserved.getsockname()[1]}"

        async def script() -> None:
            load = CellLoad(url, "/v1/chat/completions", requests(1, 2), 1, 0.0)
            samples = samples_of(await drive_cell(CREWS[0], load, Watch().hooks()))
            assert [s.outcome for s in samples] == [Outcome.FAILED] * 3

        run(loop_factory, script())
