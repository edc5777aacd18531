"""The client watches itself: how late its own event loop runs. A late loop stamps
late, and since speculation sends fewer chunks it would be late for one arm only."""

import asyncio
import math
import time
from collections.abc import Sequence

from specbench.clock import monotonic_ns
from specbench.schema.record import ClientHealth
from specbench.stats.quantiles import quantile
from specbench.units import NS_PER_S

PROBE_S = 0.005


def lags_over_time(lags: Sequence[float], every_s: float) -> list[float]:
    """Lags as evenly spaced probes would have seen them, ascending: a loop that was
    blocked for long counts for long, not once. (The correction for coordinated
    omission that HdrHistogram makes.)"""
    seen: list[float] = []
    for lag in lags:
        # a hair under a whole number of probes is that number
        probes = max(1, math.ceil(lag / every_s - 1e-9))
        seen.extend(max(0.0, lag - probe * every_s) for probe in range(probes))
    return sorted(seen)


class LagProbe:
    """Sleeps for 5 ms again and again and notes by how much it woke late."""

    def __init__(self) -> None:
        self._lags: list[float] = []
        self._task: asyncio.Task[None] | None = None
        self._began_ns = 0
        self._cpu_began = 0.0

    def start(self) -> None:
        """Begin to watch; needs a running event loop."""
        self._began_ns = monotonic_ns()
        self._cpu_began = time.process_time()
        self._task = asyncio.get_running_loop().create_task(self._watch())

    async def _watch(self) -> None:
        due = monotonic_ns() + int(PROBE_S * NS_PER_S)
        while True:
            await asyncio.sleep((due - monotonic_ns()) / NS_PER_S)
            now = monotonic_ns()
            self._lags.append(max(0, now - due) / NS_PER_S)
            due = now + int(PROBE_S * NS_PER_S)

    def stop(self) -> ClientHealth:
        """End and summarise."""
        if self._task is not None:
            self._task.cancel()
        elapsed = (monotonic_ns() - self._began_ns) / NS_PER_S
        cpu = time.process_time() - self._cpu_began
        lags = lags_over_time(self._lags, PROBE_S)
        return ClientHealth(
            lag_p50_s=quantile(lags, 0.5) if lags else None,
            lag_p99_s=quantile(lags, 0.99) if lags else None,
            lag_max_s=lags[-1] if lags else None,
            lag_samples=len(self._lags),
            cpu_share=cpu / elapsed if elapsed > 0 else None,
        )
