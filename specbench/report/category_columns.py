"""The columns of acceptance.csv, one row a cell and category of its data set. Scripts
read them: a name or a meaning, once published, does not change; new columns come at the
end."""

from collections.abc import Iterator
from dataclasses import dataclass

from specbench.report.cell_columns import DRAFT_FIGURES, KEY_COLUMNS
from specbench.report.columns import Column, field
from specbench.report.open_columns import OPEN_COLUMNS
from specbench.schema.acceptance import CategoryAcceptance
from specbench.schema.findings import CellStats, RunFindings
from specbench.schema.metric import METRICS


@dataclass(frozen=True, slots=True)
class CategoryRow:
    """One category of one cell."""

    cell: CellStats
    found: CategoryAcceptance


CategoryColumn = Column[CategoryRow]

RATE = next(c for c in OPEN_COLUMNS if c.name.startswith("request_rate"))


def category_rows(findings: RunFindings) -> Iterator[CategoryRow]:
    """In the order of the cells; none for cells whose server does not say."""
    for cell in findings.cells:
        for found in cell.acceptance_by_category or ():
            yield CategoryRow(cell, found)


def has_categories(findings: RunFindings) -> bool:
    """Whether any cell has acceptance by category."""
    return next(category_rows(findings), None) is not None


def _of_cell(column: Column[CellStats]) -> CategoryColumn:
    return Column(
        column.name, column.unit, column.meaning, lambda row: column.read(row.cell)
    )


def _of_category(name: str, unit: str, meaning: str, path: str) -> CategoryColumn:
    return Column(name, unit, meaning, field(f"found.{path}"))


CATEGORY_COLUMNS: tuple[CategoryColumn, ...] = (
    *map(_of_cell, (*KEY_COLUMNS, RATE)),
    _of_category(
        "category", "", "of the data set; empty where it has none", "category"
    ),
    _of_category(
        "requests", "requests", "those that the latencies are over", "requests"
    ),
    *[
        _of_category(name, unit, meaning, f"acceptance.{part}")
        for name, unit, meaning, part in DRAFT_FIGURES
    ],
    _of_category(
        "decode_tokens", "tokens", "output less each request's first", "decode_tokens"
    ),
    _of_category("steps", "", "steps of the target model that gave these", "steps"),
    _of_category(
        "tokens_per_step",
        "tokens",
        METRICS["tokens_per_step"].meaning,
        "tokens_per_step",
    ),
    _of_category(
        "request_length_n",
        "requests",
        "those that had a draft, so that they have an acceptance length of their own",
        "lengths.n",
    ),
    *[
        _of_category(
            f"request_length_{part}",
            "tokens",
            f"{words} of their acceptance lengths",
            f"lengths.{part}",
        )
        for part, words in (
            ("p10", "10th percentile"),
            ("p50", "median"),
            ("p90", "90th percentile"),
        )
    ],
)
