"""Answers from points as CSV, one row an answer: what is known of the setting, then the
columns of breakeven.csv from `metric` on. Scripts read them: a name or a meaning, once
published, does not change; new columns come at the end."""

import csv
import io

from specbench.report.break_even_columns import BREAK_EVEN_COLUMNS
from specbench.report.break_even_reads import BreakEvenColumn
from specbench.report.columns import Column, field, write_value
from specbench.report.points_words import said
from specbench.schema.point import PointAnswer, PointFindings, PointForm

PointColumn = Column[PointAnswer]
OF_THE_SETTING = ("target", "arm", "dataset", "context", "temperature")
"""Columns of breakeven.csv that say less here than the setting does."""


def _plain(name: str, meaning: str, path: str, unit: str = "") -> PointColumn:
    return Column(name, unit, meaning, field(path))


SETTING_COLUMNS: tuple[PointColumn, ...] = (
    *(
        _plain(name, "as the file gives it; empty = not given", f"setting.{name}")
        for name in (
            "source", "gpu", "engine", "engine_version", "model", "weights",
            "kv_cache", "dataset",
        )
    ),
    _plain(
        "context",
        "prompt tokens; empty = not given, or the answer is over the context",
        "setting.context",
        "tokens",
    ),
    _plain("condition", "of ready speedups: their `note`", "setting.note"),
    _plain("drafter", "as the file gives it", "arm.drafter"),
    _plain("k", "draft tokens, as the file gives them", "arm.k"),
    _plain("arm", "the arm's name", "arm.name"),
    _plain("load", "of an answer over the context: at which load", "load"),
    _plain(
        "critical",
        "of an answer over the context: whether and where speedup begins to grow with"
        " the load",
        "critical.outcome",
    ),
    _plain(
        "critical_below",
        "largest context at which speedup falls with the load",
        "critical.below",
        "tokens",
    ),
    _plain(
        "critical_above",
        "smallest context at which it grows",
        "critical.above",
        "tokens",
    ),
)  # fmt: skip


def _of_break_even(column: BreakEvenColumn) -> PointColumn:
    return Column(
        column.name,
        column.unit,
        column.meaning,
        lambda answer: column.read(answer.break_even),
    )


BREAK_EVENS: tuple[PointColumn, ...] = tuple(
    _of_break_even(column)
    for column in BREAK_EVEN_COLUMNS
    if column.name not in OF_THE_SETTING
)


def point_columns(form: PointForm) -> tuple[PointColumn, ...]:
    """All columns; the two that depend on the form are filled by it."""
    load: PointColumn = Column(
        "load_is",
        "",
        "what the columns of concurrency hold: `concurrency`, or `batch` as the source"
        " gives it",
        lambda _: form.load,
    )
    answer: PointColumn = Column(
        "answer", "", "the outcome in words", lambda row: said(row, form)
    )
    return (*SETTING_COLUMNS, load, answer, *BREAK_EVENS)


def points_csv(findings: PointFindings) -> str:
    """Every answer, unrounded."""
    columns = point_columns(findings.form)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(column.name for column in columns)
    writer.writerows(
        [write_value(column.read(answer)) for column in columns]
        for answer in (*findings.answers, *findings.over_context)
    )
    return text.getvalue()
