"""The metronome's schedule and its bytes: when each chunk of an answer is due and what
it says, made before anything is served. Pure. Events have the shape of vLLM's chat
stream with continuous usage (0.32.0): role, text with a running count, usage, end."""

import random
from dataclasses import dataclass
from typing import Any

import orjson

from specbench.sim.http1 import STREAM_END, chunk

MODEL = "metronome"
PROMPT_TOKENS = 8
"""Said of every prompt; nothing is counted."""
RANDOM_TRACES = 32
"""So many different ways to deal the tokens over the chunks."""
MOST_RANDOM_TOKENS = 5
ID_LENGTH = 25
"""Every answer's id is as long, so that sizes can be written ahead."""

_ID_PLACE = "0" * ID_LENGTH
_MARK = b"data: "


@dataclass(frozen=True, slots=True)
class Schedule:
    """When what is sent, counted from a request's arrival."""

    ttft_ns: int
    gap_ns: int
    traces: tuple[tuple[int, ...], ...]
    """Tokens in each text chunk; requests take the traces in turn."""
    is_role_late: bool = False
    """The role chunk comes with the first text, as from an engine that answers with
    its first step; else at once, so that a client that takes it for text is found
    out."""

    @property
    def chunks(self) -> int:
        """Text chunks of an answer."""
        return len(self.traces[0])


def even_traces(chunks: int, tokens_per_chunk: int) -> tuple[tuple[int, ...], ...]:
    """One trace, every chunk alike."""
    return ((tokens_per_chunk,) * chunks,)


def random_traces(chunks: int, seed: int) -> tuple[tuple[int, ...], ...]:
    """Several, 1 to 5 tokens in each chunk."""
    draw = random.Random(seed)
    return tuple(
        tuple(draw.randint(1, MOST_RANDOM_TOKENS) for _ in range(chunks))
        for _ in range(RANDOM_TRACES)
    )


@dataclass(frozen=True, slots=True)
class AnswerBytes:
    """One trace as bytes to send. A chunk is `heads[i] + id + tails[i]`."""

    role: tuple[bytes, bytes]
    """Role event, split around the id."""
    heads: tuple[bytes, ...]
    tails: tuple[bytes, ...]
    ending: tuple[bytes, bytes]
    """Usage, [DONE] and the end of the chunked body, split around the id."""


def answer_id(worker: int, number: int) -> bytes:
    """`chatcmpl-` and the number; unique among the workers of one server."""
    return b"chatcmpl-%04d%012d" % (worker, number)


def answer_bytes(tokens: tuple[int, ...], created: int) -> AnswerBytes:
    """Everything that an answer with this trace says. `created`: Unix seconds."""
    role = _event({"role": "assistant", "content": ""}, 0, None)
    heads, tails = [], []
    so_far = 0
    for place, count in enumerate(tokens):
        so_far += count
        is_last = place == len(tokens) - 1
        text = {"content": " tick" * count}
        event = _event(text, so_far, "length" if is_last else None)
        head, tail = _split(event, created)
        heads.append(head)
        tails.append(tail)
    usage = _document([])
    usage["usage"] = _usage(so_far)
    usage_head, usage_tail = _split(usage, created)
    return AnswerBytes(
        role=_split(role, created),
        heads=tuple(heads),
        tails=tuple(tails),
        ending=(usage_head, usage_tail + chunk(b"data: [DONE]\n\n") + STREAM_END),
    )


def _event(delta: dict[str, Any], so_far: int, finish: str | None) -> dict[str, Any]:
    choice = {
        "index": 0,
        "delta": delta,
        "logprobs": None,
        "finish_reason": finish,
        "token_ids": None,
    }
    return {**_document([choice]), "usage": _usage(so_far)}


def _document(choices: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "id": _ID_PLACE,
        "object": "chat.completion.chunk",
        "created": 0,
        "model": MODEL,
        "choices": choices,
    }


def _usage(so_far: int) -> dict[str, Any]:
    return {
        "prompt_tokens": PROMPT_TOKENS,
        "total_tokens": PROMPT_TOKENS + so_far,
        "completion_tokens": so_far,
        "completion_tokens_details": None,
    }


def _split(document: dict[str, Any], created: int) -> tuple[bytes, bytes]:
    """The event as a piece of a chunked body, around the place of its id."""
    event = _MARK + orjson.dumps({**document, "created": created}) + b"\n\n"
    head, _, tail = chunk(event).partition(_ID_PLACE.encode())
    return head, tail
