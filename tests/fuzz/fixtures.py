"""One stream for each kind of the cases H01 to H07, in the dialects of vLLM 0.32.0 and
SGLang 0.5.23 (shapes as in captured streams, texts and numbers made up)."""

from typing import Any

from tests.fuzz.streams import (
    DONE,
    ROLE,
    STOP,
    Part,
    Stream,
    chat,
    completion,
    counts,
    event,
    raw,
    serialised,
    usage_last,
    words,
)

FIGURES = {
    "num_spec_tokens": 3,
    "num_spec_steps": 3,
    "num_draft_tokens": 9,
    "num_accepted_draft_tokens": 4,
    "acceptance_histogram": [1, 1, 0, 1],
}


def _vllm_multi_token() -> Stream:
    start = chat({"role": "assistant", "content": ""}, usage=counts(9, 0))
    parts = [event(start, ("", False, 0))]
    for so_far, text in ((3, "one two three"), (7, " four"), (9, "\n"), (12, " end ")):
        body = chat({"content": text}, usage=counts(9, so_far))
        parts.append(event(body, (text, False, so_far)))
    last = {"choices": [], "metrics": {"speculative_decoding": FIGURES}}
    parts += [event(chat({}, "stop", usage=counts(9, 12)), ("", False, 12))]
    parts += [event({**last, "usage": counts(9, 12)}), DONE]
    return Stream("h01 vllm", tuple(parts), 9, 12, "stop", speculation=FIGURES)


def _sglang_multi_token() -> Stream:
    parts = []
    for so_far, text in ((1, " a"), (5, " b c d e"), (6, " f")):
        finish = "length" if so_far == 6 else None
        body = completion(text, finish, usage=counts(17, so_far, reasoning_tokens=0))
        parts.append(event(body, (text, False, so_far)))
    parts += [usage_last(17, 6, reasoning_tokens=0), DONE]
    return Stream("h01 sglang", tuple(parts), 17, 6, "length")


def _framing(name: str, end: bytes) -> Stream:
    """Comments, no blank after the colon, an event name, fields for reconnecting."""
    forms = [
        b"data: %b" + end + end,
        b"data:%b" + end + end,
        b"event: message" + end + b"data: %b" + end + end,
        b"id: 7" + end + b"retry: 10" + end + b"data: %b" + end + end,
    ]
    parts = [raw(b"\xef\xbb\xbf: ping" + end + end + b":" + end + end)]
    for form, text in zip(forms, ("alpha ", " beta", " gamma ", " "), strict=True):
        parts += words([text], form=form)
        parts.append(raw(b": keep-alive" + end + end))
    parts.append(event({"choices": [], "usage": counts(9, 5)}, form=forms[1]))
    parts.append(raw(b"data:[DONE]" + end + end))
    return Stream(name, tuple(parts), 9, 5)


def _several_data_lines(name: str, between: bytes) -> Stream:
    """One document over several data lines: the standard joins them, however each of
    them ends."""
    before, after = serialised(chat({"content": " two halves "})).split(b',"choices"')
    sent = b"data: " + before + between + b'data: ,"choices"' + after + b"\n\n"
    whole = Part(sent, None, (" two halves ", False, None))
    return Stream(name, (whole, usage_last(3, 2), DONE), 3, 2)


def _characters() -> Stream:
    texts = ("温度は 23℃", " 😀 é", "a\u2028b\u0085c\x0b", "\u0000\u007f﷽")
    halves = event(
        chat({"content": "\ud83d x"}), ("\ufffd x", False, None), escaped=True
    )
    parts = [ROLE, *words(texts), *words(["é😀"], escaped=True), halves]
    return Stream("h03", (*parts, usage_last(5, 20), DONE), 5, 20)


def _usage_only_last() -> Stream:
    parts: list[Part] = []
    for text in "abcd":
        parts.append(event(chat({"content": text}, usage=None), (text, False, None)))
    parts += [STOP, usage_last(17, 4), DONE]
    return Stream("h04", tuple(parts), 17, 4, "stop")


def _reasoning(name: str, field: str, others: dict[str, Any]) -> Stream:
    parts = [ROLE]
    for text in ("Let", " me"):
        parts.append(event(chat({field: text, **others}), (text, True, None)))
    parts += words(["It", " is"])
    parts += [STOP, usage_last(14, 4, reasoning_tokens=2), DONE]
    return Stream(name, tuple(parts), 14, 4, "stop")


def _error(name: str, failure: Part, end: Part | None = DONE) -> Stream:
    after = [] if end is None else [end]
    parts = [ROLE, *words(["one", " two"]), failure, *after]
    return Stream(name, tuple(parts), error="engine gone")


def _sglang_chat() -> Stream:
    none = {"reasoning_content": None}
    start = chat({**none, "role": "assistant", "content": ""})
    detail = {"spec_verify_ct": 2, "spec_correct_drafts_histogram": [1, 1]}
    parts = [event(start, ("", False, None))]
    for text in (" (", ", so"):
        parts.append(event(chat({**none, "content": text}), (text, False, None)))
    parts.append(event(chat(none, "length"), ("", False, None)))
    parts.append(event({"choices": [], "usage": None, "sglext": {"x": detail}}))
    return Stream("sglang chat", (*parts, usage_last(40, 3), DONE), 40, 3, "length")


def _few_tokens(name: str, texts: list[str]) -> Stream:
    first = Part(b"\xef\xbb\xbf" + ROLE.sent, ROLE.document, ROLE.chunk)
    parts = [first, *words(texts), STOP, usage_last(5, len(texts)), DONE]
    return Stream(name, tuple(parts), 5, len(texts), "stop")


MESSAGE = {"message": "engine gone", "type": "InternalServerError", "code": 500}
NAMED_ERROR = b"event: error\r\ndata: %b\r\n\r\n"
NAMED = Stream(
    "h06 named, short",
    (event({"detail": "engine gone"}, form=b"event: error\ndata: %b\n\n"), DONE),
    error="engine gone",
)
CUT = event(chat({"content": "three"})).sent[:-20]
LIKE_CHUNKS = b": \r\n:234567890\r\n\r\n"
"""18 bytes, in hex 12: cut behind its 1, the chunk looks like one of two bytes."""
SHORT = Stream("no blank line", (*words(["x"]), raw(b"data: [DONE]")))

STREAMS = (
    _vllm_multi_token(),
    _sglang_multi_token(),
    _framing("h02 crlf", b"\r\n"),
    _framing("h02 cr", b"\r"),
    _several_data_lines("h02 lines", b"\n"),
    _several_data_lines("h02 mixed ends", b"\r"),
    Stream("h02 like chunks", (raw(LIKE_CHUNKS), *words(["x"]), DONE)),
    _characters(),
    _usage_only_last(),
    _reasoning("h05 reasoning_content", "reasoning_content", {"content": None}),
    _reasoning("h05 reasoning", "reasoning", {}),
    _error("h06 vllm", event({"error": MESSAGE})),
    _error("h06 named", event({"detail": "engine gone"}, form=NAMED_ERROR)),
    NAMED,
    _error("h06 text", event({"error": "engine gone"}), None),
    Stream("h06 cut", (ROLE, *words(["one"]), raw(CUT)), error="without [DONE]"),
    Stream("page", (raw(b"<html><h1>502 Bad Gateway</h1></html>\n"),), error="502"),
    _sglang_chat(),
    _few_tokens("h07 zero", []),
    _few_tokens("h07 one", ["4"]),
    SHORT,
)
