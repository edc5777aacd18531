"""The server over real sockets on an ephemeral port: valid streams, true logs. Nothing
here asserts that something was fast; only that nothing came before its time."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

import pytest
import uvloop

from specbench import __version__
from specbench.errors import InputError
from specbench.sim.options import SimOptions, parse_sim_flags
from specbench.sim.server import SimServer, args_line, listening_line
from specbench.sim.truth_log import TruthLog

T = TypeVar("T")

_FAST = ("--step-base-ms=1", "--step-per-sequence-ms=0", "--step-per-token-ms=0")
_DRAFTER = (
    "--speculative-config",
    '{"method": "sim", "num_speculative_tokens": 2, "acceptance": [1.0, 0.0]}',
)
_USAGE = {"include_usage": True, "continuous_usage_stats": True}
_LOOPS = pytest.mark.parametrize(
    "new_loop", [asyncio.new_event_loop, uvloop.new_event_loop]
)


def _options(*flags: str) -> SimOptions:
    return parse_sim_flags(["--port=0", *_FAST, *flags])


def _run(
    options: SimOptions,
    play: Callable[[SimServer], Awaitable[T]],
    truth: TruthLog | None = None,
    new_loop: Callable[[], asyncio.AbstractEventLoop] = asyncio.new_event_loop,
) -> T:
    async def session() -> T:
        async with await SimServer.start(options, truth) as server:
            async with asyncio.timeout(30):
                return await play(server)

    with asyncio.Runner(loop_factory=new_loop) as runner:
        return runner.run(session())


def _call(path: str, document: dict[str, Any] | None, headers: str = "") -> bytes:
    if document is None:
        return f"GET {path} HTTP/1.1\r\nhost: a\r\n{headers}\r\n".encode()
    body = json.dumps(document).encode()
    head = f"POST {path} HTTP/1.1\r\nhost: a\r\ncontent-length: {len(body)}\r\n"
    return f"{head}{headers}\r\n".encode() + body


def _chat(content: str = "one two", **changes: Any) -> dict[str, Any]:
    return {
        "model": "sim",
        "messages": [{"role": "user", "content": content}],
        "stream": True,
        "max_tokens": 6,
        "stream_options": _USAGE,
        **changes,
    }


async def _read_answer(reader: asyncio.StreamReader) -> tuple[int, bytes]:
    """Status and body of one answer."""
    head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
    status = int(head.split(" ")[1])
    if "transfer-encoding: chunked" not in head:
        length = int(head.split("content-length: ")[1].split("\r\n")[0])
        return status, await reader.readexactly(length)
    body = b""
    while size := int(await reader.readline(), 16):
        body += await reader.readexactly(size)
        assert await reader.readexactly(2) == b"\r\n"
    assert await reader.readexactly(2) == b"\r\n"
    return status, body


async def _ask(server: SimServer, *calls: bytes) -> list[tuple[int, bytes]]:
    """Answers to calls made one after another on one connection."""
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    answers = []
    for call in calls:
        writer.write(call)
        answers.append(await _read_answer(reader))
    writer.close()
    await writer.wait_closed()
    return answers


def _ask_once(options: SimOptions, *calls: bytes) -> list[tuple[int, bytes]]:
    return _run(options, lambda server: _ask(server, *calls))


def _events(body: bytes) -> list[dict[str, Any]]:
    """JSON events of a stream that ends as it must."""
    *events, done, rest = body.decode().split("\n\n")
    assert (done, rest) == ("data: [DONE]", "")
    return [json.loads(event.removeprefix("data: ")) for event in events]


def _stream(options: SimOptions, path: str, call: dict[str, Any]) -> list[Any]:
    ((status, body),) = _ask_once(options, _call(path, call))
    assert status == 200
    return _events(body)


@_LOOPS
def test_a_chat_streams_a_role_then_a_chunk_a_step_then_usage(
    new_loop: Callable[[], asyncio.AbstractEventLoop],
) -> None:
    call = _call("/v1/chat/completions", _chat())
    ((_, body),) = _run(
        _options(*_DRAFTER), lambda server: _ask(server, call), new_loop=new_loop
    )
    role, *texts, usage = _events(body)
    assert role["choices"][0]["delta"] == {"role": "assistant", "content": ""}
    # The prefill gives one token, every step after it one accepted draft and a bonus.
    assert [event["usage"]["completion_tokens"] for event in texts] == [1, 3, 5, 6]
    words = [event["choices"][0]["delta"]["content"].split() for event in texts]
    assert [len(step) for step in words] == [1, 2, 2, 1]
    finishes = [event["choices"][0]["finish_reason"] for event in texts]
    assert finishes == [None, None, None, "length"]
    assert usage["choices"] == []
    assert usage["usage"] == {
        "prompt_tokens": 3,
        "completion_tokens": 6,
        "total_tokens": 9,
    }
    assert usage["metrics"]["speculative_decoding"] == {
        "mean_acceptance_length": 2.0,
        "draft_acceptance_rate": 0.5,
        "acceptance_histogram": [0, 3, 0],
        "num_spec_steps": 3,
        "num_accepted_draft_tokens": 3,
        "num_draft_tokens": 6,
        "num_spec_tokens": 2,
    }


def test_a_text_completion_has_no_role_chunk() -> None:
    call = {**_chat(), "prompt": "one two three"}
    *texts, usage = _stream(_options(), "/v1/completions", call)
    assert [len(event["choices"][0]["text"].split()) for event in texts] == [1] * 6
    assert {event["object"] for event in texts} == {"text_completion"}
    assert usage["usage"]["prompt_tokens"] == 3


def test_a_baseline_reports_no_speculation() -> None:
    *_, usage = _stream(_options(), "/v1/chat/completions", _chat())
    assert "metrics" not in usage


def test_usage_is_sent_only_as_asked() -> None:
    only_last = _chat(stream_options={"include_usage": True})
    *chunks, last = _stream(_options(), "/v1/chat/completions", only_last)
    assert ["usage" in chunk for chunk in chunks] == [False] * 7
    assert last["usage"]["completion_tokens"] == 6
    none = _stream(_options(), "/v1/chat/completions", _chat(stream_options=None))
    assert ["usage" in chunk for chunk in none] == [False] * 7


@pytest.mark.parametrize(
    ("changes", "tokens", "reason"),
    [({}, 4, "stop"), ({"max_tokens": 3}, 3, "length"), ({"ignore_eos": True}, 6, "l")],
)
def test_an_output_has_its_natural_length_unless_the_call_says_otherwise(
    changes: dict[str, Any], tokens: int, reason: str
) -> None:
    options = _options("--output-tokens=4")
    *_, last, usage = _stream(options, "/v1/chat/completions", _chat(**changes))
    assert usage["usage"]["completion_tokens"] == tokens
    assert last["choices"][0]["finish_reason"].startswith(reason)


def test_baseline_and_speculative_arm_give_the_same_text() -> None:
    def text(options: SimOptions) -> str:
        _role, *texts, _usage = _stream(options, "/v1/chat/completions", _chat())
        return "".join(event["choices"][0]["delta"]["content"] for event in texts)

    assert text(_options()) == text(_options(*_DRAFTER, "--seed=3"))


def test_a_connection_serves_one_request_after_another() -> None:
    call = _call("/v1/chat/completions", _chat())
    answers = _ask_once(_options(), call, _call("/health", None), call)
    assert [status for status, _ in answers] == [200, 200, 200]
    ids = {_events(body)[0]["id"] for _, body in (answers[0], answers[2])}
    assert len(ids) == 2


def test_a_request_sent_while_another_streams_is_answered_after_it() -> None:
    async def play(server: SimServer) -> list[tuple[int, bytes]]:
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        writer.write(
            _call("/v1/chat/completions", _chat())
            + _call("/version", None, "connection: close\r\n")
        )
        answers = [await _read_answer(reader), await _read_answer(reader)]
        assert await reader.read() == b""  # and then it closes, as asked
        writer.close()
        await writer.wait_closed()
        return answers

    stream, version = _run(_options(), play)
    assert _events(stream[1])[-1]["usage"]["completion_tokens"] == 6
    assert json.loads(version[1]) == {"version": __version__}


def test_a_client_may_name_its_request() -> None:
    call = _call("/v1/chat/completions", _chat(), "x-request-id: mine\r\n")
    ((_, body),) = _ask_once(_options(), call)
    assert {event["id"] for event in _events(body)} == {"chatcmpl-mine"}


def test_pages_answer_as_an_engines() -> None:
    paths = ("/health", "/v1/models", "/metrics")
    calls = [_call(path, None) for path in paths]
    options = _options("--served-model-name=m", "--max-model-len=77")
    health, models, metrics = _ask_once(options, *calls)
    assert health == (200, b"")
    (model,) = json.loads(models[1])["data"]
    assert (model["id"], model["max_model_len"]) == ("m", 77)
    assert b'vllm:num_requests_running{engine="0",model_name="m"} 0.0\n' in metrics[1]


@pytest.mark.parametrize(
    ("call", "status"),
    [
        (_call("/nope", None), 404),
        (_call("/nope", {}), 404),
        (_call("/health", {}), 405),
        (_call("/v1/chat/completions", None), 405),
        (_call("/v1/chat/completions", {}), 400),
        (_call("/v1/chat/completions", {"model": "other"}), 404),
        (b"nonsense\r\n\r\n", 400),
    ],
)
def test_what_cannot_be_answered_gets_an_error_status(call: bytes, status: int) -> None:
    ((answered, body),) = _ask_once(_options(), call)
    assert answered == status
    assert json.loads(body)


def test_requests_beyond_the_cap_wait_and_are_all_served() -> None:
    async def play(server: SimServer) -> list[list[tuple[int, bytes]]]:
        calls = [_call("/v1/chat/completions", _chat(f"q{i}")) for i in range(5)]
        return await asyncio.gather(*(_ask(server, call) for call in calls))

    answers = _run(_options("--max-num-seqs=2"), play)
    counts = [
        _events(body)[-1]["usage"]["completion_tokens"] for ((_, body),) in answers
    ]
    assert counts == [6] * 5


def test_a_client_that_goes_away_aborts_its_request(tmp_path: Path) -> None:
    path = tmp_path / "truth.jsonl"

    async def play(server: SimServer) -> int:
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        writer.write(_call("/v1/chat/completions", _chat(max_tokens=30_000)))
        await reader.readuntil(b'"completion_tokens":3}')
        writer.close()
        await writer.wait_closed()
        # The only place is free again, so the next request is served.
        await _ask(server, _call("/v1/chat/completions", _chat()))
        return server.engine.counters.generation_tokens

    with TruthLog.open(path) as truth:
        produced = _run(_options("--max-num-seqs=1"), play, truth)
    aborted, served = map(json.loads, path.read_text().splitlines())
    assert (aborted["finish_reason"], served["finish_reason"]) == ("abort", "length")
    assert 3 <= aborted["output_tokens"] <= produced - 6 < 30_000


def test_closing_the_server_ends_open_streams_and_logs_them(tmp_path: Path) -> None:
    path = tmp_path / "truth.jsonl"

    async def play(server: SimServer) -> asyncio.StreamWriter:
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        writer.write(_call("/v1/chat/completions", _chat(max_tokens=30_000)))
        await reader.readuntil(b'"completion_tokens":1}')
        await server.close()
        writer.close()
        return writer

    with TruthLog.open(path) as truth:
        _run(_options(), play, truth)
    (line,) = path.read_text().splitlines()
    assert json.loads(line)["finish_reason"] == "abort"


@_LOOPS
def test_the_truth_log_has_every_chunk_and_none_came_before_its_time(
    tmp_path: Path, new_loop: Callable[[], asyncio.AbstractEventLoop]
) -> None:
    path = tmp_path / "truth.jsonl"
    call = _call("/v1/chat/completions", _chat(), "x-request-id: mine\r\n")
    with TruthLog.open(path) as truth:
        ((_, body),) = _run(
            _options(*_DRAFTER), lambda s: _ask(s, call), truth, new_loop
        )
    (line,) = path.read_text().splitlines()
    written = json.loads(line)
    *chunks, _ = _events(body)
    assert written["request_id"] == "chatcmpl-mine"
    assert (written["prompt_tokens"], written["output_tokens"]) == (3, 6)
    assert written["finish_reason"] == "length"
    sent, tokens = zip(*written["chunks"], strict=True)
    assert list(tokens) == [event["usage"]["completion_tokens"] for event in chunks]
    assert list(sent) == sorted(sent)
    # A step costs 1 ms; the prefill pays 3 prompt tokens of 0.02 ms as well.
    for step, instant in enumerate(sent[1:], start=1):
        assert instant - written["received_ns"] >= step * 1_000_000 + 60_000
    assert written["latest_ns"] >= 0


def test_a_port_in_use_is_bad_input_that_names_it() -> None:
    async def play(server: SimServer) -> None:
        with pytest.raises(InputError, match=f"port {server.port}") as caught:
            await SimServer.start(_options(f"--port={server.port}"))
        assert "--port" in caught.value.hint

    _run(_options(), play)


def test_the_listening_line_names_the_address_and_the_programmed_truth() -> None:
    line = listening_line(_options(*_DRAFTER, "--max-num-seqs=9", "--host=::1"), 123)
    address, _, document = line.partition(" {")
    assert address == "listening on http://[::1]:123"
    programmed = json.loads("{" + document)
    assert programmed["config"]["max_num_seqs"] == 9
    assert programmed["config"]["speculation"]["acceptance"] == [1.0, 0.0]


def test_the_log_says_the_admission_cap_as_vllms_does() -> None:
    now = datetime(2026, 11, 30, 4, 49, 17, tzinfo=UTC)
    line = args_line(_options("--max-num-seqs=9"), now)
    assert line.startswith("INFO 11-30 04:49:17 [server.py:1] non-default args: {")
    assert "'max_num_seqs': 9" in line
