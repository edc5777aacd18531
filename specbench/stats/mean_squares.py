"""Replicates of a row of figures: how much whole replicates differ, and how much single
figures do beyond that. A two-way table without interaction, rows random; figures may be
absent anywhere."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

Rows = Sequence[Sequence[float | None]]
"""One row a replicate, one column a place; None = no figure."""

_CLOSE = 1e-13
_SWEEPS = 10_000


@dataclass(frozen=True, slots=True)
class MeanSquares:
    """The analysis of variance of such a table.

    E[cell] = cell variance; E[row] = cell variance + per_row x row variance.
    """

    row: float
    row_df: float
    cell: float
    cell_df: float
    per_row: float
    """Figures of a row, as far as they tell of it; without gaps, all columns."""

    @property
    def row_variance(self) -> float:
        """Estimated variance between rows, never below zero."""
        if self.per_row <= 0:
            return 0.0
        return max(0.0, (self.row - self.cell) / self.per_row)


def mean_squares(rows: Rows) -> MeanSquares:
    """Sums of squares of rows after columns, and of what both leave (Searle 1971,
    "Linear Models", chapter 10: Henderson's method 3). With every figure there these
    are the mean squares of the balanced two-way table."""
    cells = [
        (r, c, value)
        for r, row in enumerate(rows)
        for c, value in enumerate(row)
        if value is not None
    ]
    used_rows, used_columns = {r for r, _, _ in cells}, {c for _, c, _ in cells}
    groups = _connected(cells)
    row_df = len(used_rows) - groups
    cell_df = len(cells) - len(used_rows) - len(used_columns) + groups
    after_columns = _without_means(cells, 1)
    left = after_columns
    if row_df > 0:
        left = _without_both(after_columns)
    all_squares, cell_squares = _squares(after_columns), _squares(left)
    row_squares = max(0.0, all_squares - cell_squares)
    told = len(cells) - len(used_columns)
    return MeanSquares(
        row=row_squares / row_df if row_df else 0.0,
        row_df=row_df,
        cell=cell_squares / cell_df if cell_df else 0.0,
        cell_df=cell_df,
        per_row=told / row_df if row_df else 0.0,
    )


def join(own: MeanSquares, other: MeanSquares) -> MeanSquares:
    """Two estimates of the same variances as one, each weighted by its degrees of
    freedom. The other table may have had more or fewer columns: its row variance is
    what counts, seen with as many columns as the own table has (with no own rows to
    go by: with as many as the other)."""
    per_row = own.per_row or other.per_row
    other = replace(
        other, row=other.cell + per_row * other.row_variance, per_row=per_row
    )
    row_df, cell_df = own.row_df + other.row_df, own.cell_df + other.cell_df
    return MeanSquares(
        row=_weighted(own.row, own.row_df, other.row, other.row_df),
        row_df=row_df,
        cell=_weighted(own.cell, own.cell_df, other.cell, other.cell_df),
        cell_df=cell_df,
        per_row=per_row,
    )


def _weighted(a: float, a_df: float, b: float, b_df: float) -> float:
    return (a * a_df + b * b_df) / (a_df + b_df) if a_df + b_df else 0.0


_Cell = tuple[int, int, float]


def _without_means(cells: Sequence[_Cell], axis: int) -> list[_Cell]:
    """The cells less the mean of their row (axis 0) or column (axis 1)."""
    groups: dict[int, list[float]] = {}
    for cell in cells:
        groups.setdefault((cell[0], cell[1])[axis], []).append(cell[2])
    means = {key: math.fsum(values) / len(values) for key, values in groups.items()}
    return [(r, c, value - means[(r, c)[axis]]) for r, c, value in cells]


def _without_both(cells: list[_Cell]) -> list[_Cell]:
    """Residuals of the additive fit by least squares: rows and columns are swept in
    turn until nothing changes. One round is exact where no figure is absent."""
    scale = max((abs(value) for _, _, value in cells), default=0.0)
    for _ in range(_SWEEPS):
        swept = _without_means(_without_means(cells, 0), 1)
        change = max(
            (abs(a[2] - b[2]) for a, b in zip(cells, swept, strict=True)), default=0.0
        )
        cells = swept
        if change <= _CLOSE * scale:
            break
    return cells


def _squares(cells: Sequence[_Cell]) -> float:
    return math.fsum(value * value for _, _, value in cells)


def _connected(cells: Sequence[_Cell]) -> int:
    """Groups of rows that share no column with another group: between them nothing
    can be compared."""
    parent: dict[tuple[str, int], tuple[str, int]] = {}

    def root(node: tuple[str, int]) -> tuple[str, int]:
        parent.setdefault(node, node)
        while parent[node] != node:
            node = parent[node]
        return node

    for r, c, _ in cells:
        parent[root(("row", r))] = root(("column", c))
    return len({root(node) for node in list(parent)})
