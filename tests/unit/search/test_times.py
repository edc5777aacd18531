import pytest

from specbench.schema.cell import CellKey, Condition
from specbench.search.times import CellTimes


def key(load: int, arm: str = "eagle", replicate: int = 1, context: int = 0) -> CellKey:
    return CellKey(Condition("target", "questions", context, 0.0, load), arm, replicate)


def test_a_measured_cell_takes_its_mean_time() -> None:
    times = CellTimes.of({key(8): 10.0, key(8, replicate=2): 14.0, key(16): 99.0})
    assert times.of_cell(key(8).condition, "eagle") == 12.0


def test_between_two_loads_time_is_linear_in_both_logarithms() -> None:
    times = CellTimes.of({key(8): 10.0, key(32): 40.0})
    assert times.of_cell(key(16).condition, "eagle") == pytest.approx(20.0)


def test_beyond_the_measured_loads_time_is_that_of_the_last() -> None:
    times = CellTimes.of({key(8): 10.0, key(32): 40.0})
    assert times.of_cell(key(1).condition, "eagle") == 10.0
    assert times.of_cell(key(64).condition, "eagle") == 40.0


def test_an_arm_without_cells_takes_the_time_of_the_others_there() -> None:
    times = CellTimes.of(
        {key(8): 10.0, key(8, "baseline"): 20.0, key(8, context=9): 90}
    )
    assert times.of_cell(key(8).condition, "medusa") == 15.0
    assert times.of_cell(key(8, context=5).condition, "medusa") == pytest.approx(40.0)


def test_nothing_is_known_before_anything_is_measured() -> None:
    assert CellTimes.of({}).of_cell(key(8).condition, "eagle") is None
