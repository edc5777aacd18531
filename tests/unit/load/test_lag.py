"""The lag probe on a scripted clock: how late the loop runs, nothing else."""

import asyncio
import math
from collections.abc import Sequence
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specbench.load import lag
from specbench.load.health import summarise_watches
from specbench.load.lag import (
    LOOP_GRAIN_S,
    PROBE_S,
    LoopWatch,
    ProcessWatch,
    lags_over_time,
)
from specbench.schema.record import ClientHealth


class ScriptedTime:
    """A clock that only sleeping moves; each sleep ends late by the next entry."""

    def __init__(self, late_s: Sequence[float]) -> None:
        self.now_ns = 1_000
        self.is_over = asyncio.Event()
        self._late_s = iter(late_s)

    def monotonic_ns(self) -> int:
        return self.now_ns

    async def sleep(self, delay_s: float) -> None:
        late_s = next(self._late_s, None)
        if late_s is None:
            self.is_over.set()
            await asyncio.Event().wait()
        else:
            self.now_ns += round((max(0.0, delay_s) + late_s) * 1e9)


def health_after(
    monkeypatch: pytest.MonkeyPatch, late_s: Sequence[float]
) -> ClientHealth:
    async def probe() -> ClientHealth:
        scripted = ScriptedTime(late_s)
        monkeypatch.setattr(lag, "monotonic_ns", scripted.monotonic_ns)
        loop_api = SimpleNamespace(
            sleep=scripted.sleep, get_running_loop=asyncio.get_running_loop
        )
        monkeypatch.setattr(lag, "asyncio", loop_api)
        watched = LoopWatch()
        watched.start()
        await scripted.is_over.wait()
        lags = tuple(lag + LOOP_GRAIN_S for lag in watched.stop())
        return summarise_watches([ProcessWatch((), lags, 0.0)], 0)

    return asyncio.run(probe())


def test_a_loop_that_keeps_up_has_no_lag(monkeypatch: pytest.MonkeyPatch) -> None:
    health = health_after(monkeypatch, [0.0] * 100)
    assert health.lag_max_s == pytest.approx(0.0, abs=1e-8)


def test_lag_is_by_how_much_the_loop_woke_late(monkeypatch: pytest.MonkeyPatch) -> None:
    health = health_after(monkeypatch, [0.002] * 50)
    assert health.lag_p50_s == pytest.approx(0.002)
    assert health.lag_p99_s == pytest.approx(0.002)


def test_the_worst_moment_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    health = health_after(monkeypatch, [0.0] * 20 + [0.4] + [0.0] * 20)
    assert health.lag_max_s == pytest.approx(0.4)


def test_a_probe_that_never_woke_knows_no_lag(monkeypatch: pytest.MonkeyPatch) -> None:
    health = health_after(monkeypatch, [])
    assert health.lag_samples == 0
    assert (health.lag_p50_s, health.lag_p99_s, health.lag_max_s) == (None, None, None)


def test_lag_is_weighted_by_the_time_for_which_the_loop_was_late(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # blocked for 100 ms once a second: what arrives then is stamped up to 100 ms late
    second = [0.0] * round(0.9 / PROBE_S) + [0.1]
    health = health_after(monkeypatch, second * 10)
    assert health.lag_p99_s is not None
    assert health.lag_p99_s > 0.05


def test_one_stall_is_not_counted_again_by_the_probes_after_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # 100 ms late in 700: a seventh of the time, not the half
    health = health_after(monkeypatch, [0.0] * 6 + [0.1] + [0.0] * 6)
    assert health.lag_p50_s == pytest.approx(0.0, abs=1e-8)
    assert health.lag_p99_s is not None
    assert health.lag_p99_s > 0.05


@given(st.lists(st.floats(min_value=0, max_value=1), max_size=30))
def test_each_lag_counts_for_as_long_as_it_lasted(lags: list[float]) -> None:
    seen = lags_over_time(lags, 0.005)
    assert seen == sorted(seen)
    assert len(seen) == sum(max(1, math.ceil(lag / 0.005 - 1e-9)) for lag in lags)
    assert max(seen, default=0.0) == max(lags, default=0.0)
    assert all(lag >= 0 for lag in seen)


def test_a_stall_is_seen_as_evenly_spaced_probes_would_have_seen_it() -> None:
    assert lags_over_time([0.0, 0.010, 0.0], 0.004) == pytest.approx(
        [0.0, 0.0, 0.002, 0.006, 0.010]
    )


def test_the_higher_of_the_two_measures_is_the_lag() -> None:
    # the loop's own timer is late by its grain even when nothing disturbs it
    calm = ProcessWatch((0.0001,) * 200, (LOOP_GRAIN_S,) * 200, 0.1)
    assert summarise_watches([calm], 200).lag_p99_s == pytest.approx(0.0001)
    stopped = ProcessWatch((0.0001,) * 100, (0.05 + LOOP_GRAIN_S,) * 100, 0.1)
    assert summarise_watches([stopped], 200).lag_p99_s == pytest.approx(0.05)


def test_processes_count_together_and_the_busiest_one_for_cpu() -> None:
    good = ProcessWatch((0.0,) * 10, (), 0.1)
    bad = ProcessWatch((0.02,) * 10, (), 0.9)
    health = summarise_watches([good, bad], 20)
    assert (health.processes, health.lag_samples, health.lag_expected) == (2, 20, 20)
    assert health.lag_p99_s == pytest.approx(0.02)
    assert health.cpu_share == pytest.approx(0.9)
