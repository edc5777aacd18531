"""cells.csv, speedups.csv, breakeven.csv, contexts.csv, acceptance.csv: tidy, every
figure, full precision, empty where there is none. What a column means is in COLUMNS,
from which the page of them is made."""

import csv
import io
from collections.abc import Iterable, Sequence
from typing import Any

from specbench.report.break_even_columns import BREAK_EVEN_COLUMNS
from specbench.report.category_columns import CATEGORY_COLUMNS, category_rows
from specbench.report.cell_columns import CELL_COLUMNS
from specbench.report.columns import Column, Row, write_value
from specbench.report.context_columns import CONTEXT_COLUMNS, context_rows
from specbench.report.facts import RunFacts
from specbench.report.speedup_columns import SPEEDUP_COLUMNS, speedup_rows
from specbench.report.target_columns import target_columns
from specbench.schema.findings import RunFindings

COLUMNS: dict[str, tuple[Column[Any], ...]] = {
    "cells.csv": CELL_COLUMNS,
    "speedups.csv": SPEEDUP_COLUMNS,
    "breakeven.csv": (*BREAK_EVEN_COLUMNS, *target_columns(None)),
    "contexts.csv": CONTEXT_COLUMNS,
    "acceptance.csv": CATEGORY_COLUMNS,
}
"""File name -> its columns, in order."""

PAGE_HEAD = """\
# Columns of the CSV files

Made from the tables in `specbench/report/`; do not edit by hand.

A name ends in its unit (`_s` seconds, `_tokens_per_s`, `_requests_per_s`); counts and
shares (0..1) have no suffix. An empty field is a missing figure, never a zero; the
column `missing` says why. Numbers are not rounded. `true` and `false` are written out.

The plain rule "first measured concurrency where the arm is slower" follows from
`cells.csv` alone: leave out rows with `void` = `true` and those without
`output_throughput_tokens_per_s`; take its geometric mean over the launches of each arm
at each load; divide the arm's by the baseline's; the first load where that is under 1
is the answer.
"""
ROWS = {
    "cells.csv": "one row a cell",
    "speedups.csv": "one row a metric, arm and load",
    "breakeven.csv": "one row a speedup curve",
    "contexts.csv": "one row an arm, metric and load, over two contexts or more",
    "acceptance.csv": "one row a cell and category of its data set",
}
_BAR = "\\|"
"""A bar inside a Markdown table."""


def cells_csv(findings: RunFindings) -> str:
    """Every cell with all of its figures."""
    return _write(CELL_COLUMNS, findings.cells)


def speedups_csv(findings: RunFindings) -> str:
    """Every speedup with its interval, and tokens per step against those needed."""
    return _write(SPEEDUP_COLUMNS, speedup_rows(findings.break_evens))


def breakeven_csv(findings: RunFindings, facts: RunFacts | None = None) -> str:
    """Every break-even with the measured loads beside it, and with what its target was
    where `facts` are given."""
    columns = (*BREAK_EVEN_COLUMNS, *target_columns(facts))
    return _write(columns, findings.break_evens)


def contexts_csv(findings: RunFindings) -> str:
    """Every break-even over the context, with the critical context of its arm."""
    return _write(CONTEXT_COLUMNS, context_rows(findings.over_context))


def acceptance_csv(findings: RunFindings) -> str:
    """Acceptance of every cell by category."""
    return _write(CATEGORY_COLUMNS, category_rows(findings))


def columns_markdown() -> str:
    """The page that explains the columns."""
    parts = [PAGE_HEAD]
    for name, columns in COLUMNS.items():
        parts.append(f"\n## {name}: {ROWS[name]}\n\n| column | unit | meaning |")
        parts.append("\n| --- | --- | --- |\n")
        parts += [
            f"| `{c.name}` | {c.unit} | {c.meaning.replace('|', _BAR)} |\n"
            for c in columns
        ]
    return "".join(parts)


def _write(columns: Sequence[Column[Row]], rows: Iterable[Row]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(column.name for column in columns)
    writer.writerows(
        [write_value(column.read(row)) for column in columns] for row in rows
    )
    return text.getvalue()
