"""The server over real sockets on an ephemeral port: valid streams, true logs. Nothing
here asserts that something was fast; only that nothing came before its time."""

import asyncio
import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import uvloop

from specbench import __version__
from specbench.errors import InputError
from specbench.sim.options import SimOptions
from specbench.sim.server import SimServer
from specbench.sim.serving import launch_lines, listening_line
from specbench.sim.truth_log import TruthLog
from tests.unit.sim.served import (
    DRAFTER,
    ask,
    ask_once,
    chat_call,
    http_call,
    log_lines,
    read_answer,
    run_server,
    sim_options,
    stream,
    stream_events,
)

_LOOPS = pytest.mark.parametrize(
    "new_loop", [asyncio.new_event_loop, uvloop.new_event_loop]
)


@_LOOPS
def test_a_chat_streams_a_role_then_a_chunk_a_step_then_usage(
    new_loop: Callable[[], asyncio.AbstractEventLoop],
) -> None:
    call = http_call("/v1/chat/completions", chat_call())
    ((_, body),) = run_server(
        sim_options(*DRAFTER), lambda server: ask(server, call), new_loop=new_loop
    )
    role, *texts, usage = stream_events(body)
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
    call = {**chat_call(), "prompt": "one two three"}
    *texts, usage = stream(sim_options(), "/v1/completions", call)
    assert [len(event["choices"][0]["text"].split()) for event in texts] == [1] * 6
    assert {event["object"] for event in texts} == {"text_completion"}
    assert usage["usage"]["prompt_tokens"] == 3


def test_a_baseline_reports_no_speculation() -> None:
    *_, usage = stream(sim_options(), "/v1/chat/completions", chat_call())
    assert "metrics" not in usage


def test_usage_is_sent_only_as_asked() -> None:
    only_last = chat_call(stream_options={"include_usage": True})
    *chunks, last = stream(sim_options(), "/v1/chat/completions", only_last)
    assert ["usage" in chunk for chunk in chunks] == [False] * 7
    assert last["usage"]["completion_tokens"] == 6
    none = stream(sim_options(), "/v1/chat/completions", chat_call(stream_options=None))
    assert ["usage" in chunk for chunk in none] == [False] * 7


@pytest.mark.parametrize(
    ("changes", "tokens", "reason"),
    [({}, 4, "stop"), ({"max_tokens": 3}, 3, "length"), ({"ignore_eos": True}, 6, "l")],
)
def test_an_output_has_its_natural_length_unless_the_call_says_otherwise(
    changes: dict[str, Any], tokens: int, reason: str
) -> None:
    options = sim_options("--output-tokens=4")
    *_, last, usage = stream(options, "/v1/chat/completions", chat_call(**changes))
    assert usage["usage"]["completion_tokens"] == tokens
    assert last["choices"][0]["finish_reason"].startswith(reason)


def test_baseline_and_speculative_arm_give_the_same_text() -> None:
    def text(options: SimOptions) -> str:
        _role, *texts, _usage = stream(options, "/v1/chat/completions", chat_call())
        return "".join(event["choices"][0]["delta"]["content"] for event in texts)

    assert text(sim_options()) == text(sim_options(*DRAFTER, "--seed=3"))


def test_a_connection_serves_one_request_after_another() -> None:
    call = http_call("/v1/chat/completions", chat_call())
    answers = ask_once(sim_options(), call, http_call("/health", None), call)
    assert [status for status, _ in answers] == [200, 200, 200]
    ids = {stream_events(body)[0]["id"] for _, body in (answers[0], answers[2])}
    assert len(ids) == 2


def test_a_request_sent_while_another_streams_is_answered_after_it() -> None:
    async def play(server: SimServer) -> list[tuple[int, bytes]]:
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        writer.write(
            http_call("/v1/chat/completions", chat_call())
            + http_call("/version", None, "connection: close\r\n")
        )
        answers = [await read_answer(reader), await read_answer(reader)]
        assert await reader.read() == b""  # and then it closes, as asked
        writer.close()
        await writer.wait_closed()
        return answers

    stream, version = run_server(sim_options(), play)
    assert stream_events(stream[1])[-1]["usage"]["completion_tokens"] == 6
    assert json.loads(version[1]) == {"version": __version__}


def test_a_client_may_name_its_request() -> None:
    call = http_call("/v1/chat/completions", chat_call(), "x-request-id: mine\r\n")
    ((_, body),) = ask_once(sim_options(), call)
    assert {event["id"] for event in stream_events(body)} == {"chatcmpl-mine"}


def test_pages_answer_as_an_engines() -> None:
    paths = ("/health", "/v1/models", "/metrics")
    calls = [http_call(path, None) for path in paths]
    options = sim_options("--served-model-name=m", "--max-model-len=77")
    health, models, metrics = ask_once(options, *calls)
    assert health == (200, b"")
    (model,) = json.loads(models[1])["data"]
    assert (model["id"], model["max_model_len"]) == ("m", 77)
    assert b'vllm:num_requests_running{engine="0",model_name="m"} 0.0\n' in metrics[1]


@pytest.mark.parametrize(
    ("call", "status"),
    [
        (http_call("/nope", None), 404),
        (http_call("/nope", {}), 404),
        (http_call("/health", {}), 405),
        (http_call("/v1/chat/completions", None), 405),
        (http_call("/v1/chat/completions", {}), 400),
        (http_call("/v1/chat/completions", {"model": "other"}), 404),
        (b"nonsense\r\n\r\n", 400),
    ],
)
def test_what_cannot_be_answered_gets_an_error_status(call: bytes, status: int) -> None:
    ((answered, body),) = ask_once(sim_options(), call)
    assert answered == status
    assert json.loads(body)


def test_requests_beyond_the_cap_wait_and_are_all_served() -> None:
    async def play(server: SimServer) -> list[list[tuple[int, bytes]]]:
        calls = [
            http_call("/v1/chat/completions", chat_call(f"q{i}")) for i in range(5)
        ]
        return await asyncio.gather(*(ask(server, call) for call in calls))

    answers = run_server(sim_options("--max-num-seqs=2"), play)
    counts = [
        stream_events(body)[-1]["usage"]["completion_tokens"]
        for ((_, body),) in answers
    ]
    assert counts == [6] * 5


def test_a_client_that_goes_away_aborts_its_request(tmp_path: Path) -> None:
    path = tmp_path / "truth.jsonl"

    async def play(server: SimServer) -> int:
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        writer.write(http_call("/v1/chat/completions", chat_call(max_tokens=30_000)))
        await reader.readuntil(b'"completion_tokens":3,')
        writer.close()
        await writer.wait_closed()
        # The only place is free again, so the next request is served.
        await ask(server, http_call("/v1/chat/completions", chat_call()))
        return server.engine.engines[0].counters.generation_tokens

    with TruthLog.open(path) as truth:
        produced = run_server(sim_options("--max-num-seqs=1"), play, truth)
    aborted, served = log_lines(path, "request")
    assert (aborted["finish_reason"], served["finish_reason"]) == ("abort", "length")
    assert 3 <= aborted["output_tokens"] <= produced - 6 < 30_000


def test_closing_the_server_ends_open_streams_and_logs_them(tmp_path: Path) -> None:
    path = tmp_path / "truth.jsonl"

    async def play(server: SimServer) -> asyncio.StreamWriter:
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        writer.write(http_call("/v1/chat/completions", chat_call(max_tokens=30_000)))
        await reader.readuntil(b'"completion_tokens":1,')
        await server.close()
        writer.close()
        return writer

    with TruthLog.open(path) as truth:
        run_server(sim_options(), play, truth)
    (line,) = log_lines(path, "request")
    assert line["finish_reason"] == "abort"


@_LOOPS
def test_the_truth_log_has_every_chunk_and_none_came_before_its_time(
    tmp_path: Path, new_loop: Callable[[], asyncio.AbstractEventLoop]
) -> None:
    path = tmp_path / "truth.jsonl"
    call = http_call("/v1/chat/completions", chat_call(), "x-request-id: mine\r\n")
    with TruthLog.open(path) as truth:
        ((_, body),) = run_server(
            sim_options(*DRAFTER), lambda s: ask(s, call), truth, new_loop
        )
    (written,) = log_lines(path, "request")
    *chunks, _ = stream_events(body)
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
            await SimServer.start(sim_options(f"--port={server.port}"))
        assert "--port" in caught.value.hint

    run_server(sim_options(), play)


def test_the_listening_line_names_the_address_and_the_programmed_truth() -> None:
    line = listening_line(sim_options(*DRAFTER, "--max-num-seqs=9", "--host=::1"), 123)
    address, _, document = line.partition(" {")
    assert address == "listening on http://[::1]:123"
    programmed = json.loads("{" + document)
    assert programmed["config"]["max_num_seqs"] == 9
    assert programmed["config"]["speculation"]["acceptance"] == [1.0, 0.0]


def test_the_log_says_the_admission_cap_as_vllms_does() -> None:
    now = datetime(2026, 11, 30, 4, 49, 17, tzinfo=UTC)
    (line,) = launch_lines(sim_options("--max-num-seqs=9"), now)
    assert line.startswith("INFO 11-30 04:49:17 [server.py:1] non-default args: {")
    assert "'max_num_seqs': 9" in line
