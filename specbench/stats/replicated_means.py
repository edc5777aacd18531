"""Column means of a replicated table, and the variance of any weighted sum of them.
Figures of one row share its deviation, so means of different columns are correlated."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from specbench.stats.mean_squares import MeanSquares, Rows, mean_squares


@dataclass(frozen=True, slots=True)
class Term:
    """A part of a variance, and the degrees of freedom behind it."""

    variance: float
    df: float


@dataclass(frozen=True, slots=True)
class ReplicatedMeans:
    """Means over the rows of a table, with its mean squares."""

    means: tuple[float | None, ...]
    """One a column; None where the column has no figure."""
    members: tuple[frozenset[int], ...]
    """Rows that have a figure in each column."""
    squares: MeanSquares

    @property
    def has_variance(self) -> bool:
        """Whether replicates, or knowledge of them, say how much they differ."""
        return self.squares.row_df > 0

    def variance_terms(self, weights: Mapping[int, float]) -> tuple[Term, ...]:
        """Of sum(weight x mean of the column).

        With n rows in column c, the row variance enters by A = sum over rows of
        (sum of w_c / n_c over the row's columns)^2, the cell variance by
        B = sum of w_c^2 / n_c; in mean squares A/per_row x row + (B - A/per_row) x
        cell. Without gaps and with weights w, 1 - w this is
        [row / J + (k - 1/J) cell] / R, k = w^2 + (1 - w)^2.
        """
        shares: dict[int, float] = {}
        by_cells = 0.0
        for column, weight in weights.items():
            rows = self.members[column]
            by_cells += weight * weight / len(rows)
            for row in rows:
                shares[row] = shares.get(row, 0.0) + weight / len(rows)
        by_rows = math.fsum(share * share for share in shares.values())
        squares = self.squares
        # with one column, rows and cells are one and the same
        part = by_rows / squares.per_row if squares.per_row else by_rows
        terms = [Term(part * squares.row, squares.row_df)]
        rest = max(0.0, by_cells - part)
        if rest and squares.cell_df:
            terms.append(Term(rest * squares.cell, squares.cell_df))
        return tuple(terms)


def replicated_means(
    rows: Rows,
    squares: MeanSquares | None = None,
) -> ReplicatedMeans:
    """Means of each column; `squares` where they are known better than from `rows`
    alone. All rows are equally long."""
    width = max((len(row) for row in rows), default=0)
    columns = [
        {r: v for r, row in enumerate(rows) if (v := row[c]) is not None}
        for c in range(width)
    ]
    return ReplicatedMeans(
        means=tuple(
            math.fsum(column.values()) / len(column) if column else None
            for column in columns
        ),
        members=tuple(frozenset(column) for column in columns),
        squares=mean_squares(rows) if squares is None else squares,
    )


def joined_df(terms: Sequence[Term]) -> float:
    """Degrees of freedom of a sum of variances (Satterthwaite 1946, "An Approximate
    Distribution of Estimates of Variance Components"); infinite where nothing
    varies."""
    total = math.fsum(term.variance for term in terms)
    parts = math.fsum(
        term.variance**2 / term.df for term in terms if term.variance and term.df > 0
    )
    return total**2 / parts if parts else math.inf
