"""The simulated server's faults as a client meets them, over real sockets."""

import asyncio
import itertools
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest
import uvloop

from specbench.sim.server import SimServer
from specbench.sim.truth_log import TruthLog
from tests.unit.sim.served import (
    ask,
    ask_once,
    chat_call,
    http_call,
    log_lines,
    read_answer,
    run_server,
    sim_options,
    stream_events,
    text_of,
)

T = TypeVar("T")

_CALL = http_call("/v1/chat/completions", chat_call())
_LOOPS = pytest.mark.parametrize(
    "new_loop", [asyncio.new_event_loop, uvloop.new_event_loop]
)
NewLoop = Callable[[], asyncio.AbstractEventLoop]


def _fault(**keys: Any) -> tuple[str, str]:
    return "--fault", json.dumps(keys)


def _with_log(
    path: Path,
    flags: tuple[str, ...],
    play: Callable[[SimServer], Awaitable[T]],
    new_loop: NewLoop = uvloop.new_event_loop,
) -> T:
    with TruthLog.open(path) as truth:
        return run_server(sim_options(*flags), play, truth, new_loop)


async def _read_to_end(server: SimServer) -> bytes:
    """Everything that one call gets until the connection is closed; raises
    ConnectionResetError where it is reset."""
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    writer.write(_CALL)
    try:
        return await reader.read(-1)
    finally:
        writer.close()


def test_an_error_status_comes_instead_of_a_stream_and_the_next_call_is_served() -> (
    None
):
    flags = _fault(kind="http-error", request=1, status=429, body="come back")
    first, second = ask_once(sim_options(*flags), _CALL, _CALL)
    assert first == (429, b"come back")
    assert stream_events(second[1])[-1]["usage"]["completion_tokens"] == 6


@pytest.mark.parametrize("dialect", ["vllm", "sglang"])
def test_an_error_event_ends_a_stream_that_began_well(
    dialect: str, tmp_path: Path
) -> None:
    flags = (
        f"--dialect={dialect}",
        *_fault(kind="error-event", request=1, after_tokens=3, message="boom"),
    )
    path = tmp_path / "truth.jsonl"
    first, second = _with_log(path, flags, lambda s: ask(s, _CALL, _CALL))
    assert first[0] == 200
    *events, error = stream_events(first[1])
    assert error["error"]["message"] == "boom"
    assert events[-1]["usage"]["completion_tokens"] == 3
    assert stream_events(second[1])[-1]["usage"]["completion_tokens"] == 6
    failed, served = log_lines(path, "request")
    assert (failed["fault"], failed["finish_reason"]) == ("error-event", "abort")
    assert (served["fault"], served["finish_reason"]) == (None, "length")
    assert [tokens for _, tokens in failed["chunks"]] == [0, 1, 2, 3]


@_LOOPS
def test_a_cut_stream_ends_without_its_ending(new_loop: NewLoop) -> None:
    flags = _fault(kind="cut", request=1, after_tokens=2)
    got = run_server(sim_options(*flags), _read_to_end, None, new_loop)
    assert got.count(b'"content":" ') == 2
    assert b"[DONE]" not in got
    assert not got.endswith(b"0\r\n\r\n")


@_LOOPS
def test_a_reset_stream_fails_the_clients_read(
    new_loop: NewLoop, tmp_path: Path
) -> None:
    async def play(server: SimServer) -> int:
        with pytest.raises(ConnectionResetError):
            await _read_to_end(server)
        (answer,) = await ask(server, _CALL)  # the server itself goes on
        return answer[0]

    path = tmp_path / "truth.jsonl"
    flags = _fault(kind="connection-reset", request=1, after_tokens=2)
    assert _with_log(path, flags, play, new_loop) == 200
    reset, _ = log_lines(path, "request")
    assert reset["finish_reason"] == "abort"
    assert reset["chunks"][-1][1] == 2


def test_a_hanging_stream_is_silent_while_others_are_served() -> None:
    async def play(server: SimServer) -> tuple[bytes, bytes]:
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        writer.write(_CALL)
        # What came before the hang; then another whole request passes by.
        begun = await reader.readuntil(b'"completion_tokens":2,')
        await reader.readuntil(b"\r\n")
        ((_, other),) = await ask(server, _CALL)
        assert not reader.at_eof()
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(reader.read(1), 0.05)
        writer.close()
        return begun, other

    flags = _fault(kind="hang", request=1, after_tokens=2)
    begun, other = run_server(sim_options(*flags), play)
    assert begun.count(b'"content":" ') == 2
    assert stream_events(other)[-1]["usage"]["completion_tokens"] == 6


@pytest.mark.parametrize("where", ["body", "framing"])
def test_garbage_stands_in_the_middle_of_a_stream(where: str) -> None:
    async def play(server: SimServer) -> bytes:
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        writer.write(_CALL)
        got = await reader.readuntil(b"[DONE]\n\n\r\n0\r\n\r\n")
        writer.close()
        return got

    keys = {"request": 1, "after_tokens": 2, "bytes": 40, "where": where}
    got = run_server(sim_options(*_fault(kind="garbage", **keys)), play)
    clean = run_server(sim_options(), play)
    framing = len(b"28\r\n\r\n") if where == "body" else 0
    assert len(got) - len(clean) == 40 + framing


def test_a_slow_stream_keeps_its_gap_and_loses_nothing(tmp_path: Path) -> None:
    path = tmp_path / "truth.jsonl"
    flags = _fault(kind="slow-stream", request=1, after_tokens=2, gap_ms=20)
    slow, plain = _with_log(path, flags, lambda s: ask(s, _CALL, _CALL))
    assert text_of(slow[1]) == text_of(plain[1])
    logged = log_lines(path, "request")[0]
    assert [tokens for _, tokens in logged["chunks"]] == [0, 1, 2, 3, 4, 5, 6]
    instants = [instant for instant, _ in logged["chunks"]][3:]
    gaps = [later - one for one, later in itertools.pairwise(instants)]
    assert min(gaps) >= 19_000_000  # a loop's timer may be a little early
    assert logged["finish_reason"] == "length"


def test_a_fault_before_the_first_token_strikes_after_the_head() -> None:
    flags = _fault(kind="error-event", request=1)
    ((status, body),) = ask_once(sim_options(*flags), _CALL)
    role, error = stream_events(body)
    assert status == 200
    assert role["choices"][0]["delta"]["role"] == "assistant"
    assert "error" in error


def test_a_share_of_the_calls_fails_and_the_others_do_not() -> None:
    flags = _fault(kind="http-error", share=0.5)
    statuses = [status for status, _ in ask_once(sim_options(*flags), *[_CALL] * 24)]
    assert set(statuses) == {200, 503}
    assert statuses == [s for s, _ in ask_once(sim_options(*flags), *[_CALL] * 24)]


@pytest.mark.parametrize(
    ("dialect", "name"),
    [
        ("vllm", b"\nvllm:generation_tokens_total{"),
        ("sglang", b"\nsglang:generation_tokens_total{"),
    ],
)
def test_counters_begin_anew_after_so_many_requests(dialect: str, name: bytes) -> None:
    page = http_call("/metrics", None)
    flags = (f"--dialect={dialect}", *_fault(kind="counter-reset", after_requests=2))
    answers = ask_once(sim_options(*flags), *[_CALL, page] * 3)
    pages = [body for _, body in answers[1::2]]
    values = [p.split(name)[1].split(b"\n")[0].split(b" ")[-1] for p in pages]
    assert values == [b"6.0", b"0.0", b"6.0"]


def test_a_server_that_is_slow_to_start_says_so_until_it_is_ready() -> None:
    async def play(server: SimServer) -> list[int]:
        statuses: list[int] = []
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        while not statuses or statuses[-1] != 200:
            writer.write(http_call("/health", None))
            status, _ = await read_answer(reader)
            statuses.append(status)
        writer.close()
        return statuses

    statuses = run_server(sim_options(*_fault(kind="slow-start", seconds=0.2)), play)
    assert statuses[0] == 503
    assert set(statuses) == {503, 200}
