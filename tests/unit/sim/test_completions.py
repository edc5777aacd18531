"""Calls of the completions API: what they ask for, and how they are refused."""

import itertools
import json
from typing import Any

import pytest

from specbench.sim.completions import ApiKind, CallError, CompletionCall, parse_call
from specbench.sim.vllm_events import vllm_error
from specbench.sim.words import output_words
from tests.unit.sim.virtual import config

_CHAT = {
    "model": "sim",
    "messages": [{"role": "user", "content": "one two three"}],
    "stream": True,
}


def _chat(**changes: Any) -> CompletionCall:
    body = json.dumps({**_CHAT, **changes}).encode()
    return parse_call(ApiKind.CHAT, body, config(), "sim")


def _text(**changes: Any) -> CompletionCall:
    document = {"model": "sim", "prompt": "one two", "stream": True, **changes}
    return parse_call(ApiKind.TEXT, json.dumps(document).encode(), config(), "sim")


def test_a_prompt_token_is_a_word_or_an_id() -> None:
    assert _chat().prompt_tokens == 4  # the role is one
    assert _text().prompt_tokens == 2
    assert _text(prompt=[5, 6, 7]).prompt_tokens == 3


def test_equal_prompts_have_equal_keys_and_other_prompts_others() -> None:
    other = [{"role": "user", "content": "one two four"}]
    assert _chat().prompt_key == _chat(max_tokens=5).prompt_key
    assert _chat().prompt_key != _chat(messages=other).prompt_key


def test_the_limit_is_the_calls_own_or_what_the_context_leaves() -> None:
    assert _chat(max_tokens=5).max_tokens == 5
    assert _chat(max_tokens=5, max_completion_tokens=6).max_tokens == 6
    assert _chat().max_tokens == 100_000 - 4
    assert _chat(max_tokens=10**6).max_tokens == 100_000 - 4
    assert _text().max_tokens == 16


def test_usage_in_every_chunk_needs_both_options() -> None:
    both = _chat(stream_options={"include_usage": True, "continuous_usage_stats": True})
    one = _chat(stream_options={"continuous_usage_stats": True})
    assert (both.include_usage, both.continuous_usage) == (True, True)
    assert (one.include_usage, one.continuous_usage) == (False, False)
    assert _chat(stream_options=None).include_usage is False


@pytest.mark.parametrize(
    ("changes", "status", "param"),
    [
        ({"model": "nope"}, 404, "model"),
        ({"stream": False}, 400, "stream"),
        ({"n": 2}, 400, "n"),
        ({"max_tokens": 0}, 400, "max_tokens"),
        ({"max_tokens": "5"}, 400, "max_tokens"),
        ({"messages": []}, 400, "messages"),
        ({"messages": [{"role": "user"}]}, 400, "messages"),
        ({"stream_options": 1}, 400, "stream_options"),
        ({"messages": [{"role": "user", "content": "x " * 10**5}]}, 400, "input_tok"),
    ],
)
def test_a_bad_call_is_answered_with_the_parameter(
    changes: dict[str, Any], status: int, param: str
) -> None:
    with pytest.raises(CallError) as caught:
        _chat(**changes)
    error = json.loads(vllm_error(caught.value))["error"]
    assert error["code"] == status
    assert error["param"].startswith(param)


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"\xff"])
def test_a_body_that_is_no_object_is_refused(body: bytes) -> None:
    with pytest.raises(CallError):
        parse_call(ApiKind.CHAT, body, config(), "sim")


@pytest.mark.parametrize("prompt", [None, [], ["a"], {}])
def test_a_prompt_of_another_kind_is_refused(prompt: object) -> None:
    with pytest.raises(CallError):
        _text(prompt=prompt)


def test_words_follow_from_the_prompt_alone_and_do_not_loop() -> None:
    words = list(itertools.islice(output_words("key"), 500))
    assert words == list(itertools.islice(output_words("key"), 500))
    assert words != list(itertools.islice(output_words("other"), 500))
    pairs = list(itertools.pairwise(words))
    assert len(set(pairs)) > 0.99 * len(pairs)
