"""Keeps secrets out of recorded output: the key that was sent, wherever an engine may
repeat it, and what stands under a secret-looking name on a page, in a command line that
a page repeats, or in a log. Pure."""

import re
from collections.abc import Iterable
from typing import Any

import orjson

from specbench.store.secrets import (
    REDACTED,
    is_count,
    is_secret,
    redact_argv,
    redact_document,
    takes_several,
)

_NAME = re.compile(
    r"(?P<quote>\\*['\"])?(?<![\w-])(?P<flag>--?)?(?P<name>\w[\w-]*)"
    r"(?(quote)(?P=quote))"
    r"(?P<sign>[ \t]*[:=][ \t]*|(?(flag)(?:\s*,\s*|(?:[ \t]|\\\r?\n)+)(?!-)|(?!)))"
)
"""`NAME=`, `name: `, `'name': `, `\\"name\\": `, `--name `, `'--name', `; the value
follows."""
_QUOTED = r"(?P<mark>\\*['\"]).*?(?<!\\)(?P=mark)|\[[^\]]*\]|\{[^}]*\}"
_WORD = r"\S+?(?=[,;)}\]'\"\\]*(?:\s|$))"
_VALUE = re.compile(rf"{_QUOTED}|{_WORD}")
"""Of a command line or a log: to the next blank, for secrets hold any sign."""
_JSON_VALUE = re.compile(rf"{_QUOTED}|[^\s,}}\])]+")
"""Behind a quoted name."""
_NEXT_WORD = re.compile(r"(?:[ \t]|\\\r?\n)+(?![-|&;<>])\S+")
_LOGIN = re.compile(
    r"(?P<before>\bbearer[ \t]+"
    r"|\bauthorization\\*['\"]?[ \t]*[:=][ \t]*\\*['\"]?(?:\w+[ \t]+)?)"
    r"[^\s'\"\\,;)}\]]+",
    re.IGNORECASE,
)
"""`Bearer abc` anywhere, and what a header `Authorization` says."""
_URL_LOGIN = re.compile(r"(?<=://)[^\s/@]+(?=@)")
"""`https://somebody:secret@host`."""
_SURE = re.compile(
    r"api[_-]?key|(?:hf|access|auth)[_-]?token|secret|password|passwd|credential",
    re.IGNORECASE,
)
_PLAIN = re.compile(r"[-+]?[\d.]+[kKmM%]?|True|true")
"""`cached-token: 5`, `num_key_value_heads=8`: a secret only under a name that says
so."""
_EMPTY = frozenset({"None", "null", "''", '""', "[]", "{}", "False", "false", REDACTED})


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
    """A log or a command: values behind secret-looking names, what proves who asks, and
    `keys` wherever they stand."""
    text = _LOGIN.sub(lambda found: found["before"] + REDACTED, text)
    text = _URL_LOGIN.sub(REDACTED, text)
    return _without(_redact_named(text), keys)


def _redact_named(text: str) -> str:
    kept: list[str] = []
    at = 0
    for named in _NAME.finditer(text):
        if named.start() < at:
            continue
        is_json = bool(named["quote"]) and not named["flag"]
        value = (_JSON_VALUE if is_json else _VALUE).match(text, named.end())
        if value is None or not _is_hidden(named, value[0]):
            continue
        kept += [text[at : named.end()], REDACTED]
        at = value.end()
        if takes_several(f"--{named['name']}") and named["sign"].isspace():
            while word := _NEXT_WORD.match(text, at):
                at = word.end()
    return "".join([*kept, text[at:]])


def _is_hidden(named: re.Match[str], value: str) -> bool:
    name = named["name"]
    is_variable = named["sign"].strip() == "=" and not named["flag"]
    if value in _EMPTY or not is_secret(name, is_variable=is_variable):
        return False
    if _PLAIN.fullmatch(value) and not name.isupper() and not _SURE.search(name):
        return False
    return not is_count(name, value)


def _redact_texts(value: Any, keys: Iterable[str]) -> Any:
    if isinstance(value, str):
        return redact_log(value, keys)
    if isinstance(value, dict):
        return {name: _redact_texts(one, keys) for name, one in value.items()}
    if isinstance(value, list):
        if all(isinstance(one, str) for one in value):
            value = redact_argv(value)  # it may be a command line
        return [_redact_texts(one, keys) for one in value]
    return value


def _without(text: str, keys: Iterable[str]) -> str:
    for key in keys:
        if key:
            text = text.replace(key, REDACTED)
    return text
