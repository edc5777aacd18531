"""The analysis of variance of replicated rows: by hand where nothing is absent, against
least squares where something is, and against the truth of simulated rows."""

import math
from random import Random

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from specbench.stats.mean_squares import MeanSquares, join, mean_squares
from tests.unit.stats.simulated import Table, gappy_tables, noisy_table, with_gaps

Matrix = np.ndarray[tuple[int, ...], np.dtype[np.float64]]


def test_a_full_table_is_the_two_way_analysis_worked_by_hand() -> None:
    """Row means 4, 7, 7; column means 5, 8, 5; all 6. Rows: 3 x (4 + 1 + 1) = 18 over
    2. Left by rows and columns: 0 -1 1, 0 0 0, 0 1 -1, so 4 over 4."""
    found = mean_squares([(3.0, 5.0, 4.0), (6.0, 9.0, 6.0), (6.0, 10.0, 5.0)])
    assert (found.row, found.row_df) == pytest.approx((9.0, 2))
    assert (found.cell, found.cell_df) == pytest.approx((1.0, 4))
    assert found.per_row == 3
    assert found.row_variance == pytest.approx(8 / 3)


def test_two_launches_at_one_load_are_a_plain_variance() -> None:
    found = mean_squares([(1.0,), (2.0,), (6.0,)])
    assert (found.row, found.row_df) == pytest.approx((7.0, 2))
    assert (found.cell, found.cell_df) == (0.0, 0)
    assert found.per_row == 1


def test_a_figure_that_is_absent_leaves_what_can_still_be_compared() -> None:
    """Both rows have the first column only: all that is known is its variance,
    (3 - 1)^2 / 2."""
    found = mean_squares([(1.0, 5.0), (3.0, None)])
    assert (found.row, found.row_df, found.per_row) == pytest.approx((2.0, 1, 1))
    assert found.cell_df == 0


@pytest.mark.parametrize(
    "rows",
    [
        [],
        [()],
        [(1.0, 2.0, 3.0)],
        [(None, None)],
        [(1.0, None), (None, 2.0)],
        [(1.0, 2.0), (None, None)],
    ],
)
def test_rows_without_a_shared_column_say_nothing_of_their_differences(
    rows: Table,
) -> None:
    found = mean_squares(rows)
    assert (found.row, found.row_df, found.cell_df) == (0.0, 0, 0)
    assert found.row_variance == 0


def by_least_squares(rows: Table) -> tuple[float, int, float, int, float]:
    """Sums of squares of rows after columns, and of the rest, with their degrees of
    freedom and the trace of what columns leave of the rows' pattern."""
    cells = [(r, c, v) for r, row in enumerate(rows) for c, v in enumerate(row)]
    seen = [(r, c, v) for r, c, v in cells if v is not None]
    values = np.array([v for _, _, v in seen])
    of_rows = np.zeros((len(seen), len(rows)))
    of_columns = np.zeros((len(seen), len(rows[0])))
    for i, (r, c, _) in enumerate(seen):
        of_rows[i, r] = of_columns[i, c] = 1.0

    def left(pattern: Matrix) -> float:
        fitted = pattern @ np.linalg.lstsq(pattern, values, rcond=None)[0]
        return float(((values - fitted) ** 2).sum())

    both = np.hstack([of_columns, of_rows])
    ranks = [int(np.linalg.matrix_rank(p)) for p in (of_columns, both)]
    freed = np.eye(len(seen)) - of_columns @ np.linalg.pinv(of_columns)
    trace = float(np.trace(of_rows.T @ freed @ of_rows))
    rest = left(both)
    return (
        left(of_columns) - rest,
        ranks[1] - ranks[0],
        rest,
        len(seen) - ranks[1],
        trace,
    )


@given(gappy_tables())
def test_with_any_figures_absent_it_is_the_fit_by_least_squares(rows: Table) -> None:
    assume(any(v is not None for row in rows for v in row))
    row_squares, row_df, cell_squares, cell_df, trace = by_least_squares(rows)
    found = mean_squares(rows)
    assert (found.row_df, found.cell_df) == (row_df, cell_df)
    assert found.row * row_df == pytest.approx(row_squares, abs=1e-8)
    assert found.cell * cell_df == pytest.approx(cell_squares, abs=1e-8)
    assert found.per_row * row_df == pytest.approx(trace if row_df else 0, abs=1e-8)


def test_a_long_chain_of_rows_is_fitted_to_the_end() -> None:
    """Each row shares one column with the next: the sweeps creep along it. The rows
    are a staircase of 1, so nothing is left."""
    length = 24
    rows = [
        tuple(float(r) if c in (r, r + 1) else None for c in range(length + 1))
        for r in range(length)
    ]
    found = mean_squares(rows)
    assert (found.row_df, found.cell_df) == (length - 1, 0)
    row_squares, *_ = by_least_squares(tuple(rows))
    assert found.row * found.row_df == pytest.approx(row_squares, rel=1e-6)


@given(gappy_tables(), st.randoms(use_true_random=False))
def test_neither_rows_nor_columns_have_an_order(rows: Table, random: Random) -> None:
    order = random.sample(range(len(rows[0])), len(rows[0]))
    turned = [tuple(row[c] for c in order) for row in rows]
    random.shuffle(turned)
    assert_alike(mean_squares(turned), mean_squares(rows))


@given(gappy_tables(), st.lists(st.floats(-5, 5), min_size=6, max_size=6))
def test_what_a_column_is_at_changes_nothing(rows: Table, shifts: list[float]) -> None:
    moved = tuple(
        tuple(None if v is None else v + shifts[c] for c, v in enumerate(row))
        for row in rows
    )
    assert_alike(mean_squares(moved), mean_squares(rows))


@given(gappy_tables(), st.floats(0.1, 10))
def test_mean_squares_go_with_the_square_of_the_unit(
    rows: Table, factor: float
) -> None:
    scaled = [tuple(None if v is None else v * factor for v in row) for row in rows]
    there, here = mean_squares(scaled), mean_squares(rows)
    assert there.row == pytest.approx(here.row * factor**2, abs=1e-8)
    assert there.cell == pytest.approx(here.cell * factor**2, abs=1e-8)
    assert (there.row_df, there.cell_df) == (here.row_df, here.cell_df)


@given(gappy_tables())
def test_a_row_or_a_column_without_figures_adds_nothing(rows: Table) -> None:
    width = len(rows[0])
    wider = [(*row, None) for row in rows]
    taller = [*wider, (None,) * (width + 1)]
    assert_alike(mean_squares(taller), mean_squares(rows))


@given(gappy_tables())
def test_mean_squares_and_the_row_variance_are_never_negative(rows: Table) -> None:
    found = mean_squares(rows)
    assert min(found.row, found.cell, found.row_variance, found.per_row) >= 0
    assert min(found.row_df, found.cell_df) >= 0


def assert_alike(a: MeanSquares, b: MeanSquares) -> None:
    assert (a.row_df, a.cell_df) == (b.row_df, b.cell_df)
    assert (a.row, a.cell, a.per_row) == pytest.approx(
        (b.row, b.cell, b.per_row), abs=1e-8
    )


GAPS = (
    (True, True, True, True, False),
    (True, False, True, True, True),
    (False, True, True, False, True),
    (True, True, False, False, False),
)


def test_on_average_they_are_what_the_rows_were_made_with() -> None:
    """E[cell] is the cell variance; E[row] is that plus per_row row variances; also
    with gaps. Within four standard errors of 2,000 tables."""
    random, deviations = Random(11), (0.8, 0.5)
    found = [
        mean_squares(
            with_gaps(noisy_table(random, (0, 1, 2, 3, 4), 4, deviations), GAPS)
        )
        for _ in range(2_000)
    ]
    assert {(m.row_df, m.cell_df) for m in found} == {(3, 5)}
    expected_cell = 0.5**2
    expected_row = 0.5**2 + found[0].per_row * 0.8**2
    for values, expected in (
        ([m.cell for m in found], expected_cell),
        ([m.row for m in found], expected_row),
    ):
        mean = math.fsum(values) / len(values)
        spread = math.fsum((v - mean) ** 2 for v in values) / len(values)
        assert abs(mean - expected) < 4 * math.sqrt(spread / len(values))


KNOWN = MeanSquares(row=9.0, row_df=4, cell=1.0, cell_df=16, per_row=4)


def test_joined_with_nothing_it_stays_what_it_is() -> None:
    nothing = MeanSquares(0.0, 0, 0.0, 0, 0)
    assert join(KNOWN, nothing) == KNOWN
    assert join(nothing, KNOWN) == KNOWN


def test_joined_estimates_weigh_by_their_degrees_of_freedom() -> None:
    own = MeanSquares(row=3.0, row_df=1, cell=2.0, cell_df=4, per_row=4)
    found = join(own, KNOWN)
    assert (found.row, found.row_df) == pytest.approx(((3 + 4 * 9) / 5, 5))
    assert (found.cell, found.cell_df) == pytest.approx(((2 * 4 + 16) / 20, 20))


def test_another_number_of_columns_is_translated_by_the_row_variance() -> None:
    """KNOWN has a row variance of (9 - 1) / 4 = 2; with ten columns its row mean
    square would be 1 + 10 x 2."""
    own = MeanSquares(row=21.0, row_df=2, cell=1.0, cell_df=18, per_row=10)
    found = join(own, KNOWN)
    assert found.per_row == 10
    assert found.row == pytest.approx(21.0)
    assert found.row_variance == pytest.approx(2.0)


@given(
    st.floats(0.01, 10),
    st.floats(0.01, 10),
    st.integers(1, 5),
    st.integers(1, 5),
)
def test_a_joined_mean_square_lies_between_the_two(
    a: float, b: float, a_df: int, b_df: int
) -> None:
    one = MeanSquares(a, a_df, a, a_df, 3)
    other = MeanSquares(b, b_df, b, b_df, 3)
    found = join(one, other)
    low, high = sorted((a, b))
    assert low * (1 - 1e-12) <= found.cell <= high * (1 + 1e-12)
    assert low * (1 - 1e-12) <= found.row <= high * (1 + 1e-12)
