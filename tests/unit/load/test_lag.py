"""The lag probe on a scripted clock: how late the loop runs, nothing else."""

import asyncio
from collections.abc import Sequence
from types import SimpleNamespace

import pytest

from specbench.load import lag
from specbench.load.lag import PROBE_S, LagProbe
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
        watched = LagProbe()
        watched.start()
        await scripted.is_over.wait()
        return watched.stop()

    return asyncio.run(probe())


def test_a_loop_that_keeps_up_has_no_lag(monkeypatch: pytest.MonkeyPatch) -> None:
    health = health_after(monkeypatch, [0.0] * 100)
    assert health.lag_samples == 100
    assert (health.lag_p50_s, health.lag_p99_s, health.lag_max_s) == (0.0, 0.0, 0.0)


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


@pytest.mark.xfail(
    strict=True,
    reason="a stall counts once however long it lasts, so a loop that is blocked a"
    " tenth of the time shows no lag at its 99th percentile",
)
def test_lag_is_weighted_by_the_time_for_which_the_loop_was_late(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # blocked for 100 ms once a second: what arrives then is stamped up to 100 ms late
    second = [0.0] * round(0.9 / PROBE_S) + [0.1]
    health = health_after(monkeypatch, second * 10)
    assert health.lag_p99_s is not None
    assert health.lag_p99_s > 0.05
