"""When to send, and from how many processes, as pure functions."""

import math
from collections.abc import Sequence

from specbench.units import NS_PER_S

STREAMS_PER_PROCESS = 128
"""So many streams leave one load process room: at 50 chunks/s each it has 6,400 reads
a second, a tenth of what one core carries."""
MOST_PROCESSES = 8
UNKNOWN_PAUSE_S = 0.25
AWAKE_S = 0.002
"""Before a request of an open loop is due its process stays awake for so long: a timer
can be late by more than a millisecond."""
AWAKE_SHARE = 0.1
"""Of a process's time, at most, on top of what it has to do."""
GIVE_UP_FAILURES = 3
GIVE_UP_SHARE = 0.2


def stagger_delays(concurrency: int, request_s: float) -> tuple[float, ...]:
    """Seconds after the start at which each slot sends its first request: spread
    evenly over one request's duration, so that no arm runs in lock-step."""
    return tuple(slot * request_s / concurrency for slot in range(concurrency))


def load_processes(concurrency: int, cpus: int) -> int:
    """Processes that carry a load, given the CPUs that the client may use: half of
    these at most, since the engine has work for the CPU too."""
    wanted = math.ceil(concurrency / STREAMS_PER_PROCESS)
    return max(1, min(wanted, cpus // 2, MOST_PROCESSES))


def deal_slots(concurrency: int, processes: int) -> tuple[tuple[int, ...], ...]:
    """Which slots each process has: dealt in turn, so that starts that follow one
    another come from different processes. Processes without a slot are left out."""
    dealt = (tuple(range(p, concurrency, processes)) for p in range(processes))
    return tuple(slots for slots in dealt if slots)


def watch_s(dues_ns: Sequence[int]) -> float:
    """Seconds for which a process stays awake before each of these instants, which
    rise: less where they are many."""
    if len(dues_ns) < 2:
        return AWAKE_S
    mean_gap_s = (dues_ns[-1] - dues_ns[0]) / NS_PER_S / (len(dues_ns) - 1)
    return min(AWAKE_S, AWAKE_SHARE * mean_gap_s)


def is_hopeless(failed: int, ended: int) -> bool:
    """A cell with so many failures is void for certain: it is not fed any longer, so
    that a server that hangs costs minutes and not hours."""
    return failed > GIVE_UP_FAILURES + GIVE_UP_SHARE * ended


def scrape_pause(window_s: float) -> float:
    """Seconds between two readings of the engine's metrics inside a window of about
    this length: some sixty readings, but none closer than a tenth of a second and
    none further apart than a second. 0 = the length is not known."""
    return min(1.0, max(0.1, window_s / 60)) if window_s > 0 else UNKNOWN_PAUSE_S
