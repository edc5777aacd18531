"""A problem in a sweep file as a value: where and what. All problems of a file are
collected first and raised once, one a line, so that one look mends them all."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from specbench.errors import InputError

Place = tuple[str | int, ...]
"""Keys and list positions from the top of the file, e.g. ("load", "concurrency", 2)."""

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong."""

    place: Place
    """Empty: the file as a whole."""
    message: str
    source: str | None = None
    """What is at fault where it is not the file, e.g. `--set a.b=c`."""


def describe_place(place: Place) -> str:
    """`load.concurrency[2]`: dotted keys as TOML writes them, positions from 0."""
    words = ""
    for part in place:
        if isinstance(part, int):
            words += f"[{part}]"
        else:
            key = part if _BARE_KEY.fullmatch(part) else f'"{part}"'
            words += f".{key}" if words else key
    return words


def to_error(
    problems: Iterable[Problem], source: str, settings: Sequence[tuple[Place, str]] = ()
) -> InputError:
    """One error for all problems. `settings` are the places that the command line
    set, with the words that set them: a problem there is not the file's."""
    lines = dict.fromkeys(
        ": ".join(
            part
            for part in (
                problem.source or _source_of(problem.place, source, settings),
                describe_place(problem.place),
                problem.message,
            )
            if part
        )
        for problem in problems
    )
    return InputError("\n".join(lines), hint="Nothing has been started.")


def _source_of(place: Place, source: str, settings: Sequence[tuple[Place, str]]) -> str:
    for set_place, words in reversed(settings):
        if place[: len(set_place)] == set_place:
            return words
    return source
