"""What a row of a file of points means: its columns, and what may stand in them. A
field that is wrong is a problem with the column's name; an empty one is missing."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from specbench.schema.comparison import SpeedupMetric
from specbench.schema.point import (
    BASELINE_ARM,
    BASELINE_DRAFTER,
    Point,
    PointArm,
    PointForm,
    Setting,
)

SETTING_COLUMNS = (
    "source", "gpu", "engine", "engine_version", "model", "weights", "kv_cache",
    "dataset", "context",
)  # fmt: skip
ARM_COLUMNS = ("drafter", "k", "arm")
FIGURES: dict[PointForm, dict[str, SpeedupMetric]] = {
    PointForm.MEASURED: {
        "output_tok_s": SpeedupMetric.THROUGHPUT,
        "median_tpot_ms": SpeedupMetric.TPOT,
        "p95_tpot_ms": SpeedupMetric.TPOT_P95,
    },
    PointForm.SPEEDUPS: {
        "throughput_speedup": SpeedupMetric.THROUGHPUT,
        "tpot_speedup": SpeedupMetric.TPOT,
        "p95_tpot_speedup": SpeedupMetric.TPOT_P95,
    },
}
ONLY_IN = {PointForm.MEASURED: ("replicate",), PointForm.SPEEDUPS: ("note",)}
FOR_PEOPLE = (
    "median_itl_ms", "median_ttft_ms", "acceptance_length", "acceptance_rate",
    "output_tokens", "duration_s",
)  # fmt: skip
"""Known, and nothing is made of them. The usual ITL is the time between chunks, which
with speculation hold several tokens: no time per token."""

LEAST_FIGURE, MOST_FIGURE = 1e-3, 1e7
MOST_WHOLE = 10**9
_DECIMAL = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,3})?", re.ASCII)

T = TypeVar("T")


class BadFieldError(ValueError):
    """What is wrong with one field, in words."""


@dataclass(slots=True)
class Row:
    """The fields of one row by column, and what was found wrong with them."""

    fields: Mapping[str, str]
    """A column that the file has not is empty."""
    problems: list[tuple[str, str]] = field(default_factory=list)
    """Column and what is wrong."""

    def text(self, column: str) -> str:
        """As it stands there, without the spaces around it."""
        return self.fields.get(column, "")

    def read(self, column: str, parse: Callable[[str], T]) -> T | None:
        """None where the field is empty or wrong."""
        text = self.text(column)
        if not text:
            return None
        try:
            return parse(text)
        except BadFieldError as bad:
            self.problems.append((column, str(bad)))
            return None

    def require(self, column: str, parse: Callable[[str], T]) -> T | None:
        """Like `read`; an empty field is a problem too."""
        if not self.text(column):
            self.problems.append((column, "is empty"))
        return self.read(column, parse)


def columns_of(form: PointForm) -> tuple[str, ...]:
    """Every column that a file of this form may have."""
    return (
        *SETTING_COLUMNS,
        *ARM_COLUMNS,
        form.load,
        *ONLY_IN[form],
        *FIGURES[form],
        *FOR_PEOPLE,
    )


def read_point(row: Row, form: PointForm) -> Point | None:
    """The point of a row; None where something is wrong with it."""
    for column in (*SETTING_COLUMNS, *ARM_COLUMNS, "note"):
        if not row.text(column).isprintable():
            row.problems.append((column, "holds characters that cannot be printed"))
    arm = _read_arm(row, form)
    load = row.require(form.load, whole_above_zero)
    replicate = row.read("replicate", whole) or 0
    context = row.read("context", whole_above_zero)
    figures = {
        metric: value
        for column, metric in FIGURES[form].items()
        if (value := row.read(column, figure)) is not None
    }
    if row.problems or arm is None or load is None:
        return None
    words = {name: row.text(name) for name in SETTING_COLUMNS if name != "context"}
    note = row.text("note") if form is PointForm.SPEEDUPS else ""
    return Point(
        setting=Setting(**words, context=context, note=note),
        arm=arm,
        load=load,
        replicate=replicate if form is PointForm.MEASURED else 0,
        figures=figures,
    )


def _read_arm(row: Row, form: PointForm) -> PointArm | None:
    drafter = row.require("drafter", str)
    if drafter is None:
        return None
    if drafter.lower() != BASELINE_DRAFTER:
        return PointArm(drafter, row.text("k"), row.text("arm"))
    if form is PointForm.SPEEDUPS:
        said = f"is `{drafter}`: a ready speedup is that of a drafter"
        row.problems.append(("drafter", said))
    if row.text("k") not in ("", "0"):
        said = f"is {row.text('k')!r} in a row with drafter `{drafter}`"
        row.problems.append(("k", said))
    return BASELINE_ARM


def figure(text: str) -> float:
    """A number above zero, within what any engine can reach."""
    value = _number(text)
    if not LEAST_FIGURE <= value <= MOST_FIGURE:
        raise BadFieldError(
            f"is {text}: expected a number above zero"
            f" ({LEAST_FIGURE:g} to {MOST_FIGURE:g})"
        )
    return value


def whole(text: str) -> int:
    """A whole number from 0, also one written `8.0`."""
    value = _number(text)
    if not (value.is_integer() and 0 <= value <= MOST_WHOLE):
        raise BadFieldError(f"is {text}: expected a whole number, 0 or more")
    return int(value)


def whole_above_zero(text: str) -> int:
    """Requests, tokens."""
    value = _number(text)
    if not (value.is_integer() and 1 <= value <= MOST_WHOLE):
        raise BadFieldError(f"is {text}: expected a whole number, 1 or more")
    return int(value)


def _number(text: str) -> float:
    if not _DECIMAL.fullmatch(text):
        # a sheet's `NA` or `-` is not a missing figure: nobody knows what it says
        raise BadFieldError(f"is {text!r}, not a number; leave missing figures empty")
    return float(text)
