"""The OpenAI completions API of the simulator, both kinds: a request body becomes a
typed call, engine outputs become stream events in the shape that vLLM 0.32.0 sends. No
sockets, no clock. A prompt token is a word (split at blanks), or a token id."""

import hashlib
from dataclasses import dataclass
from enum import Enum
from http import HTTPStatus
from typing import Any

import orjson

from specbench.sim.config import SimConfig
from specbench.sim.request import DraftHistory, FinishReason

_DEFAULT_TEXT_MAX_TOKENS = 16
"""Limit of /v1/completions when the call names none (OpenAI's default)."""


class ApiKind(Enum):
    """Which of the two APIs: object name of a chunk and prefix of its id."""

    CHAT = ("chat.completion.chunk", "chatcmpl")
    TEXT = ("text_completion", "cmpl")

    @property
    def object_name(self) -> str:
        """Value of a chunk's `object`."""
        return self.value[0]

    @property
    def id_prefix(self) -> str:
        """What the response's id begins with."""
        return self.value[1]


class CallError(Exception):
    """A call that gets an error answer; the server goes on."""

    def __init__(self, status: HTTPStatus, message: str, param: str | None) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.param = param

    def body(self) -> bytes:
        """The answer, in vLLM's shape."""
        error = {
            "message": self.message,
            "type": self.status.phrase.replace(" ", "") + "Error",
            "param": self.param,
            "code": self.status.value,
        }
        return orjson.dumps({"error": error})


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
    prompt_tokens = _count_tokens(prompt)
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


def _count_tokens(prompt: object) -> int:
    if isinstance(prompt, str):
        return max(1, len(prompt.split()))
    if isinstance(prompt, list) and prompt and all(type(t) is int for t in prompt):
        return len(prompt)
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


@dataclass(frozen=True, slots=True)
class StreamEvents:
    """Builds the SSE events of one response."""

    call: CompletionCall
    response_id: str
    created: int
    """Unix seconds."""

    def role(self) -> bytes:
        """A chat's first event: a role and no token. Sent as soon as the call is
        accepted, so that a client that takes it for text is found out."""
        delta = {"role": "assistant", "content": ""}
        return self._event(self._choice({"delta": delta}, None), tokens_so_far=0)

    def text(self, text: str, tokens_so_far: int, finish: FinishReason | None) -> bytes:
        """All tokens of one engine step."""
        if self.call.kind is ApiKind.CHAT:
            content: dict[str, Any] = {"delta": {"content": text}}
        else:
            content = {"text": text}
        return self._event(self._choice(content, finish), tokens_so_far)

    def usage(self, output_tokens: int, drafts: DraftHistory | None) -> bytes:
        """The event without a choice that ends a stream with `include_usage`."""
        document = self._head([])
        document["usage"] = self._usage(output_tokens)
        if drafts is not None:
            document["metrics"] = {"speculative_decoding": _speculation(drafts)}
        return _sse(document)

    def _event(self, choice: dict[str, Any], tokens_so_far: int) -> bytes:
        document = self._head([choice])
        if self.call.continuous_usage:
            document["usage"] = self._usage(tokens_so_far)
        return _sse(document)

    def _head(self, choices: list[dict[str, Any]]) -> dict[str, Any]:
        return {
            "id": self.response_id,
            "object": self.call.kind.object_name,
            "created": self.created,
            "model": self.call.model,
            "choices": choices,
        }

    def _choice(
        self, content: dict[str, Any], finish: FinishReason | None
    ) -> dict[str, Any]:
        return {"index": 0, **content, "logprobs": None, "finish_reason": finish}

    def _usage(self, output_tokens: int) -> dict[str, int]:
        return {
            "prompt_tokens": self.call.prompt_tokens,
            "total_tokens": self.call.prompt_tokens + output_tokens,
            "completion_tokens": output_tokens,
        }


DONE = b"data: [DONE]\n\n"
"""Ends every stream."""


def _sse(document: dict[str, Any]) -> bytes:
    return b"data: " + orjson.dumps(document) + b"\n\n"


def _speculation(drafts: DraftHistory) -> dict[str, Any]:
    """`metrics.speculative_decoding` as vLLM 0.32.0 computes it
    (v1/metrics/stats.py, RequestSpecDecodeMetrics.to_dict)."""
    histogram = drafts.acceptance_histogram
    steps = sum(histogram)
    accepted = sum(j * count for j, count in enumerate(histogram))
    drafted = drafts.draft_tokens
    return {
        "mean_acceptance_length": 1.0 + accepted / steps if steps else 1.0,
        "draft_acceptance_rate": accepted / drafted if drafted else 0.0,
        "acceptance_histogram": list(histogram),
        "num_spec_steps": steps,
        "num_accepted_draft_tokens": accepted,
        "num_draft_tokens": drafted,
        "num_spec_tokens": len(histogram) - 1,
    }
