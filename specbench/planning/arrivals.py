"""When the requests of an open loop are due, whatever the server does.

The gaps are drawn once from the seed and stretched so that N requests take N / rate
seconds: a Poisson process given when its last request comes. Left to chance, N
arrivals come at a rate off by 1 / sqrt(N), in all cells alike, and the break-even rate
with them. Every arm and every launch meets the same instants, and cells of different
rates the same pattern: what two cells differ by is not that one of them drew the worse
arrivals."""

import math
import random
from collections.abc import Iterator
from itertools import accumulate, islice
from typing import Literal

from specbench.schema.plan import CellSize

Arrivals = Literal["poisson", "constant"]


def arrival_times(
    size: CellSize, rate: float, seed: int, arrivals: Arrivals
) -> tuple[float, ...]:
    """Seconds after the start of the cell at which each of its requests is due, warm-up
    first; the first one a gap after it. `rate`: requests per second, which the warm-up
    and the measured part each keep to over their whole length."""
    parts = (("warmup", size.warmup), ("measured", size.measured))
    gaps = [
        gap
        for part, count in parts
        for gap in _gaps(arrivals, f"{part} {seed}", count, rate)
    ]
    return tuple(accumulate(gaps))


def _gaps(arrivals: Arrivals, seed: str, count: int, rate: float) -> list[float]:
    if arrivals == "constant":
        return [1 / rate] * count
    drawn = list(islice(_exponential(seed), count))
    stretch = count / rate / math.fsum(drawn) if drawn else 0.0
    return [gap * stretch for gap in drawn]


def _exponential(seed: str) -> Iterator[float]:
    """Of mean 1, by inversion: one draw a gap, so that a longer cell begins with the
    pattern of a shorter one."""
    draw = random.Random(f"arrivals {seed}")
    while True:
        yield -math.log1p(-draw.random())
