"""Streamed answers of the OpenAI-style endpoints (chat and text completions) from
stamped body pieces. The rule: what the server sent is never lost to an exception. An
error inside the stream, JSON that is broken, and a stream that ends before `[DONE]`
become the reading's `error`; what arrived before them is kept."""

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import orjson

from specbench.schema.sample import Chunk
from specbench.wire.counts import read_count
from specbench.wire.sse import SseDecoder, SseEvent
from specbench.wire.usual_chunk import UsualChunks

DONE = "[DONE]"
_LONGEST_DONE = 64
"""`[DONE]` with as many blanks around it as anybody would send."""

BAD_ENDS = frozenset({"abort", "error"})
"""Finish reasons of an answer that is not whole (vLLM 0.32.0, v1/engine)."""

SPECULATION_PLACES = (
    ("metrics", "speculative_decoding"),
    ("sglext", "spec_tokens_details"),
)
"""Where an event holds the engine's figures for its request: vLLM 0.32.0, on the last
event, with `--per-request-spec-decode-metrics`; SGLang 0.5.23, on an event before the
usage, where the request asks with `return_spec_tokens_details`."""

_QUOTED_CHARS = 120
"""As much of a piece that could not be read as an error quotes."""


@dataclass(frozen=True, slots=True)
class StreamReading:
    """One stream, read to its end."""

    chunks: tuple[Chunk, ...]
    """Events with a choice, in order; a role-only one has an empty text."""
    prompt_tokens: int | None
    output_tokens: int | None
    """Last count that the server sent; reasoning is inside it."""
    finish_reason: str | None
    error: str | None
    """The first thing that went wrong; None = the answer is whole."""
    speculation: dict[str, Any] | None
    """The engine's own figures for this request."""
    is_done: bool
    """`[DONE]` was seen."""


@dataclass(slots=True)
class _Collected:
    """What has been read so far."""

    events: int = 0
    chunks: list[Chunk] = field(default_factory=list)
    prompt_tokens: int | None = None
    output_tokens: int | None = None
    finish_reason: str | None = None
    error: str | None = None
    speculation: dict[str, Any] | None = None
    is_done: bool = False

    def take_usual(self, chunk: Chunk, prompt_tokens: int | None) -> None:
        """An event that holds nothing but a piece of the answer."""
        self.events += 1
        self.chunks.append(chunk)
        if chunk.tokens_so_far is not None:
            self.prompt_tokens = prompt_tokens
            self.output_tokens = chunk.tokens_so_far

    def note_error(self, error: str) -> None:
        """Keep the first; what follows is usually its consequence."""
        if self.error is None:
            self.error = error


def read_stream(pieces: Iterable[tuple[int, bytes]]) -> StreamReading:
    """Read (arrival ns, body bytes) pieces. A chunk has the arrival of the piece that
    completed its event."""
    decoder = SseDecoder()
    usual = UsualChunks()
    so_far = _Collected()
    start = b""
    is_between_events = True
    for instant_ns, data in pieces:
        if is_between_events:
            chunk = usual.read(data, instant_ns)
            if chunk is not None:
                so_far.take_usual(chunk, usual.prompt_tokens)
                continue
        if so_far.events == 0 and len(start) < _QUOTED_CHARS:
            start += data[:_QUOTED_CHARS]
        if so_far.events:
            decoder.note_event()
        for event in decoder.feed(data):
            if so_far.is_done:
                break
            _take_event(so_far, event, instant_ns)
        is_between_events = decoder.is_between_events and not so_far.is_done
    if not so_far.is_done:
        cut = _describe_cut(so_far.events, decoder, start)
        # some servers close right behind the word, without the blank line
        so_far.is_done = [e.data.strip() for e in decoder.feed(b"\n\n")] == [DONE]
        if not so_far.is_done:
            so_far.note_error(cut)
    return StreamReading(
        chunks=tuple(so_far.chunks),
        prompt_tokens=so_far.prompt_tokens,
        output_tokens=so_far.output_tokens,
        finish_reason=so_far.finish_reason,
        error=so_far.error,
        speculation=so_far.speculation,
        is_done=so_far.is_done,
    )


def _describe_cut(events: int, decoder: SseDecoder, start: bytes) -> str:
    if events == 0:
        if not start:
            return "the answer has no body"
        quoted = start[:_QUOTED_CHARS].decode("utf-8", "replace")
        return f"the body holds no event; it begins with {quoted!r}"
    where = ", inside an event" if decoder.is_inside_event else ""
    return f"the stream ended without [DONE], after event {events}{where}"


def _take_event(so_far: _Collected, event: SseEvent, instant_ns: int) -> None:
    data = event.data
    if len(data) < _LONGEST_DONE and data.strip() == DONE:
        so_far.is_done = True
        return
    so_far.events += 1
    try:
        body = _parse_json(data)
    except (ValueError, RecursionError) as error:
        quoted = repr(data[:_QUOTED_CHARS])
        so_far.note_error(f"event {so_far.events} is not JSON ({error}): {quoted}")
        return
    if not isinstance(body, dict):
        quoted = repr(data[:_QUOTED_CHARS])
        so_far.note_error(f"event {so_far.events} is not an object: {quoted}")
        return
    if event.event == "error" or body.get("error") or body.get("object") == "error":
        so_far.note_error(_describe_error(body))
        return
    tokens_so_far = _take_usage(so_far, body.get("usage"))
    _take_choice(so_far, body.get("choices"), instant_ns, tokens_so_far)
    _take_speculation(so_far, body)


def _parse_json(text: str) -> object:
    """Strict, but for one thing: half of a surrogate pair, which servers send where a
    token ends inside a character, becomes U+FFFD instead of an error."""
    try:
        parsed: object = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        if "surrogate" not in str(error):
            raise
        lenient = json.dumps(json.loads(text), ensure_ascii=False)
        whole = lenient.encode("utf-16-le", "surrogatepass")
        parsed = orjson.loads(whole.decode("utf-16-le", "replace"))
    return parsed


def _describe_error(body: dict[str, Any]) -> str:
    """vLLM: `{"error": {"message", "type", "param", "code"}}`; others put a plain text
    there, or the message at the top."""
    inner = body.get("error") or body
    if isinstance(inner, str):
        return inner
    message = None
    if isinstance(inner, dict):
        message = inner.get("message") or inner.get("detail")
    if not isinstance(message, str):
        return _as_text(inner)
    said = [inner.get(key) for key in ("type", "code")]
    labels = [str(label) for label in said if label and isinstance(label, (str, int))]
    return f"{message} ({', '.join(labels)})" if labels else message


def _as_text(value: object) -> str:
    try:
        return orjson.dumps(value).decode()
    except TypeError:  # nested deeper than it writes
        return "an error that cannot be shown"


def _take_usage(so_far: _Collected, usage: object) -> int | None:
    """The running count of output tokens, where this event has one."""
    if not isinstance(usage, dict):
        return None
    prompt_tokens = read_count(usage.get("prompt_tokens"))
    output_tokens = read_count(usage.get("completion_tokens"))
    if prompt_tokens is not None:
        so_far.prompt_tokens = prompt_tokens
    if output_tokens is not None:
        so_far.output_tokens = output_tokens
    return output_tokens


def _take_choice(
    so_far: _Collected, choices: object, instant_ns: int, tokens_so_far: int | None
) -> None:
    """Requests ask for one choice; the usage event at the end has none."""
    if not isinstance(choices, list) or not choices:
        return
    choice = choices[0]
    if not isinstance(choice, dict):
        return
    reason = choice.get("finish_reason")
    if isinstance(reason, str):
        so_far.finish_reason = reason
        if reason in BAD_ENDS:
            so_far.note_error(f"the server ended the answer with {reason!r}")
    answer, reasoning = _texts(choice)
    is_reasoning = bool(reasoning) and not answer
    so_far.chunks.append(
        Chunk(instant_ns, reasoning + answer, is_reasoning, tokens_so_far)
    )


def _texts(choice: dict[str, Any]) -> tuple[str, str]:
    """Answer and reasoning. Text completions have `text`, chat has a delta. Reasoning
    is `reasoning` or `reasoning_content`; a server that sends both sends one text
    under two names."""
    text = choice.get("text")
    if isinstance(text, str):
        return text, ""
    delta = choice.get("delta")
    if not isinstance(delta, dict):
        return "", ""
    answer = delta.get("content")
    reasoning = _text(delta.get("reasoning")) or _text(delta.get("reasoning_content"))
    return _text(answer), reasoning


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _take_speculation(so_far: _Collected, body: dict[str, Any]) -> None:
    for outer, inner in SPECULATION_PLACES:
        figures = body.get(outer)
        figures = figures.get(inner) if isinstance(figures, dict) else None
        if isinstance(figures, dict) and _can_be_kept(figures):
            so_far.speculation = figures


def _can_be_kept(figures: dict[str, Any]) -> bool:
    try:
        orjson.dumps(figures)
    except TypeError:  # nested deeper than it writes
        return False
    return True
