"""What an open loop's cell is asked for: its window before it begins, how long a silent
server is waited for, how long a process stays awake."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specbench.load.cell_load import CellLoad
from specbench.load.client import RequestSettings, prepare_request
from specbench.load.pacing import AWAKE_S, watch_s
from specbench.load.transport import DEFAULT_STALL_S
from specbench.schema.prompt import Message, Prompt
from specbench.schema.sample import Role
from specbench.units import NS_PER_S


def load(warmup: int, arrivals: tuple[float, ...]) -> CellLoad:
    settings = RequestSettings("m", 8, 0.0, {})
    return CellLoad(
        base_url="http://127.0.0.1:1",
        path="/",
        requests=tuple(
            prepare_request(
                index,
                Prompt(f"q{index}", "", 1, (Message("user", "?"),)),
                Role.WARMUP if index < warmup else Role.MEASURED,
                settings,
            )
            for index in range(len(arrivals))
        ),
        concurrency=0,
        request_s=0.0,
        arrivals=arrivals,
    )


def test_the_window_is_known_before_the_cell_begins() -> None:
    assert load(2, (0.5, 1.0, 1.5, 4.0)).window_edges == (1.0, 4.0)
    assert load(0, (0.5, 1.0, 1.5, 4.0)).window_edges == (0.5, 4.0)
    assert load(2, (0.5, 1.0, 1.5, 4.0)).window_s == 3.0


def test_as_many_streams_as_requests_can_be_in_flight() -> None:
    assert load(2, (0.5, 1.0, 1.5, 4.0)).most_streams == 4


def test_a_queue_that_grew_while_requests_arrived_is_waited_for() -> None:
    assert load(1, (1.0, 90.0)).patience_s == DEFAULT_STALL_S + 90


def test_connections_that_are_needed_at_once_are_made_before() -> None:
    assert load(1, (0.01, 0.1, 0.2)).connections_ahead == 2


@given(st.lists(st.floats(1e-5, 10), min_size=1, max_size=50))
def test_a_process_stays_awake_for_a_tenth_of_its_time_at_most(
    gaps: list[float],
) -> None:
    due, instants = 0.0, [0]
    for gap in gaps:
        due += gap
        instants.append(round(due * NS_PER_S))
    awake_s = watch_s(instants)
    assert 0 < awake_s <= AWAKE_S
    assert awake_s * len(gaps) <= 0.1 * instants[-1] / NS_PER_S * (1 + 1e-9) + 1e-12


def test_a_single_request_is_watched_for_like_any() -> None:
    assert watch_s([5]) == pytest.approx(AWAKE_S)
