"""The shortest ways through what nearly every read of a chat stream is: one event with
one piece of the answer and, where the server sends it, the running count. All else is
left to `completions`, which reads the same from the same bytes; tests hold that.

The events of one stream differ in the piece of text and in numbers only. So the first
one is read as JSON and becomes a template: its bytes up to the text, and a pattern for
the rest in which the text and every number are left open. What matches the template has
the same structure, byte for byte, and needs no JSON reader."""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import orjson

from specbench.schema.sample import Chunk
from specbench.wire.counts import HIGHEST
from specbench.wire.sse import DATA, is_one_plain_event

_RARE_KEYS = frozenset({"error", "metrics", "sglext"})
_REASONING_KEYS = frozenset({"reasoning", "reasoning_content"})
_NO_USAGE: dict[str, Any] = {"prompt_tokens": 0, "completion_tokens": 0}

_NUMBER = re.compile(rb"0|[1-9][0-9]*")
_OPEN_NUMBER = rb"(0|[1-9][0-9]{0,6})"
_OPEN_TEXT = rb'([^"\\\x00-\x1f]*)'
"""A text without escapes; one with them is read as JSON."""
_TEXT_KEY = b'"content":"'
_USAGE_KEY = b'"usage":{'
_ODD_NUMBER = re.compile(rb"[-+.eE][0-9]|[0-9][.eE]")
"""Of a number that is no plain integer; also found in texts, which does no harm."""
_ONCE = re.compile(rb'"content"\s*:')
_ONCE_WITH_USAGE = (
    _ONCE,
    re.compile(rb'"usage"\s*:'),
    re.compile(rb'"prompt_tokens"\s*:'),
    re.compile(rb'"completion_tokens"\s*:'),
)
_COUNT_KEY = re.compile(rb'"completion_tokens": ?\Z')
_PROMPT_KEY = re.compile(rb'"prompt_tokens": ?\Z')
MOST_TEMPLATES = 4
"""A stream whose events change more often is read as JSON throughout."""


class UsualChunks:
    """Reads the usual chunks of one stream."""

    def __init__(self) -> None:
        self.prompt_tokens: int | None = None
        """From the last event that said it."""
        self._prefix = b""
        self._pattern: re.Pattern[bytes] | None = None
        self._places = (0, 0)
        self._templates_left = MOST_TEMPLATES

    def read(self, data: bytes, instant_ns: int) -> Chunk | None:
        """The chunk that a read holds; None = it needs a closer look."""
        if self._pattern is not None and data.startswith(self._prefix):
            match = self._pattern.match(data, len(self._prefix))
            if match is not None:
                return self._take(match, instant_ns)
        return self._read_json(data, instant_ns)

    def _take(self, match: re.Match[bytes], instant_ns: int) -> Chunk | None:
        try:
            text = match[1].decode()
        except UnicodeDecodeError:
            return None
        count, prompt = self._places
        if not count:
            return Chunk(instant_ns, text, False, None)
        self.prompt_tokens = int(match[prompt])
        return Chunk(instant_ns, text, False, int(match[count]))

    def _read_json(self, data: bytes, instant_ns: int) -> Chunk | None:
        if not is_one_plain_event(data):
            return None
        try:
            body = orjson.loads(data[len(DATA) :])
            (choice,) = body["choices"]
            text = choice["delta"]["content"]
            usage = body.get("usage") or _NO_USAGE
            counts = usage["prompt_tokens"], usage["completion_tokens"]
            is_usual = _is_usual(body, choice) and type(text) is str
        except (ValueError, KeyError, TypeError, AttributeError):
            return None
        if not is_usual or not all(_is_count(count) for count in counts):
            return None
        has_usage = usage is not _NO_USAGE
        if self._templates_left and not data.startswith(self._prefix or b"\n"):
            self._templates_left -= 1
            self._make_template(data, has_usage=has_usage)
        if not has_usage:
            return Chunk(instant_ns, text, False, None)
        self.prompt_tokens = counts[0]
        return Chunk(instant_ns, text, False, counts[1])

    def _make_template(self, data: bytes, *, has_usage: bool) -> None:
        """Only from an event in which each key stands once, so that a place in the
        bytes is a place in the structure."""
        self._pattern = None
        if any(len(key.findall(data)) != 1 for key in _keys(has_usage=has_usage)):
            return
        before, key, behind = data.partition(_TEXT_KEY)
        end = behind.find(b'"')
        if not key or end < 0 or b"\\" in data or _ODD_NUMBER.search(behind, end):
            return
        rest = _rest_pattern(tuple(_NUMBER.split(behind[end:])))
        if rest is None or rest.has_usage != has_usage:
            return
        self._prefix = before + key
        self._pattern = rest.pattern
        self._places = rest.places


@dataclass(frozen=True, slots=True)
class _Rest:
    """What follows the text's key in the events of a stream."""

    pattern: re.Pattern[bytes]
    has_usage: bool
    places: tuple[int, int]
    """Groups of the running count and of the prompt's tokens."""


@lru_cache(maxsize=64)
def _rest_pattern(literals: tuple[bytes, ...]) -> _Rest | None:
    """All streams of a server share it: `literals` stand between the numbers."""
    counts = [i for i, part in enumerate(literals) if _COUNT_KEY.search(part)]
    prompts = [i for i, part in enumerate(literals) if _PROMPT_KEY.search(part)]
    has_usage = any(_USAGE_KEY in part for part in literals)
    if len(counts) != has_usage or len(prompts) != has_usage:
        return None
    numbers = _OPEN_NUMBER.join(re.escape(part) for part in literals)
    return _Rest(
        pattern=re.compile(_OPEN_TEXT + numbers + rb"\Z"),
        has_usage=has_usage,
        # group 1 is the text, so number i of the rest is group i + 2
        places=(counts[0] + 2, prompts[0] + 2) if has_usage else (0, 0),
    )


def _keys(*, has_usage: bool) -> tuple[re.Pattern[bytes], ...]:
    """What must stand once in a template, wherever."""
    return _ONCE_WITH_USAGE if has_usage else (_ONCE,)


def _is_usual(body: dict[str, Any], choice: dict[str, Any]) -> bool:
    """Nothing in it that only `completions` knows what to do with."""
    return (
        choice.get("finish_reason") is None
        and body.get("object") != "error"
        and "text" not in choice
        and _RARE_KEYS.isdisjoint(body)
        and _REASONING_KEYS.isdisjoint(choice["delta"])
    )


def _is_count(value: object) -> bool:
    return type(value) is int and 0 <= value <= HIGHEST
