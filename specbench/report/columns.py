"""A column of a CSV file: its name, which carries the unit, what it means and how it
is read off a row. Empty = missing, never NaN; floats in full precision."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from specbench.schema.metric import METRICS

Row = TypeVar("Row")
Value = str | int | float | bool | None

UNIT_SUFFIXES = {
    "s": "_s",
    "tokens/s": "_tokens_per_s",
    "requests/s": "_requests_per_s",
}
"""Counts (requests, sequences, tokens) and pure numbers have no suffix."""


@dataclass(frozen=True, slots=True)
class Column(Generic[Row]):
    """One column, documented."""

    name: str
    unit: str
    """Empty for words and pure numbers."""
    meaning: str
    read: Callable[[Row], Value]


def metric_column(name: str, read: Callable[[Row], Value]) -> Column[Row]:
    """A column of a public metric: name, unit and meaning are the metric's."""
    metric = METRICS[name]
    suffix = UNIT_SUFFIXES.get(metric.unit, "")
    return Column(name + suffix, metric.unit, metric.meaning, read)


def write_cell(value: Value) -> str:
    """One value as CSV text, before quoting."""
    match value:
        case None:
            return ""
        case bool():
            return "true" if value else "false"
        case float():
            # a figure that is not a number is missing, whatever made it so
            return repr(value) if math.isfinite(value) else ""
        case _:
            return str(value)


def join_floats(values: Sequence[float | None] | None) -> str | None:
    """A list in one field, parted by `;`; a missing member is empty."""
    if values is None:
        return None
    return ";".join(write_cell(value) for value in values)


def join_pairs(pairs: Mapping[str, object]) -> str:
    """`name=value` parted by `;`."""
    return ";".join(f"{name}={value}" for name, value in pairs.items())
