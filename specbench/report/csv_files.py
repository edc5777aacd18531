"""cells.csv and breakeven.csv: tidy, every figure, full precision, empty where there
is none. What a column means is in COLUMNS, from which the page of them is made."""

import csv
import io
from collections.abc import Iterable, Sequence
from typing import Any

from specbench.report.break_even_columns import BREAK_EVEN_COLUMNS
from specbench.report.cell_columns import CELL_COLUMNS
from specbench.report.columns import Column, Row, write_value
from specbench.schema.findings import RunFindings

COLUMNS: dict[str, tuple[Column[Any], ...]] = {
    "cells.csv": CELL_COLUMNS,
    "breakeven.csv": BREAK_EVEN_COLUMNS,
}
"""File name -> its columns, in order."""

PAGE_HEAD = """\
# Columns of the CSV files

Made from the tables in `specbench/report/`; do not edit by hand.

A name ends in its unit (`_s` seconds, `_tokens_per_s`, `_requests_per_s`); counts and
shares (0..1) have no suffix. An empty field is a missing figure, never a zero; the
column `missing` says why. Numbers are not rounded. `true` and `false` are written out.

The plain rule "first measured concurrency where the arm is slower" follows from
`cells.csv` alone: leave out rows with `void` = `true`; for each load divide the arm's
`output_throughput_tokens_per_s` by the baseline's of the same `replicate`; take the
geometric mean of these ratios; the first load where it is under 1 is the answer.
"""
ROWS = {"cells.csv": "one row a cell", "breakeven.csv": "one row a speedup curve"}
_BAR = "\\|"
"""A bar inside a Markdown table."""


def cells_csv(findings: RunFindings) -> str:
    """Every cell with all of its figures."""
    return _write(CELL_COLUMNS, findings.cells)


def breakeven_csv(findings: RunFindings) -> str:
    """Every break-even with the measured loads beside it."""
    return _write(BREAK_EVEN_COLUMNS, findings.break_evens)


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
