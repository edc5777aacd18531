"""The measured part of an open loop's cell, and what only an open loop has: how late
the client sent, and whether the server kept up with what arrived.

The window opens when the last request before the measured ones is due and closes when
the last measured one is due, so that N measured requests arrive in N gaps. What is due
is decided before the cell begins, so the window is the same for every arm."""

import math
from collections.abc import Sequence
from dataclasses import replace

from specbench.analysis.goodput import find_goodput
from specbench.analysis.latencies import distribution
from specbench.analysis.missing import Missing, keep
from specbench.analysis.window import NoWindow, Window, mean_in_flight
from specbench.schema.findings import Backlog, CellStats, Goodput, OpenLoad
from specbench.schema.sample import RequestSample, Role
from specbench.schema.sweep import Slo
from specbench.units import seconds_between

CHANCE = 3.0
"""Standard errors that the growth of the number in flight is allowed."""
SHORT_SHARE = 0.05
"""Of what arrived: a smaller shortfall is not called one, however sure it is."""


def find_open_window(samples: Sequence[RequestSample]) -> Window | NoWindow:
    """The window of an open loop's cell, from the instants at which its requests were
    due."""
    measured = [s.scheduled_ns for s in samples if s.role is Role.MEASURED]
    if not measured:
        return NoWindow("no measured request was sent")
    before = [s.scheduled_ns for s in samples if s.role is Role.WARMUP]
    opened = max(before) if before else min(measured)
    closed = max(measured)
    if closed <= opened:
        return NoWindow(
            "all measured requests were due at one instant: raise"
            " measure.seconds_per_rate or measure.min_requests"
        )
    return Window(opened, closed, all_busy_ns=opened)


def from_due(samples: Sequence[RequestSample]) -> tuple[RequestSample, ...]:
    """The same requests as if each had been sent at the instant when it was due:
    whatever held it up, the client too, is part of what its user waits for."""
    return tuple(replace(s, sent_ns=s.scheduled_ns) for s in samples)


def add_open_load(
    stats: CellStats,
    samples: Sequence[RequestSample],
    window: Window | NoWindow,
    slo: Slo | None,
) -> CellStats:
    """The summary with what an open loop has beside it. `samples`: as they were
    sent."""
    missing = dict(stats.missing)
    delays = [seconds_between(s.scheduled_ns, s.sent_ns) for s in samples]
    backlog: Backlog | None = None
    rate: float | None = None
    goodput: Goodput | Missing = Missing("there is no window")
    if isinstance(window, Window):
        backlog = find_backlog(from_due(samples), window)
        rate = backlog.due / window.seconds
        goodput = find_goodput(from_due(samples), window, slo)
    load = OpenLoad(
        arrival_rate=rate,
        send_delay=distribution(delays),
        send_delay_max_s=max(delays, default=None),
        backlog=backlog,
        goodput=keep(missing, "goodput", goodput),
    )
    return replace(stats, open_load=load, missing=missing)


def find_backlog(samples: Sequence[RequestSample], window: Window) -> Backlog:
    """What arrived against what ended. Failed requests end too. By chance the number
    in flight of a server that keeps up differs between two instants by the root of
    twice its mean (it is about Poisson), and no rule is made of a twentieth."""
    due = sum(window.open_ns < s.scheduled_ns <= window.close_ns for s in samples)
    ended = sum(window.open_ns < s.end_ns <= window.close_ns for s in samples)
    third = (window.close_ns - window.open_ns) // 3
    first = replace(window, close_ns=window.open_ns + third)
    last = replace(window, open_ns=window.close_ns - third)
    in_flight_first = mean_in_flight(samples, first) if third else 0.0
    by_chance = CHANCE * math.sqrt(2 * max(1.0, in_flight_first))
    return Backlog(
        due=due,
        ended=ended,
        in_flight_first=in_flight_first,
        in_flight_last=mean_in_flight(samples, last) if third else 0.0,
        limit=max(by_chance, SHORT_SHARE * due),
    )
