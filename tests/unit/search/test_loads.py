import math
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specbench.search.loads import coarse_loads, load_between, octaves

OCTAVES = (1, 2, 4, 8, 16, 32, 64, 128, 256)


def test_coarse_loads_leave_no_gap_wider_than_allowed() -> None:
    assert coarse_loads(OCTAVES, 1.1) == OCTAVES
    assert coarse_loads(OCTAVES, 2.2) == (1, 4, 16, 64, 256)
    assert coarse_loads(OCTAVES, 100) == (1, 256)


def test_where_the_listed_loads_lie_apart_all_are_coarse() -> None:
    assert coarse_loads((1, 10, 100), 1.1) == (1, 10, 100)
    assert coarse_loads((3,), 1.1) == (3,)


@given(
    st.lists(st.integers(1, 512), min_size=1, max_size=20, unique=True).map(sorted),
    st.floats(0.1, 6),
)
def test_coarse_loads_keep_both_ends_and_only_listed_loads(
    listed: list[int], widest: float
) -> None:
    coarse = coarse_loads(listed, widest)
    assert (coarse[0], coarse[-1]) == (listed[0], listed[-1])
    assert set(coarse) <= set(listed)
    assert list(coarse) == sorted(set(coarse))
    for low, high in pairwise(coarse):
        inside = [load for load in listed if low < load < high]
        # a gap is wide only where the sweep file has nothing in it
        assert octaves(low, high) <= widest or not inside


def test_a_new_concurrency_is_a_whole_number_on_an_eighth_of_an_octave() -> None:
    assert load_between(44.0, 32, 64, is_open=False) == 45
    assert load_between(46.5, 32, 64, is_open=False) == 45


def test_no_load_is_made_where_none_lies_clearly_between() -> None:
    assert load_between(1.4, 1, 2, is_open=False) is None
    assert load_between(22.5, 22, 23, is_open=False) is None
    assert load_between(33.0, 32, 64, is_open=False) is None


def test_a_step_too_near_to_a_neighbour_gives_way_to_the_place_itself() -> None:
    # the nearest eighth to 5.6 is 5.66, a whole 6
    assert load_between(5.6, 5, 7, is_open=False) == 6
    assert load_between(20.9, 19, 22, is_open=False) in (20, 21)


def test_a_new_rate_has_three_digits() -> None:
    rate = load_between(1.4567, 1, 2, is_open=True)
    assert rate == pytest.approx(math.sqrt(2), rel=0.05)
    assert rate == float(f"{rate:.3g}")


@given(st.floats(1, 500), st.floats(1.01, 64), st.floats(0.02, 0.98), st.booleans())
def test_a_new_load_lies_between_its_neighbours(
    low: float, factor: float, share: float, is_open: bool
) -> None:
    high = low * factor
    load = load_between(low * factor**share, low, high, is_open)
    assert load is None or low < load < high
