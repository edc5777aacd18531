import pytest
from hypothesis import given
from hypothesis import strategies as st

from specbench.planning.size import closed_size
from specbench.schema.sweep import Measure


@pytest.mark.parametrize(
    ("min_requests", "per_slot", "concurrency", "measured"),
    [
        (16, 4.0, 1, 16),
        (16, 4.0, 4, 16),
        (16, 4.0, 5, 20),
        (1, 2.5, 3, 8),
        (1, 2.2, 5, 11),
    ],
)
def test_measured_requests_grow_with_the_load_from_a_floor(
    min_requests: int, per_slot: float, concurrency: int, measured: int
) -> None:
    measure = Measure(min_requests=min_requests, requests_per_slot=per_slot)
    assert closed_size(measure, concurrency).measured == measured


@given(st.integers(1, 4096), st.floats(2, 20))
def test_every_slot_is_filled_once_and_turns_over_at_least_twice(
    concurrency: int, per_slot: float
) -> None:
    size = closed_size(Measure(requests_per_slot=per_slot), concurrency)
    assert size.warmup == concurrency
    assert size.measured >= 2 * concurrency
