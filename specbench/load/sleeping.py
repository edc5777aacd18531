"""Sleeping until an instant of the monotonic clock. A loop's timer counts whole
milliseconds and can fire a fraction of one early or late."""

import asyncio

from specbench.clock import monotonic_ns
from specbench.units import NS_PER_S

TIMER_GRAIN_S = 0.001


async def sleep_until(due_ns: int, awake_s: float = 0.0) -> None:
    """Never shorter. Where the timer fires early it is set once more, for a whole
    grain, since a shorter one would fire at once, again and again. For the last
    `awake_s` the loop is kept awake instead, which comes within some 0.05 ms of the
    instant at the cost of that much CPU time; it reads sockets meanwhile."""
    awake_ns = int(awake_s * NS_PER_S)
    while (wait_ns := due_ns - awake_ns - monotonic_ns()) > 0:  # noqa: ASYNC110 - it is a clock
        await asyncio.sleep(max(wait_ns / NS_PER_S, TIMER_GRAIN_S))
    while monotonic_ns() < due_ns:  # noqa: ASYNC110 - it is a clock
        await asyncio.sleep(0)
