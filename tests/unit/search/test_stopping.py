import math

import pytest

from specbench.schema.estimate import Interval
from specbench.search.stopping import half_width


def test_half_width_is_the_share_to_either_side_of_the_middle() -> None:
    assert half_width(Interval(40 / 1.05, 40 * 1.05)) == pytest.approx(0.05)


def test_half_width_does_not_depend_on_the_unit() -> None:
    assert half_width(Interval(3.0, 4.0)) == pytest.approx(
        half_width(Interval(30.0, 40.0))
    )


@pytest.mark.parametrize(
    "interval", [None, Interval(None, 40.0), Interval(40.0, None), Interval(0.0, 1.0)]
)
def test_an_open_interval_is_as_wide_as_can_be(interval: Interval | None) -> None:
    assert half_width(interval) == math.inf
