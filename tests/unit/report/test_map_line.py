"""Where the line of speedup 1 runs over the map."""

import math
from collections.abc import Sequence

import pytest

from specbench.analysis.run import conclude
from specbench.report.context_map import ContextMap, make_maps
from specbench.report.plots.map_line import contour_pieces, place_of
from tests.unit.analysis.contexts_of import Grid, grid_cells

EQUAL = (0.0, 0.001, -0.001)
"""Launches that hardly differ."""
APART = (0.3, -0.3, 0.0)


def shown(speedups: Grid, deviations: Sequence[float] = (0.0,)) -> ContextMap:
    first, *_ = make_maps(conclude(grid_cells(speedups, deviations), []))
    return first


@pytest.mark.parametrize(
    ("context", "place"),
    [(512, 1.0), (1024, 1.5), (2048, 2.0), (8192, 3.0), (100, 1.0), (10**6, 3.0)],
)
def test_a_context_lies_between_the_rows_by_its_log(
    context: float, place: float
) -> None:
    assert place_of(context, (0, 512, 2048, 8192)) == pytest.approx(place)


def test_one_row_of_a_given_length_is_where_it_is() -> None:
    assert place_of(700, (0, 512)) == 1.0


def test_the_line_crosses_where_the_log_speedup_is_nought() -> None:
    """Equal over the load: a level line."""
    made = shown({512: {1: 0.8, 4: 0.8}, 2048: {1: 1.6, 4: 1.6}})
    ((a, b, _),) = contour_pieces(made)
    share = math.log(0.8) / (math.log(0.8) - math.log(1.6))
    assert sorted(x for x, _ in (a, b)) == [0, 1]
    assert [y for _, y in (a, b)] == pytest.approx([share, share])


def test_no_line_where_all_is_on_one_side() -> None:
    assert contour_pieces(shown({512: {1: 1.2, 4: 1.1}, 2048: {1: 1.6, 4: 1.6}})) == []


def test_a_saddle_is_joined_by_its_shorter_pieces() -> None:
    made = shown({512: {1: 1.01, 4: 0.5}, 2048: {1: 0.5, 4: 1.01}})
    pieces = contour_pieces(made)
    assert len(pieces) == 2
    assert all(math.dist(a, b) < 0.5 for a, b, _ in pieces)


def test_beside_a_missing_cell_a_crossing_is_marked_across() -> None:
    """And there is no line between prompts as they are and those of a length."""
    made = shown({0: {1: 1.5, 4: 1.5}, 512: {1: 0.8, 4: 0.8}, 2048: {1: 1.6}})
    ((a, b, _),) = contour_pieces(made)
    share = math.log(0.8) / (math.log(0.8) - math.log(1.6))
    assert a[1] == b[1] == pytest.approx(1 + share)
    assert (a[0] + b[0]) / 2 == pytest.approx(0)


def test_one_load_alone_has_a_mark_at_its_break_even_context() -> None:
    ((a, b, _),) = contour_pieces(shown({512: {1: 0.8}, 2048: {1: 1.6}}))
    assert a[1] == b[1]
    assert 0 < a[1] < 1


@pytest.mark.parametrize(("deviations", "is_told"), [(EQUAL, True), (APART, False)])
def test_the_line_is_told_only_where_both_its_neighbours_are(
    deviations: Sequence[float], is_told: bool
) -> None:
    made = shown({512: {1: 0.8, 4: 0.8}, 2048: {1: 1.6, 4: 1.6}}, deviations)
    assert [piece.is_told for piece in contour_pieces(made)] == [is_told]


def test_one_cell_that_is_not_told_leaves_its_pieces_untold() -> None:
    made = shown({512: {1: 0.8, 4: 0.8, 16: 0.9995}, 2048: {1: 1.6, 4: 1.6, 16: 1.6}})
    noisy = shown(
        {512: {1: 0.8, 4: 0.8, 16: 0.9995}, 2048: {1: 1.6, 4: 1.6, 16: 1.6}}, EQUAL
    )
    assert len(contour_pieces(made)) == 2
    assert [piece.is_told for piece in contour_pieces(noisy)] == [True, False]
