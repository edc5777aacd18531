"""Keeps secrets out of recorded output: the key that was sent, wherever an engine may
repeat it, and what stands under a secret-looking name on a page, in a command line that
a page repeats, or in a log. Pure."""

import re
from collections.abc import Iterable
from typing import Any

import orjson

from specbench.store.secrets import REDACTED, redact_document

_NAMED = re.compile(
    r"(?P<name>(?:api[_-]?key|hf[_-]?token|access[_-]?token|auth[_-]?token"
    r"|secret|password|passwd)['\"]?(?:\s*[:=]\s*|\s+(?=['\"\w])))"
    r"(?P<value>\[[^\]]*\]|'[^']*'|\"[^\"]*\"|[^\s,;)}\]'\"]+)",
    re.IGNORECASE,
)
"""`--api-key abc`, `api_key='abc'`, `'api_key': ['abc']`."""
_EMPTY = frozenset({"None", "null", "''", '""', "[]", "False", "false", REDACTED})


def redact_page(body: bytes, keys: Iterable[str]) -> bytes:
    """A page: JSON by its names and inside its texts, anything else but for `keys` as
    it is. A page that holds no secret stays as it was sent, to the byte."""
    try:
        document = orjson.loads(body)
    except orjson.JSONDecodeError:
        text = body.decode("utf-8", "replace")
        public = _without(text, keys)
        return body if public == text else public.encode()
    cleaned = _redact_texts(redact_document(document), keys)
    return body if cleaned == document else orjson.dumps(cleaned)


def redact_log(text: str, keys: Iterable[str]) -> str:
    """A log: values behind secret-looking names, and `keys` wherever they stand."""

    def public(match: re.Match[str]) -> str:
        if match["value"] in _EMPTY:
            return match[0]
        return match["name"] + REDACTED

    return _without(_NAMED.sub(public, text), keys)


def _redact_texts(value: Any, keys: Iterable[str]) -> Any:
    if isinstance(value, str):
        return redact_log(value, keys)
    if isinstance(value, dict):
        return {name: _redact_texts(one, keys) for name, one in value.items()}
    if isinstance(value, list):
        return [_redact_texts(one, keys) for one in value]
    return value


def _without(text: str, keys: Iterable[str]) -> str:
    for key in keys:
        if key:
            text = text.replace(key, REDACTED)
    return text
