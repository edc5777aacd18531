"""Damage that knows the structure: a document in which one field is left out, or has
another value or type, whatever the field."""

import json
from collections.abc import Iterator
from typing import Any

from tests.fuzz.streams import serialised

Path = tuple[str | int, ...]

ODD_VALUES: tuple[bytes, ...] = (
    b"null",
    b"true",
    b"0",
    b"-1",
    b"1.5",
    b"-0.0",
    b"1e400",
    b"NaN",
    b"2147483648",
    b"9223372036854775808",
    b"18446744073709551615",
    b"9" * 400,
    b'""',
    b'"text"',
    b'"7"',
    b'"\\ud83d"',
    b'"\\u0000"',
    b'"\xff"',
    b"[]",
    b"[null]",
    b"[[]]",
    b"{}",
    b'{"error":1}',
    b'{"message":{"a":["\\udc00"]}}',
    b'{"1":{"2":[3,null,"x"]}}',
    b"[" * 2000 + b"]" * 2000,
    b"[" * 900 + b"]" * 900,
    b'{"a":' * 300 + b"1" + b"}" * 300,
    b'{"a":' * 1000 + b"1" + b"}" * 1000,
)
"""As JSON text, because some of it is none."""

_MARK = "\u0001here\u0001"


def paths_of(document: Any, path: Path = ()) -> Iterator[Path]:
    """Every place in a document, the whole of it first."""
    yield path
    if isinstance(document, dict):
        for key, value in document.items():
            yield from paths_of(value, (*path, key))
    elif isinstance(document, list):
        for index, value in enumerate(document):
            yield from paths_of(value, (*path, index))


def with_value(document: Any, path: Path, value: bytes) -> bytes:
    """The document's text with `value` at that place."""
    marked = _changed(document, path)
    mark = json.dumps(_MARK).encode()
    return serialised(marked, escaped=True).replace(mark, value)


def without(document: Any, path: Path) -> bytes:
    """The document's text without that field."""
    copy = json.loads(json.dumps(document))
    parent = copy
    for step in path[:-1]:
        parent = parent[step]
    del parent[path[-1]]
    return serialised(copy, escaped=True)


def twice(document: Any, path: Path, value: bytes) -> bytes:
    """The document's text with a key that stands there two times."""
    text = with_value(document, path, value)
    whole = serialised(document, escaped=True)
    return whole[:-1] + b"," + text[1:] if whole[:1] == b"{" and path else text


def _changed(document: Any, path: Path) -> Any:
    if not path:
        return _MARK
    copy = json.loads(json.dumps(document))
    parent = copy
    for step in path[:-1]:
        parent = parent[step]
    parent[path[-1]] = _MARK
    return copy


def odd_documents(document: Any) -> Iterator[bytes]:
    """Every field with every odd value, and without it."""
    for path in paths_of(document):
        for value in ODD_VALUES:
            yield with_value(document, path, value)
        if path:
            yield without(document, path)
            yield twice(document, path, b"[7]")
