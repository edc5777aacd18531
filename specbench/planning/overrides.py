"""`--set a.b=c`: one value of the sweep file replaced from the command line, before
the file is checked, so that it is checked like everything else."""

import re
import tomllib
from collections.abc import Sequence
from typing import Any

from specbench.planning.problems import Place, Problem, describe_place

_PART = re.compile(
    r"""(?:^|(?!^)\.)(?:"([^"]*)"|'([^']*)'|([^.\[\]"'\s]+))|(?!^)\[([0-9]+)\]"""
)
_SINGLE_AND_LIST = {"target": "targets", "targets": "target"}

Table = dict[str, Any]


def apply_overrides(
    document: Table, overrides: Sequence[str]
) -> tuple[list[tuple[Place, str]], list[Problem]]:
    """Changes `document` in place. Returns the places that were set, each with the
    words that set it, and the overrides that could not be applied."""
    settings: list[tuple[Place, str]] = []
    problems: list[Problem] = []
    for override in overrides:
        words = f"--set {override}"
        key, equals, value = override.partition("=")
        parts = split_key(key.strip())
        if not equals or not parts:
            message = "expected KEY=VALUE, e.g. `measure.replicates=1`"
            problems.append(Problem((), message, words))
            continue
        place, obstacle = _put(document, parts, parse_value(value.strip()))
        if obstacle:
            problems.append(Problem((), obstacle, words))
        else:
            settings.append((place, words))
    return settings, problems


def split_key(key: str) -> list[str]:
    """Parts of a dotted key, quotes as in TOML; a list position is a part of digits
    (`arms.0.name` or `arms[0].name`). Empty when the key is malformed."""
    parts: list[str] = []
    position = 0
    while position < len(key):
        match = _PART.match(key, position)
        if match is None:
            return []
        parts.append(next(part for part in match.groups() if part is not None))
        position = match.end()
    return parts


def parse_value(text: str) -> object:
    """The value as TOML would read it, else the text itself, so that plain words need
    no quotes."""
    try:
        parsed = tomllib.loads(f"value = {text}")
    except ValueError:
        return text
    return parsed["value"] if len(parsed) == 1 else text


def _put(document: Table, parts: list[str], value: object) -> tuple[Place, str]:
    """Puts the value; returns its place and an empty string, or what is in the way."""
    other = _SINGLE_AND_LIST.get(parts[0])
    if other and other in document and parts[0] not in document:
        example = "target.port" if other == "target" else "targets.0.port"
        return (), f"the file has `{other}`, so write e.g. `{example}=8123`"
    node: Any = document
    place: Place = ()
    for i, part in enumerate(parts):
        is_last = i == len(parts) - 1
        if isinstance(node, dict):
            key: str | int = part
            if not is_last:
                node.setdefault(part, {})
        elif isinstance(node, list):
            if not part.isdecimal() or int(part) >= len(node):
                return (), _no_such_entry(place, part, len(node))
            key = int(part)
        else:
            return (), f"{describe_place(place)} is not a table"
        place = (*place, key)
        if is_last:
            node[key] = value
        else:
            node = node[key]
    return place, ""


def _no_such_entry(place: Place, part: str, length: int) -> str:
    name = describe_place(place)
    if length == 0:
        return f"{name} is an empty list; set it whole"
    return f"{name} is a list: expected a position from 0 to {length - 1}, got `{part}`"
