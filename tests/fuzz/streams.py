"""Streams whose truth is known because they are written here, event by event, from the
definitions: what each event means, and which byte completes it."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

Token = tuple[str, bool, int | None]
"""What a chunk is: text, whether it is reasoning, running count of output tokens."""


@dataclass(frozen=True, slots=True)
class Part:
    """Some bytes of the body: an event, a comment, anything."""

    sent: bytes
    document: Any = None
    """What its data is, before it was serialised; None where it is no JSON."""
    chunk: Token | None = None
    after: int = 0
    """How many of its last bytes come after the one that completes the event: a line
    feed that belongs to a carriage return."""
    is_escaped: bool = False
    """Its document was written with escapes only."""


@dataclass(frozen=True, slots=True)
class Stream:
    """A body and what has to be read from it."""

    name: str
    parts: tuple[Part, ...]
    prompt_tokens: int | None = None
    output_tokens: int | None = None
    finish_reason: str | None = None
    error: str | None = None
    """Has to be in the error; None = there is none."""
    speculation: dict[str, Any] | None = None

    @property
    def body(self) -> bytes:
        """The whole of it."""
        return b"".join(part.sent for part in self.parts)

    @property
    def tokens(self) -> list[Token]:
        """The chunks in order."""
        return [part.chunk for part in self.parts if part.chunk is not None]

    @property
    def ends(self) -> list[int]:
        """For each chunk the place in the body of the byte that completes it."""
        places = []
        length = 0
        for part in self.parts:
            length += len(part.sent)
            if part.chunk is not None:
                places.append(length - 1 - part.after)
        return places


def serialised(document: Any, *, escaped: bool = False) -> bytes:
    """As servers do it: compact, raw UTF-8 or escapes."""
    text = json.dumps(document, ensure_ascii=escaped, separators=(",", ":"))
    return text.encode()


def event(
    document: Any,
    chunk: Token | None = None,
    *,
    form: bytes = b"data: %b\n\n",
    escaped: bool = False,
) -> Part:
    """One event; `form` is its framing."""
    sent = form.replace(b"%b", serialised(document, escaped=escaped))
    after = int(sent.endswith(b"\r\n"))
    return Part(sent, document, chunk, after, escaped)


def raw(sent: bytes) -> Part:
    """Bytes that bring no chunk."""
    return Part(sent)


def counts(prompt: int, output: int, **more: Any) -> dict[str, Any]:
    """Usage as both vLLM and SGLang write it."""
    total = prompt + output
    main = {"prompt_tokens": prompt, "total_tokens": total, "completion_tokens": output}
    return {**main, **more}


def chat(
    delta: dict[str, Any], finish: str | None = None, **more: Any
) -> dict[str, Any]:
    """A chat chunk; `more` stands beside the choices."""
    choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
    return {"id": "c", "object": "chat.completion.chunk", "choices": [choice], **more}


def completion(text: str, finish: str | None = None, **more: Any) -> dict[str, Any]:
    """A chunk of a text completion."""
    choice = {"index": 0, "text": text, "logprobs": None, "finish_reason": finish}
    return {"id": "c", "object": "text_completion", "choices": [choice], **more}


ROLE = event(chat({"role": "assistant", "content": ""}), ("", False, None))
STOP = event(chat({}, "stop"), ("", False, None))
DONE = raw(b"data: [DONE]\n\n")


def usage_last(prompt: int, output: int, **more: Any) -> Part:
    """Counts without a choice."""
    return event({"id": "c", "choices": [], "usage": counts(prompt, output, **more)})


def words(texts: Iterable[str], **form: Any) -> list[Part]:
    """A chat chunk for each text, without counts."""
    return [event(chat({"content": t}), (t, False, None), **form) for t in texts]
