"""Pydantic's findings in words for people: the key, what was expected, what stood
there. Several findings about one value (a union) become one."""

import datetime
import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from pydantic import ValidationError

from specbench.planning.problems import Place, Problem
from specbench.planning.spelling import explain_unknown
from specbench.schema.sweep import Document

_TYPES = {
    "string_type": "a string",
    "int_type": "a whole number",
    "float_type": "a number",
    "bool_type": "true or false",
    "list_type": "a list",
    "dict_type": "a table",
    "model_type": "a table",
}
_LIMITS: dict[str, Callable[[Mapping[str, Any]], str]] = {
    "greater_than_equal": lambda c: f"a number of at least {c['ge']:g}",
    "greater_than": lambda c: f"a number above {c['gt']:g}",
    "less_than_equal": lambda c: f"a number of at most {c['le']:g}",
    "too_short": lambda c: f"a list of at least {c['min_length']} entry",
    "string_too_long": lambda c: f"at most {c['max_length']} characters",
    "literal_error": lambda c: str(c["expected"]),
    "string_pattern_mismatch": lambda _: (
        "letters, digits, `.`, `_` and `-`, with a letter or a digit first"
    ),
}
_EXAMPLES = {
    "model": 'model = "meta-llama/Llama-3.1-8B-Instruct"',
    "engine": 'engine = "vllm"',
    "name": 'name = "ngram-k3"',
    "speculative": 'speculative = { method = "ngram", num_speculative_tokens = 3 }',
    "datasets": 'datasets = ["mt-bench-style"]',
    "concurrency": "concurrency = [1, 4, 16, 64]",
}


def explain(
    error: ValidationError, data: object, place: Place, model: type[Document]
) -> Iterator[Problem]:
    """Problems behind `error`, raised when `data`, found at `place`, was checked."""
    by_place: dict[Place, list[Mapping[str, Any]]] = {}
    for detail in error.errors(include_url=False):
        where = _existing(detail["loc"], data, detail["type"] == "missing")
        by_place.setdefault(where, []).append(dict(detail))
    for where, details in by_place.items():
        yield Problem((*place, *where), _message(details, where, model))


def _existing(loc: Place, data: object, is_missing: bool) -> Place:
    """`loc` without the members of a union that pydantic adds to it."""
    where: list[str | int] = []
    node: Any = data
    for part in loc:
        if isinstance(node, list):
            node = dict(enumerate(node))
        if isinstance(node, dict) and part in node:
            node = node[part]
        elif not is_missing:
            break
        where.append(part)
    return tuple(where)


def _message(
    details: list[Mapping[str, Any]], where: Place, model: type[Document]
) -> str:
    first = details[0]
    if first["type"] == "missing":
        example = _EXAMPLES.get(str(where[-1]))
        return f"is missing; expected e.g. `{example}`" if example else "is missing"
    if first["type"] == "extra_forbidden":
        return explain_unknown(str(where[-1]), model)
    expected = _join(list(dict.fromkeys(map(_expectation, details))))
    return f"expected {expected}, got {describe_value(first['input'])}"


def _join(options: list[str]) -> str:
    if "a number" in options and "a whole number" in options:
        options.remove("a whole number")
    *firsts, last = options
    return f"{', '.join(firsts)} or {last}" if firsts else last


def _expectation(detail: Mapping[str, Any]) -> str:
    kind = detail["type"]
    if kind in _TYPES:
        return _TYPES[kind]
    if kind in _LIMITS:
        return _LIMITS[kind](detail["ctx"])
    return str(detail["msg"])


def describe_value(value: object) -> str:
    """A value of a TOML file, short, as its writer would recognise it."""
    if isinstance(value, dict):
        return "a table"
    if isinstance(value, list):
        return "a list" if value else "an empty list"
    if isinstance(value, datetime.date | datetime.time):
        return f"the date or time {value}"
    if isinstance(value, str):
        shown = value if len(value) <= 60 else value[:57] + "..."
        return "the string " + json.dumps(shown, ensure_ascii=False)
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)
