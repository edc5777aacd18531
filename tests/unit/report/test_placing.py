"""Where labels go in a panel."""

from hypothesis import given
from hypothesis import strategies as st

from specbench.report.plots.placing import Box, place_box

TOP = Box(0.1, 0.8, 0.2, 0.1)
BOTTOM = Box(0.1, 0.1, 0.2, 0.1)


def test_label_avoids_the_stretch_between_two_measured_points() -> None:
    through_top = [(0.0, 0.85), (1.0, 0.85)]
    assert place_box([TOP, BOTTOM], [through_top], []) == BOTTOM


def test_first_of_equally_free_boxes_is_taken() -> None:
    assert place_box([TOP, BOTTOM], [], []) == TOP


def test_another_label_is_worse_than_a_curve() -> None:
    through_bottom = [(0.0, 0.15), (1.0, 0.15)]
    taken = [Box(0.2, 0.85, 0.3, 0.1)]
    assert place_box([TOP, BOTTOM], [through_bottom], taken) == BOTTOM


def test_box_that_leaves_the_panel_is_the_last_choice() -> None:
    outside = Box(0.9, 0.5, 0.2, 0.1)
    assert place_box([outside, TOP], [[(0.0, 0.85), (1.0, 0.85)]], []) == TOP


@given(st.lists(st.tuples(st.floats(0, 0.8), st.floats(0, 0.8)), min_size=1))
def test_choice_is_one_of_the_offers(corners: list[tuple[float, float]]) -> None:
    boxes = [Box(x, y, 0.1, 0.1) for x, y in corners]
    assert place_box(boxes, [[(0, 0), (1, 1)]], boxes[:1]) in boxes
