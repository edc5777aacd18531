"""The engine's flags as a client sees them: how a trace is cut into chunks, lengths,
capacity, the prefix cache, what is printed."""

from collections.abc import Sequence
from datetime import UTC, datetime

import pytest

from specbench.sim.serving import launch_lines, listening_line
from tests.unit.sim.served import (
    DRAFTER,
    ask_once,
    chat_call,
    http_call,
    sim_options,
    stream,
    stream_events,
    text_of,
)

_CHAT = "/v1/chat/completions"


def _counts(flags: Sequence[str], dialect: str) -> tuple[str, list[int]]:
    """Text of one answer and the running counts of its chunks."""
    call = http_call(_CHAT, chat_call(max_tokens=40))
    ((_, body),) = ask_once(sim_options(f"--dialect={dialect}", *flags), call)
    texts = [
        event["usage"]["completion_tokens"]
        for event in stream_events(body)
        if event["choices"] and event["choices"][0]["delta"].get("content")
    ]
    return text_of(body), texts


@pytest.mark.parametrize("dialect", ["vllm", "sglang"])
def test_one_trace_can_come_in_different_chunks(dialect: str) -> None:
    ones = _counts((), dialect)
    threes = _counts(("--stream-interval=3",), dialect)
    mixed = _counts(("--stream-interval=random",), dialect)
    assert ones[0] == threes[0] == mixed[0]
    assert ones[1] == list(range(1, 41))
    assert threes[1] == list(range(1, 41, 3))
    assert mixed[1][0] == 1
    assert mixed[1][-1] == 40
    assert set(mixed[1]) < set(ones[1])


def test_lengths_vary_by_prompt_and_not_by_arm() -> None:
    def lengths(*flags: str) -> list[int]:
        calls = [
            http_call(_CHAT, chat_call(f"q{i}", max_tokens=500)) for i in range(12)
        ]
        spread = ("--output-tokens=20", "--output-tokens-spread=0.5")
        answers = ask_once(sim_options(*spread, *flags), *calls)
        usages = [stream_events(body)[-1]["usage"] for _, body in answers]
        return [usage["completion_tokens"] for usage in usages]

    baseline = lengths()
    assert len(set(baseline)) > 6
    assert lengths(*DRAFTER, "--seed=5") == baseline


def test_a_prompt_that_comes_again_is_found_in_the_prefix_cache() -> None:
    calls = [http_call(_CHAT, chat_call("word " * 64))] * 2
    flags = ("--enable-prefix-caching", "--block-size=16")
    *_, (_, page) = ask_once(sim_options(*flags), *calls, http_call("/metrics", None))
    # "user:" and 64 words are 65 tokens: four full blocks.
    assert b'prefix_cache_hits_total{engine="0",model_name="sim"} 64.0' in page
    assert b'enable_prefix_caching="True"' in page


def test_a_request_that_the_cache_could_never_hold_is_refused() -> None:
    options = sim_options("--kv-capacity-tokens=32")
    ((status, body),) = ask_once(options, http_call(_CHAT, chat_call("word " * 64)))
    assert status == 400
    assert b"KV blocks" in body


def test_a_stream_ends_as_it_should_where_only_the_last_token_is_left() -> None:
    *_, last, usage = stream(sim_options(), _CHAT, chat_call(max_tokens=1))
    assert last["choices"][0]["finish_reason"] == "length"
    assert usage["usage"]["completion_tokens"] == 1


def test_what_is_printed_is_in_the_dialect() -> None:
    now = datetime(2026, 11, 30, 4, 49, 17, tzinfo=UTC)
    options = sim_options("--dialect=sglang", "--max-num-seqs=9", *DRAFTER)
    arguments, ready = launch_lines(options, now)
    assert arguments.startswith("[2026-11-30 04:49:17] server_args={")
    assert "'max_running_requests': 9" in arguments
    assert "'speculative_num_draft_tokens': 3" in arguments
    assert ready.endswith("The server is fired up and ready to roll!")
    assert '"dialect":"sglang"' in listening_line(options, 1)
