"""One request: its bytes before the cell, its sample after it. No failure is lost."""

from dataclasses import replace

import orjson
import pytest

from specbench.load.client import (
    ERROR_CHARS,
    PreparedRequest,
    RawExchange,
    RequestSettings,
    prepare_request,
    read_exchange,
    wire_bytes,
)
from specbench.schema.prompt import Message, Prompt
from specbench.schema.sample import Outcome, Role

PROMPT = Prompt(
    prompt_id="81/2",
    category="writing",
    turn=2,
    messages=(
        Message("user", "Grüße, 温度?"),
        Message("assistant", "warm"),
        Message("user", "and now?"),
    ),
)
SETTINGS = RequestSettings(
    model="target",
    max_tokens=64,
    temperature=0.0,
    extras={"stream_options": {"include_usage": True}},
)


def prepared(role: Role = Role.MEASURED) -> PreparedRequest:
    return prepare_request(7, PROMPT, role, SETTINGS)


def exchange(body: bytes = b"", status: int | None = 200) -> RawExchange:
    return RawExchange(
        request=prepared(),
        slot=3,
        scheduled_ns=90,
        sent_ns=100,
        end_ns=900,
        status=status,
        pieces=((500, body),) if body else (),
        error=None,
    )


def event(text: str, tokens: int) -> bytes:
    choice = {"index": 0, "delta": {"content": text}, "finish_reason": None}
    usage = {"prompt_tokens": 5, "completion_tokens": tokens}
    return b"data: " + orjson.dumps({"choices": [choice], "usage": usage}) + b"\n\n"


DONE = b"data: [DONE]\n\n"


def test_the_body_holds_the_conversation_and_asks_for_a_stream() -> None:
    body = orjson.loads(prepared().body)
    assert body["model"] == "target"
    assert [m["content"] for m in body["messages"]] == [
        "Grüße, 温度?",
        "warm",
        "and now?",
    ]
    assert (body["max_tokens"], body["temperature"], body["stream"]) == (64, 0.0, True)
    assert body["stream_options"] == {"include_usage": True}


def test_equal_prompts_give_equal_bytes_whatever_their_place_and_role() -> None:
    again = prepare_request(99, PROMPT, Role.WARMUP, SETTINGS)
    assert again.body == prepared().body


def test_a_whole_stream_becomes_a_sample_with_the_stamps_of_its_pieces() -> None:
    raw = replace(
        exchange(),
        pieces=((500, event("a", 1)), (700, event("bc", 3)), (800, DONE)),
    )
    sample = read_exchange(raw)
    assert sample.outcome is Outcome.OK
    assert [c.arrival_ns for c in sample.chunks] == [500, 700]
    assert [c.tokens_so_far for c in sample.chunks] == [1, 3]
    assert (sample.prompt_tokens, sample.output_tokens) == (5, 3)
    assert (sample.index, sample.prompt_id, sample.category) == (7, "81/2", "writing")
    assert (sample.slot, sample.role) == (3, Role.MEASURED)
    assert (sample.scheduled_ns, sample.sent_ns, sample.end_ns) == (90, 100, 900)
    assert sample.http_status == 200
    assert sample.error is None


def test_an_answer_without_text_is_empty_and_not_failed() -> None:
    sample = read_exchange(exchange(event("", 0) + DONE))
    assert sample.outcome is Outcome.EMPTY
    assert sample.error is None


def test_an_error_inside_the_stream_fails_the_request_and_keeps_its_chunks() -> None:
    error = b'data: {"error": {"message": "EngineCore stopped", "code": 500}}\n\n'
    sample = read_exchange(exchange(event("a", 1) + error + DONE))
    assert sample.outcome is Outcome.FAILED
    assert "EngineCore stopped" in (sample.error or "")
    assert len(sample.chunks) == 1


def test_a_stream_that_was_cut_fails_the_request() -> None:
    sample = read_exchange(exchange(event("a", 1)))
    assert sample.outcome is Outcome.FAILED
    assert "[DONE]" in (sample.error or "")


@pytest.mark.parametrize("status", [400, 404, 429, 500, 503])
def test_another_status_fails_with_the_servers_own_words(status: int) -> None:
    body = b'{"error": {"message": "maximum context length is 2048"}}'
    sample = read_exchange(exchange(body, status))
    assert sample.outcome is Outcome.FAILED
    assert sample.http_status == status
    assert f"HTTP {status}" in (sample.error or "")
    assert "maximum context length" in (sample.error or "")


def test_an_error_page_of_any_size_and_coding_is_kept_short() -> None:
    sample = read_exchange(exchange(b"\xff\xfe" + b"x" * 100_000, 502))
    assert len(sample.error or "") <= ERROR_CHARS + len("HTTP 502: ")


def test_an_exchange_that_broke_is_a_failed_sample_with_the_reason() -> None:
    raw = replace(exchange(status=None), error="ReadTimeout: no byte for 120 s")
    sample = read_exchange(raw)
    assert sample.outcome is Outcome.FAILED
    assert sample.error == "ReadTimeout: no byte for 120 s"
    assert sample.chunks == ()
    assert sample.output_tokens is None


def test_a_success_without_a_body_is_a_failure() -> None:
    assert read_exchange(exchange()).outcome is Outcome.FAILED


@pytest.mark.parametrize("line", [b'"error":null', b'"error": null', b'"text":"error"'])
def test_an_error_key_that_says_null_is_no_failure(line: bytes) -> None:
    body = b'data: {"choices": [], ' + line + b"}\n\n" + DONE
    assert exchange(body).is_answered


@pytest.mark.parametrize("line", [b'"error":{"message":"x"}', b'"error": "x"'])
def test_an_error_near_the_end_is_known_at_once(line: bytes) -> None:
    assert not exchange(b"data: {" + line + b"}\n\n" + DONE).is_answered


@pytest.mark.parametrize("origin", ["http://h:1/tenant", "http://h:1/tenant/"])
def test_a_path_in_the_servers_address_stays_in_front(origin: str) -> None:
    raw = wire_bytes(origin, "/v1/chat/completions", {}, b"{}")
    assert raw.startswith(b"POST /tenant/v1/chat/completions HTTP/1.1\r\n")
