"""Start-up time without downloads."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specbench.launch.startup_clock import StartupClock
from specbench.units import NS_PER_S

steps = st.lists(st.tuples(st.integers(0, 10**12), st.booleans()))


def run_clock(start_ns: int, ticks: list[tuple[int, bool]]) -> StartupClock:
    """`ticks`: (ns since the one before, whether a download runs)."""
    startup = StartupClock.begin(start_ns)
    for passed_ns, is_downloading in ticks:
        startup = startup.tick(startup.now_ns + passed_ns, is_downloading)
    return startup


def test_time_of_a_download_does_not_count() -> None:
    s = NS_PER_S
    startup = run_clock(7, [(2 * s, False), (30 * s, True), (3 * s, False)])
    assert startup.elapsed_s == 35.0
    assert startup.downloading_s == 30.0
    assert startup.counted_s == 5.0


@given(st.integers(0, 10**15), steps)
def test_parts_add_up_and_none_is_negative(
    start_ns: int, ticks: list[tuple[int, bool]]
) -> None:
    startup = run_clock(start_ns, ticks)
    assert startup.elapsed_s == sum(passed for passed, _ in ticks) / NS_PER_S
    assert 0 <= startup.downloading_s <= startup.elapsed_s
    total = startup.counted_s + startup.downloading_s
    assert total == pytest.approx(startup.elapsed_s)


@given(steps)
def test_without_downloads_all_time_counts(ticks: list[tuple[int, bool]]) -> None:
    startup = run_clock(0, [(passed, False) for passed, _ in ticks])
    assert startup.counted_s == startup.elapsed_s
