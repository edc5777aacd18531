"""Means of replicated columns and the variance of their weighted sums: against the
covariances that the rows were made with, and by simulation with gaps."""

import math
from random import Random

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from specbench.stats.mean_squares import MeanSquares, mean_squares
from specbench.stats.replicated_means import (
    ReplicatedMeans,
    Term,
    joined_df,
    replicated_means,
)
from tests.unit.stats.simulated import Table, gappy_tables, noisy_table, with_gaps

ROW_VARIANCE, CELL_VARIANCE = 0.7, 0.3
WEIGHTS = st.floats(0, 1)


def total(terms: tuple[Term, ...]) -> float:
    return math.fsum(term.variance for term in terms)


def exactly_known(rows: Table) -> ReplicatedMeans:
    """Mean squares at their expectations: what is estimated is then the truth."""
    own = mean_squares(rows)
    squares = MeanSquares(
        row=CELL_VARIANCE + own.per_row * ROW_VARIANCE,
        row_df=own.row_df,
        cell=CELL_VARIANCE,
        cell_df=max(1, own.cell_df),
        per_row=own.per_row,
    )
    return replicated_means(rows, squares)


def true_variance(rows: Table, weights: dict[int, float]) -> float:
    """w' S w with the covariances of the column means, cell by cell."""
    cells = [
        (r, c) for r, row in enumerate(rows) for c, v in enumerate(row) if v is not None
    ]
    counts = {c: sum(1 for _, other in cells if other == c) for c in weights}
    w = np.array([weights.get(c, 0.0) / counts.get(c, 1) for _, c in cells])
    of_rows = np.array([r for r, _ in cells])
    shared = (of_rows[:, None] == of_rows[None, :]) * ROW_VARIANCE
    covariance = shared + np.eye(len(cells)) * CELL_VARIANCE
    return float(w @ covariance @ w)


def test_means_are_over_the_rows_that_have_a_figure() -> None:
    found = replicated_means([(1.0, None, 4.0), (3.0, None, None)])
    assert found.means == (2.0, None, 4.0)
    assert found.members == (frozenset({0, 1}), frozenset(), frozenset({0}))


def test_no_rows_have_no_means() -> None:
    found = replicated_means([])
    assert found.means == ()
    assert not found.has_variance


def test_one_row_has_means_and_no_variance() -> None:
    found = replicated_means([(1.0, 2.0)])
    assert found.means == (1.0, 2.0)
    assert not found.has_variance


@given(gappy_tables(), st.randoms(use_true_random=False))
def test_rows_have_no_order(rows: Table, random: Random) -> None:
    shuffled = list(rows)
    random.shuffle(shuffled)
    there, here = replicated_means(shuffled), replicated_means(rows)
    assert there.means == here.means
    assert there.has_variance is here.has_variance
    for column, mean in enumerate(here.means):
        if mean is not None:
            weights = {column: 1.0}
            assert total(there.variance_terms(weights)) == pytest.approx(
                total(here.variance_terms(weights)), abs=1e-9
            )


@given(st.integers(2, 5), st.integers(2, 8), WEIGHTS, st.integers(0, 10**6))
def test_without_gaps_it_is_the_formula_of_the_balanced_table(
    rows: int, columns: int, weight: float, seed: int
) -> None:
    """[MS_row / J + (k - 1/J) MS_cell] / R, k = w^2 + (1 - w)^2."""
    table = noisy_table(Random(seed), [0.0] * columns, rows, (1.0, 0.5))
    squares = mean_squares(table)
    k = weight**2 + (1 - weight) ** 2
    expected = (squares.row / columns + (k - 1 / columns) * squares.cell) / rows
    found = replicated_means(table).variance_terms({0: 1 - weight, 1: weight})
    # at k = 1/J the cells' share is 0 but for rounding
    assert total(found) == pytest.approx(expected, rel=1e-9)


def test_terms_carry_the_degrees_of_freedom_of_their_mean_squares() -> None:
    table = noisy_table(Random(2), [0.0] * 5, 3, (1.0, 0.5))
    by_rows, by_cells = replicated_means(table).variance_terms({2: 1.0})
    assert (by_rows.df, by_cells.df) == (2, 8)


def test_one_column_has_the_variance_of_its_mean() -> None:
    table = ((1.0,), (2.0,), (6.0,))
    assert total(replicated_means(table).variance_terms({0: 1.0})) == pytest.approx(
        7.0 / 3
    )


@given(gappy_tables(), st.data())
def test_with_any_gaps_a_mean_has_the_variance_that_its_cells_give_it(
    rows: Table, data: st.DataObject
) -> None:
    known = exactly_known(rows)
    assume(known.has_variance)
    there = [c for c, mean in enumerate(known.means) if mean is not None]
    weights = {data.draw(st.sampled_from(there)): 1.0}
    found = total(known.variance_terms(weights))
    assert found == pytest.approx(true_variance(rows, weights), rel=1e-9)


@given(gappy_tables(), WEIGHTS, st.data())
def test_with_any_gaps_a_weighted_sum_is_never_credited_with_less_variance(
    rows: Table, weight: float, data: st.DataObject
) -> None:
    """And with the right one where rows tell of themselves in enough columns."""
    known = exactly_known(rows)
    there = [c for c, mean in enumerate(known.means) if mean is not None]
    assume(known.has_variance and len(there) > 1)
    left = data.draw(st.integers(0, len(there) - 2))
    weights = {there[left]: 1 - weight, there[left + 1]: weight}
    found, truth = (
        total(known.variance_terms(weights)),
        true_variance(rows, weights),
    )
    assert found >= truth * (1 - 1e-9)
    if known.squares.per_row >= 2:
        assert found == pytest.approx(truth, rel=1e-9)


GAPS = (
    (True, True, False, True),
    (True, False, True, True),
    (False, True, True, True),
    (True, True, True, False),
)


@pytest.mark.parametrize("weights", [{0: 1.0}, {1: 0.7, 2: 0.3}, {2: 0.5, 3: 0.5}])
def test_simulated_sums_vary_as_the_terms_say_on_average(
    weights: dict[int, float],
) -> None:
    """2,000 tables with gaps: the variance of the sum against the mean of its
    estimates; a variance of so many is known to 3.2 %, its estimates to less."""
    random = Random(5)
    sums, said = [], []
    for _ in range(2_000):
        full = noisy_table(random, (0.0, 1.0, 2.0, 3.0), 4, (0.6, 0.4))
        found = replicated_means(with_gaps(full, GAPS))
        values = [(found.means[c] or 0.0) * w for c, w in weights.items()]
        sums.append(math.fsum(values))
        said.append(total(found.variance_terms(weights)))
    mean = math.fsum(sums) / len(sums)
    variance = math.fsum((s - mean) ** 2 for s in sums) / (len(sums) - 1)
    assert math.fsum(said) / len(said) == pytest.approx(variance, rel=0.12)


def test_knowledge_from_elsewhere_stands_in_for_replicates() -> None:
    known = MeanSquares(row=2.0, row_df=6, cell=0.5, cell_df=24, per_row=3)
    found = replicated_means([(1.0, 2.0, 3.0)], known)
    assert found.has_variance
    # row variance (2 - 0.5) / 3 and cell variance 0.5
    assert total(found.variance_terms({1: 1.0})) == pytest.approx(1.0)


TERMS = st.lists(
    st.builds(Term, st.floats(1e-6, 10), st.floats(0.5, 100)), min_size=1, max_size=6
)


@given(TERMS)
def test_joined_degrees_lie_between_the_fewest_and_their_sum(terms: list[Term]) -> None:
    found = joined_df(terms)
    assert found >= min(term.df for term in terms) * (1 - 1e-12)
    assert found <= math.fsum(term.df for term in terms) * (1 + 1e-12)


@given(TERMS, st.floats(0.001, 1000))
def test_joined_degrees_do_not_depend_on_the_unit(
    terms: list[Term], factor: float
) -> None:
    scaled = [Term(term.variance * factor, term.df) for term in terms]
    assert joined_df(scaled) == pytest.approx(joined_df(terms), rel=1e-9)


def test_joined_degrees_of_two_equal_samples_are_welchs() -> None:
    # Welch 1947: equal variances and sizes, so the degrees of freedom add up
    assert joined_df([Term(2.0, 4), Term(2.0, 4)]) == pytest.approx(8.0)
    assert joined_df([Term(1.0, 2), Term(3.0, 6)]) == pytest.approx(
        16 / (1 / 2 + 9 / 6)
    )


def test_a_part_without_variance_has_no_say() -> None:
    assert joined_df([Term(2.0, 4), Term(0.0, 1)]) == pytest.approx(4.0)
    assert joined_df([]) == math.inf
    assert joined_df([Term(0.0, 3)]) == math.inf
