"""A column of a CSV file: its name, which carries the unit, what it means and how it
is read off a row. Empty = missing, never NaN; floats in full precision."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from specbench.schema.metric import METRICS

Row = TypeVar("Row")
Scalar = str | int | float | bool | None
Value = Scalar | tuple[Scalar, ...] | dict[str, int]

UNIT_SUFFIXES = {
    "s": "_s",
    "tokens/s": "_tokens_per_s",
    "requests/s": "_requests_per_s",
}
"""Counts (requests, sequences, tokens) and pure numbers have no suffix."""
SUMMARY = {
    "mean": "mean",
    "p50": "median",
    "p90": "90th percentile",
    "p95": "95th percentile",
    "p99": "99th percentile",
}
"""Of a distribution: its fields, and what they are."""


@dataclass(frozen=True, slots=True)
class Column(Generic[Row]):
    """One column, documented."""

    name: str
    unit: str
    """Empty for words and pure numbers."""
    meaning: str
    read: Callable[[Row], Value]


def field(path: str) -> Callable[[object], Value]:
    """Reads `a.b.c` off a row; missing where any part of the way is."""

    def read(row: object) -> Value:
        value: Any = row
        for name in path.split("."):
            if value is None:
                return None
            value = getattr(value, name)
        return value  # type: ignore[no-any-return]  # the tests read every path

    return read


def metric_column(name: str, path: str = "") -> Column[Any]:
    """A column of a public metric: name, unit and meaning are the metric's."""
    metric = METRICS[name]
    suffix = UNIT_SUFFIXES.get(metric.unit, "")
    return Column(name + suffix, metric.unit, metric.meaning, field(path or name))


def write_value(value: Value) -> str:
    """One value as text, before quoting. Lists and counts by name are parted by `;`."""
    match value:
        case None:
            return ""
        case bool():
            return "true" if value else "false"
        case float():
            # a figure that is not a number is missing, whatever made it so
            return repr(value) if math.isfinite(value) else ""
        case tuple():
            return ";".join(write_value(member) for member in value)
        case dict():
            return ";".join(f"{name}={count}" for name, count in value.items())
        case _:
            return str(value)
