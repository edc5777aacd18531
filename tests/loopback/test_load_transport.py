"""Requests against a scripted server: what arrives when, and every way to fail is a
failed sample with a reason."""

import asyncio
import gc
import socket
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Any

import pytest

from specbench.load.client import (
    RequestSettings,
    ask,
    prepare_request,
    read_exchange,
    wire_bytes,
)
from specbench.load.transport import StampingTransport
from specbench.schema.prompt import Message, Prompt
from specbench.schema.sample import Outcome, RequestSample, Role
from tests.loopback.loops import BOTH_LOOPS, LoopFactory, run
from tests.loopback.scripted_server import (
    DONE,
    STREAM_END,
    STREAM_HEAD,
    ClientLog,
    Greeter,
    Handler,
    Peer,
    ScriptedServer,
    SeenRequest,
    answer_well,
    chunk,
    event,
    plain,
    stream,
)

SETTINGS = RequestSettings("target", 16, 0.0, {})
PATH = "/v1/chat/completions"


@dataclass
class Bench:
    """A client beside a scripted server."""

    server: ScriptedServer
    log: ClientLog
    transport: StampingTransport
    asked: int = 0

    async def ask(self, question: str = "hello") -> RequestSample:
        """One request to its end."""
        prompt = Prompt("q/1", "", 1, (Message("user", question),))
        request = prepare_request(self.asked, prompt, Role.MEASURED, SETTINGS)
        self.asked += 1
        raw = wire_bytes(self.server.url, PATH, {}, request.body)
        return read_exchange(await ask(self.transport, raw, request, 0, 0))


class bench:  # noqa: N801 - reads like a function where it is used
    """Server, log and client for one script."""

    def __init__(
        self,
        handler: Handler = answer_well,
        *,
        greeter: Greeter | None = None,
        stall_s: float = 15.0,
    ) -> None:
        self._handler = handler
        self._greeter = greeter
        self._stall_s = stall_s
        self._stack = AsyncExitStack()

    async def __aenter__(self) -> Bench:
        enter = self._stack.enter_async_context
        log = await enter(ClientLog())
        server = await enter(ScriptedServer(self._handler, self._greeter))
        transport = StampingTransport(server.url, self._stall_s)
        await enter(transport)
        return Bench(server, log, transport)

    async def __aexit__(self, *exc_info: Any) -> None:
        await self._stack.aclose()


# -- what arrives, and when --------------------------------------------------


@BOTH_LOOPS
def test_an_event_has_the_stamp_of_the_read_that_brought_its_last_byte(
    loop_factory: LoopFactory,
) -> None:
    async def script() -> None:
        log: ClientLog
        first, second = event("a", 1), event("bc", 3)
        # the second event comes in three reads; only the last one completes it
        pieces = [
            STREAM_HEAD,
            chunk(first),
            chunk(second[:20]),
            chunk(second[20:-1]),
            chunk(second[-1:]) + chunk(DONE)[:9],
            chunk(DONE)[9:] + STREAM_END,
        ]

        async def handler(_: SeenRequest, peer: Peer) -> None:
            sent = 0
            for piece in pieces:
                await peer.send(piece)
                sent += len(piece)
                await log.until_read(sent)

        async with bench(handler) as b:
            log = b.log
            sample = await b.ask()
        assert sample.outcome is Outcome.OK
        assert [c.tokens_so_far for c in sample.chunks] == [1, 3]
        assert [read.data for read in log.reads] == pieces
        for one, read in zip(sample.chunks, (log.reads[1], log.reads[4]), strict=True):
            assert read.before_ns <= one.arrival_ns <= read.after_ns
        assert log.reads[-1].before_ns <= sample.end_ns <= log.reads[-1].after_ns
        # due at 0 on a clock that runs for long: sent is when it really was sent
        assert sample.sent_ns == log.exchanges[0].sent_ns > sample.scheduled_ns

    run(loop_factory, script())


@BOTH_LOOPS
@pytest.mark.parametrize("cut", range(1, len(STREAM_END)))
def test_a_cut_inside_the_last_chunk_does_not_hold_the_answer_back(
    loop_factory: LoopFactory, cut: int
) -> None:
    async def script() -> None:
        log: ClientLog
        body = stream()
        pieces = [body[: cut - len(STREAM_END)], body[cut - len(STREAM_END) :]]

        async def handler(_: SeenRequest, peer: Peer) -> None:
            await peer.send(pieces[0])
            await log.until_read(len(pieces[0]))
            await peer.send(pieces[1])

        async with bench(handler) as b:
            log = b.log
            sample = await b.ask()
        assert sample.outcome is Outcome.OK
        assert sample.output_tokens == 3
        last = log.reads[-1]
        assert last.data == pieces[1]
        assert last.before_ns <= sample.end_ns <= last.after_ns

    run(loop_factory, script())


@BOTH_LOOPS
def test_instants_of_a_request_never_run_backwards(loop_factory: LoopFactory) -> None:
    async def script() -> None:
        async with bench() as b:
            sample = await b.ask()
        arrivals = [c.arrival_ns for c in sample.chunks]
        instants = [sample.scheduled_ns, sample.sent_ns, *arrivals, sample.end_ns]
        assert instants == sorted(instants)

    run(loop_factory, script())


@BOTH_LOOPS
def test_the_request_arrives_whole_and_asks_for_no_compression(
    loop_factory: LoopFactory,
) -> None:
    async def script() -> None:
        async with bench() as b:
            await b.ask("Grüße, 温度?")
            (seen,) = b.server.requests
        assert seen.question == "Grüße, 温度?"
        head = seen.head.lower()
        assert head.startswith(f"post {PATH} http/1.1\r\n")
        assert "accept-encoding: identity\r\n" in head
        assert f"host: {b.server.url.removeprefix('http://')}\r\n" in head
        assert "content-type: application/json\r\n" in head

    run(loop_factory, script())


# -- connections -------------------------------------------------------------


@BOTH_LOOPS
def test_requests_one_after_another_share_a_connection(
    loop_factory: LoopFactory,
) -> None:
    async def script() -> None:
        async with bench() as b:
            for _ in range(3):
                assert (await b.ask()).outcome is Outcome.OK
            assert b.server.connections == 1

    run(loop_factory, script())


@BOTH_LOOPS
def test_connections_made_ahead_are_the_ones_that_are_used(
    loop_factory: LoopFactory,
) -> None:
    async def script() -> None:
        async with bench() as b:
            await b.transport.open(3)
            await asyncio.gather(*(b.ask() for _ in range(3)))
            assert b.server.connections == 3
            assert {seen.connection for seen in b.server.requests} == {0, 1, 2}

    run(loop_factory, script())


@BOTH_LOOPS
def test_a_kept_connection_that_the_server_has_closed_is_replaced(
    loop_factory: LoopFactory,
) -> None:
    async def script() -> None:
        async def handler(_: SeenRequest, peer: Peer) -> None:
            await peer.send(stream())
            await peer.close()

        async with bench(handler) as b:
            for place in range(3):
                sample = await b.ask(f"question {place}")
                assert sample.outcome is Outcome.OK
                await b.log.until(lambda gone=place + 1: b.log.lost == gone)  # type: ignore[misc]
            assert b.server.connections == 3

    run(loop_factory, script())


@BOTH_LOOPS
def test_a_request_on_a_closing_connection_is_a_failed_sample_and_sent_once(
    loop_factory: LoopFactory,
) -> None:
    # the connection goes away after the request was sent and before it was read
    async def script() -> None:
        log: ClientLog

        async def greeter(number: int, peer: Peer) -> None:
            if number == 0:
                await log.until(lambda: log.begun > 0)
                peer.reset()

        async with bench(greeter=greeter) as b:
            log = b.log
            await b.transport.open(1)
            assert (await b.ask("lost")).outcome is Outcome.FAILED
            assert log.begun == 1
            assert (await b.ask("well")).outcome is Outcome.OK
            assert [seen.question for seen in b.server.requests] == ["well"]

    run(loop_factory, script())


@BOTH_LOOPS
def test_a_server_that_closes_every_fresh_connection_fails_the_request(
    loop_factory: LoopFactory,
) -> None:
    async def script() -> None:
        async def handler(_: SeenRequest, peer: Peer) -> None:
            await peer.close()

        async with bench(handler) as b:
            sample = await b.ask()
            assert sample.outcome is Outcome.FAILED
            assert "closed" in (sample.error or "")
            assert len(b.server.requests) == 1

    run(loop_factory, script())


# -- ways to fail ------------------------------------------------------------


@BOTH_LOOPS
@pytest.mark.parametrize("cut", [1, 20, -40, -1])
def test_an_error_page_in_two_reads_is_the_reason_of_the_failure(
    loop_factory: LoopFactory, cut: int
) -> None:
    async def script() -> None:
        log: ClientLog
        page = plain(
            "400 Bad Request", b'{"error": {"message": "context length is 2048"}}'
        )

        async def handler(seen: SeenRequest, peer: Peer) -> None:
            if seen.question == "well":
                await peer.send(stream())
                return
            await peer.send(page[:cut])
            await log.until_read(len(page[:cut]))
            await peer.send(page[cut:])

        async with bench(handler) as b:
            log = b.log
            sample = await b.ask("too long")
            assert sample.outcome is Outcome.FAILED
            assert sample.http_status == 400
            assert "context length is 2048" in (sample.error or "")
            # the connection is as good as before
            assert (await b.ask("well")).outcome is Outcome.OK
            assert b.server.connections == 1

    run(loop_factory, script())


@BOTH_LOOPS
@pytest.mark.parametrize(
    "kept",
    [
        10,
        len(STREAM_HEAD),
        len(STREAM_HEAD) + 20,
        len(stream()) - len(STREAM_END),
        len(stream()) - 1,
    ],
)
def test_a_server_that_closes_early_fails_the_sample_and_not_the_client(
    loop_factory: LoopFactory, kept: int
) -> None:
    async def script() -> None:
        async def handler(seen: SeenRequest, peer: Peer) -> None:
            if seen.question == "well":
                await peer.send(stream())
                return
            await peer.send(stream()[:kept])
            await peer.close()

        async with bench(handler) as b:
            sample = await b.ask("cut")
            assert sample.outcome is Outcome.FAILED
            assert "closed" in (sample.error or "")
            assert (await b.ask("well")).outcome is Outcome.OK
            assert [s.question for s in b.server.requests] == ["cut", "well"]

    run(loop_factory, script())


@BOTH_LOOPS
def test_a_connection_reset_in_the_middle_is_a_failed_sample(
    loop_factory: LoopFactory,
) -> None:
    async def script() -> None:
        log: ClientLog

        async def handler(_: SeenRequest, peer: Peer) -> None:
            await peer.send(STREAM_HEAD + chunk(event("a", 1)))
            await log.until(lambda: bool(log.reads))
            peer.reset()

        async with bench(handler) as b:
            log = b.log
            sample = await b.ask()
            assert sample.outcome is Outcome.FAILED
            assert sample.error
            assert len(b.server.requests) == 1

    run(loop_factory, script())


@BOTH_LOOPS
@pytest.mark.parametrize("begun", [b"", STREAM_HEAD + chunk(event("a", 1))])
def test_a_server_that_falls_silent_is_a_failed_sample_with_the_reason(
    loop_factory: LoopFactory, begun: bytes
) -> None:
    async def script() -> None:
        never = asyncio.Event()

        async def handler(_: SeenRequest, peer: Peer) -> None:
            await peer.send(begun)
            await never.wait()

        async with bench(handler, stall_s=0.05) as b:
            sample = await b.ask()
            assert sample.outcome is Outcome.FAILED
            assert "no byte for 0.05 s" in (sample.error or "")
            assert len(b.server.requests) == 1

    run(loop_factory, script())


@BOTH_LOOPS
def test_after_a_stall_the_silent_connection_is_dropped_and_not_used_again(
    loop_factory: LoopFactory,
) -> None:
    async def script() -> None:
        gone = asyncio.Event()

        async def handler(seen: SeenRequest, peer: Peer) -> None:
            if seen.question == "well":
                await peer.send(stream())
            else:
                await peer.until_gone()
                gone.set()

        async with bench(handler, stall_s=0.05) as b:
            assert (await b.ask("silence")).outcome is Outcome.FAILED
            await gone.wait()
            assert (await b.ask("well")).outcome is Outcome.OK
            assert b.server.connections == 2

    run(loop_factory, script())


@BOTH_LOOPS
def test_a_refused_connection_is_a_failed_sample_that_names_the_address(
    loop_factory: LoopFactory,
) -> None:
    with socket.socket() as reserved:
        reserved.bind(("127.0.0.1", 0))  # bound and not listening: nobody else gets it
        port = reserved.getsockname()[1]
        url = f"http://127.0.0.1:{port}"

        async def script() -> None:
            transport = StampingTransport(url)
            async with transport:
                prompt = Prompt("q/1", "", 1, (Message("user", "hello"),))
                request = prepare_request(0, prompt, Role.MEASURED, SETTINGS)
                raw = wire_bytes(url, PATH, {}, request.body)
                sample = read_exchange(await ask(transport, raw, request, 0, 0))
            assert sample.outcome is Outcome.FAILED
            assert f"127.0.0.1:{port}" in (sample.error or "")
            assert sample.sent_ns <= sample.end_ns

        run(loop_factory, script())


@BOTH_LOOPS
def test_something_that_is_no_http_is_a_failed_sample(
    loop_factory: LoopFactory,
) -> None:
    async def script() -> None:
        async def handler(_: SeenRequest, peer: Peer) -> None:
            await peer.send(b"220 mail.example ESMTP\r\n\r\n")

        async with bench(handler) as b:
            sample = await b.ask()
            assert sample.outcome is Outcome.FAILED
            assert "broken HTTP response" in (sample.error or "")

    run(loop_factory, script())


@BOTH_LOOPS
def test_a_request_that_is_given_up_leaves_no_connection_behind(
    loop_factory: LoopFactory,
) -> None:
    async def script() -> None:
        taken = asyncio.Event()
        gone = asyncio.Event()

        async def handler(_: SeenRequest, peer: Peer) -> None:
            taken.set()
            await peer.until_gone()
            gone.set()

        async with bench(handler) as b:
            asking = asyncio.create_task(b.ask())
            await taken.wait()
            asking.cancel()
            with pytest.raises(asyncio.CancelledError):
                await asking
            await gone.wait()

    run(loop_factory, script())


@BOTH_LOOPS
def test_a_stall_leaves_no_exception_that_nobody_looked_at(
    loop_factory: LoopFactory,
) -> None:
    async def script() -> None:
        never = asyncio.Event()
        complaints: list[str] = []
        asyncio.get_running_loop().set_exception_handler(
            lambda _, context: complaints.append(str(context["message"]))
        )

        async def handler(_: SeenRequest, peer: Peer) -> None:
            await never.wait()

        async with bench(handler, stall_s=0.05) as b:
            await b.ask()
            b.log.exchanges.clear()
        gc.collect()
        assert complaints == []

    run(loop_factory, script())


@BOTH_LOOPS
def test_a_request_is_sent_once_however_many_connections_stand_ready(
    loop_factory: LoopFactory,
) -> None:
    async def script() -> None:
        async def handler(_: SeenRequest, peer: Peer) -> None:
            await peer.close()

        async with bench(handler) as b:
            await b.transport.open(4)
            sample = await b.ask()
            assert sample.outcome is Outcome.FAILED
            assert b.log.begun == 1

    run(loop_factory, script())


@BOTH_LOOPS
def test_a_request_that_the_server_has_taken_is_not_asked_a_second_time(
    loop_factory: LoopFactory,
) -> None:
    async def script() -> None:
        async def handler(seen: SeenRequest, peer: Peer) -> None:
            if seen.question == "crash" and seen.connection == 0:
                await peer.close()
            else:
                await peer.send(stream())

        async with bench(handler) as b:
            await b.ask("well")
            sample = await b.ask("crash")
            asked = [seen.question for seen in b.server.requests]
            assert asked == ["well", "crash"]
            assert sample.outcome is Outcome.FAILED

    run(loop_factory, script())
