"""The OpenAI completions API of the simulator, both kinds: a request body becomes a
typed call. No sockets, no clock. A prompt token is a word (split at blanks), or a token
id."""

import hashlib
from dataclasses import dataclass
from enum import Enum
from http import HTTPStatus
from typing import Any

import orjson

from specbench.sim.config import SimConfig
from specbench.sim.prompt_blocks import prefix_blocks

_DEFAULT_TEXT_MAX_TOKENS = 16
"""Limit of /v1/completions when the call names none (OpenAI's default)."""


class ApiKind(Enum):
    """Which of the two APIs: object name of a chunk and prefix of its id."""

    CHAT = ("chat.completion.chunk", "chatcmpl")
    TEXT = ("text_completion", "cmpl")

    @property
    def object_name(self) -> str:
        """Value of an event's `object`."""
        return self.value[0]

    @property
    def id_prefix(self) -> str:
        """What the response's id begins with."""
        return self.value[1]


class CallError(Exception):
    """A call that gets an error answer; the server goes on."""

    def __init__(
        self,
        status: HTTPStatus,
        message: str,
        param: str | None,
        raw_body: str | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.param = param
        self.raw_body = raw_body
        """The whole answer, where it is none of the dialect's."""


@dataclass(frozen=True, slots=True)
class CompletionCall:
    """What a client asked for."""

    kind: ApiKind
    model: str
    prompt_tokens: int
    prompt_key: str
    """Hash of the prompt: equal prompts get equal draws and equal text."""
    max_tokens: int
    """Already cut to what the context length leaves."""
    ignore_eos: bool
    include_usage: bool
    continuous_usage: bool
    spec_details: bool
    """SGLang: whether it wants `sglext.spec_tokens_details`."""
    prefix_blocks: tuple[int, ...]
    """Hashes of its full blocks; empty where the engine shares none."""


def parse_call(
    kind: ApiKind, body: bytes, config: SimConfig, model_name: str
) -> CompletionCall:
    """Read a request body. Raises CallError."""
    document = _parse_object(body)
    model = document.get("model", model_name)
    if model != model_name:
        raise CallError(
            HTTPStatus.NOT_FOUND, f"The model `{model}` does not exist.", "model"
        )
    if document.get("stream") is not True:
        raise _bad("the simulator only streams: send `stream: true`", "stream")
    if document.get("n") not in (None, 1):
        raise _bad("the simulator gives one answer a request: `n` must be 1", "n")
    prompt = _chat_prompt(document) if kind is ApiKind.CHAT else document.get("prompt")
    tokens = _split_tokens(prompt)
    prompt_tokens = max(1, len(tokens))
    room = config.max_model_len - prompt_tokens
    if room < 1:
        raise _bad(
            f"This model's maximum context length is {config.max_model_len} tokens;"
            f" the prompt has {prompt_tokens}.",
            "input_tokens",
        )
    stream_options = document.get("stream_options") or {}
    include_usage = bool(stream_options.get("include_usage"))
    return CompletionCall(
        kind=kind,
        model=model_name,
        prompt_tokens=prompt_tokens,
        prompt_key=hashlib.sha256(orjson.dumps(prompt)).hexdigest()[:16],
        max_tokens=min(_max_tokens(kind, document, room), room),
        ignore_eos=bool(document.get("ignore_eos")),
        include_usage=include_usage,
        # vLLM 0.32.0 (api_utils.should_include_usage): only together with the other.
        continuous_usage=include_usage
        and bool(stream_options.get("continuous_usage_stats")),
        spec_details=bool(document.get("return_spec_tokens_details")),
        prefix_blocks=(
            prefix_blocks(tokens, config.block_size) if config.prefix_caching else ()
        ),
    )


def _parse_object(body: bytes) -> dict[str, Any]:
    try:
        document = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise _bad(f"JSON decode error: {error}", "body") from error
    if not isinstance(document, dict):
        raise _bad("expected a JSON object", "body")
    stream_options = document.get("stream_options")
    if stream_options is not None and not isinstance(stream_options, dict):
        raise _bad("`stream_options` must be an object", "stream_options")
    return document


def _chat_prompt(document: dict[str, Any]) -> str:
    messages = document.get("messages")
    if not isinstance(messages, list) or not messages:
        raise _bad("`messages` must be a list with at least one message", "messages")
    lines = []
    for message in messages:
        if (
            not isinstance(message, dict)
            or not isinstance(message.get("role"), str)
            or not isinstance(message.get("content"), str)
        ):
            raise _bad("a message needs a role and a text as content", "messages")
        lines.append(f"{message['role']}: {message['content']}")
    return "\n".join(lines)


def _split_tokens(prompt: object) -> list[str] | list[int]:
    if isinstance(prompt, str):
        return prompt.split()
    if isinstance(prompt, list) and prompt and all(type(t) is int for t in prompt):
        return prompt
    raise _bad("`prompt` must be a text or a list of token ids", "prompt")


def _max_tokens(kind: ApiKind, document: dict[str, Any], room: int) -> int:
    value = document.get("max_completion_tokens")
    if value is None:
        value = document.get("max_tokens")
    if value is None:
        return room if kind is ApiKind.CHAT else _DEFAULT_TEXT_MAX_TOKENS
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise _bad(f"max_tokens must be at least 1, got {value!r}", "max_tokens")
    return value


def _bad(message: str, param: str) -> CallError:
    return CallError(HTTPStatus.BAD_REQUEST, message, param)
