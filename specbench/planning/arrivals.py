"""When the requests of an open loop are due, whatever the server does.

The gaps are drawn once, for one request per second, and divided by the rate. So every
arm and every launch meets the same instants, and the n-th measured request comes after
the same gap, but for the rate, at every rate: what two cells differ by is not that one
of them drew the worse arrivals, and a curve over the rate has no noise of that kind
between its points."""

import math
import random
from collections.abc import Iterable, Iterator
from itertools import accumulate, chain, islice, repeat
from typing import Literal

from specbench.schema.plan import CellSize

Arrivals = Literal["poisson", "constant"]


def arrival_times(
    size: CellSize, rate: float, seed: int, arrivals: Arrivals
) -> tuple[float, ...]:
    """Seconds after the start of the cell at which each of its requests is due, warm-up
    first; the first one a gap after it. `rate`: requests per second in the mean."""
    gaps = chain(
        islice(_unit_gaps(arrivals, seed, "warmup"), size.warmup),
        islice(_unit_gaps(arrivals, seed, "measured"), size.measured),
    )
    return tuple(instant / rate for instant in accumulate(gaps))


def _unit_gaps(arrivals: Arrivals, seed: int, part: str) -> Iterable[float]:
    return repeat(1.0) if arrivals == "constant" else _exponential(f"{part} {seed}")


def _exponential(seed: str) -> Iterator[float]:
    """Of mean 1, by inversion: one draw a gap, so that a longer cell begins as a
    shorter one does."""
    draw = random.Random(f"arrivals {seed}")
    while True:
        yield -math.log1p(-draw.random())
