"""Splits the bytes of a data file into JSON entries: a list, or one value a line. Pure.
A line that cannot be read is reported and costs nothing but itself."""

import codecs
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from specbench.errors import InputError
from specbench.schema.prompt import SkippedEntry

Placed = tuple[int, SkippedEntry]
"""A skipped entry with its position in the file, for sorting."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One JSON value of a data file."""

    position: int
    """Line or position in the list, from 1."""
    is_line: bool
    """Whether `position` is a line."""
    value: Any

    @property
    def where(self) -> str:
        """The place in words."""
        return f"line {self.position}" if self.is_line else f"entry {self.position}"


def split_entries(data: bytes, source: str) -> tuple[list[Entry], list[Placed]]:
    """The entries, and the lines that are none. A list that cannot be read to its end
    is an InputError with line and column: what is left of it is not what was saved."""
    data = data.removeprefix(codecs.BOM_UTF8)
    if _is_one_list(data):
        return _list_entries(data, source), []
    entries: list[Entry] = []
    broken: list[Placed] = []
    for number, outcome in _read_lines(data):
        if isinstance(outcome, SkippedEntry):
            broken.append((number, outcome))
        else:
            entries.append(outcome)
    return entries, broken


def _is_one_list(data: bytes) -> bool:
    """Whether the whole file is one list, not a list on each of several lines."""
    data = data.strip()
    first, newline, _ = data.partition(b"\n")
    return first[:1] == b"[" and not (newline and isinstance(_parse(first), Entry))


def _list_entries(data: bytes, source: str) -> list[Entry]:
    # Bytes that are no UTF-8 become lone surrogates, which the formats notice in the
    # texts that they use; elsewhere in the file they do no harm.
    text = data.decode("utf-8", errors="surrogateescape")
    try:
        values = json.loads(text)
        return [Entry(i, False, value) for i, value in enumerate(values, start=1)]
    except json.JSONDecodeError as error:
        raise InputError(
            f"{source}: line {error.lineno}, column {error.colno}:"
            f" not valid JSON: {error.msg}",
            "A list must be whole; was the download cut short?",
        ) from None
    except (ValueError, RecursionError) as error:
        raise InputError(f"{source}: not readable JSON: {error}") from None


def _read_lines(data: bytes) -> Iterator[tuple[int, Entry | SkippedEntry]]:
    # bytes.splitlines knows LF, CRLF and CR only; JSON texts may hold U+2028 raw.
    for number, line in enumerate(data.splitlines(), start=1):
        content = line.removeprefix(codecs.BOM_UTF8).strip()
        if content:
            yield number, _parse(content, number)


def _parse(line: bytes, number: int = 1) -> Entry | SkippedEntry:
    where = f"line {number}"
    try:
        return Entry(number, True, json.loads(line.decode("utf-8")))
    except UnicodeDecodeError as error:
        byte = line[error.start]
        reason = f"not valid UTF-8: byte 0x{byte:02x} at position {error.start + 1}"
    except json.JSONDecodeError as error:
        reason = f"not valid JSON: {error.msg} at column {error.colno}"
    except (ValueError, RecursionError) as error:
        reason = f"not readable JSON: {error}"
    return SkippedEntry(where, reason)
