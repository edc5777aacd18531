"""Streams made anew for the tests: events of an OpenAI-style server as bytes, and the
instants at which they leave it."""

import json
from typing import Any

NS_PER_MS = 1_000_000
DONE = b"data: [DONE]\n\n"


def event(body: object) -> bytes:
    """One event, serialised as Python servers do."""
    return b"data: " + json.dumps(body).encode() + b"\n\n"


def chat(delta: dict[str, Any], **more: Any) -> bytes:
    """One event of a chat with one choice; `more` stands beside the choices."""
    finish = more.pop("finish_reason", None)
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return event({"object": "chat.completion.chunk", "choices": [choice], **more})


def usage(prompt: int, output: int, **more: Any) -> dict[str, Any]:
    """The server's counts."""
    return {"prompt_tokens": prompt, "completion_tokens": output, **more}


def usage_event(prompt: int, output: int) -> bytes:
    """The last event before [DONE]: counts, no choice."""
    return event({"choices": [], "usage": usage(prompt, output)})


ROLE = chat({"role": "assistant", "content": ""})
STOP = chat({}, finish_reason="stop")


def at(*events: tuple[float, bytes]) -> list[tuple[int, bytes]]:
    """Pieces from (ms, bytes)."""
    return [(round(ms * NS_PER_MS), data) for ms, data in events]
