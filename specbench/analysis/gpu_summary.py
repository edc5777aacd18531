"""What the engine's GPUs did while a cell ran, from readings before, inside and after
it."""

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import TypeVar

from specbench.schema.findings import GpuSummary
from specbench.schema.record import GpuReading
from specbench.schema.snapshot import Phase
from specbench.stats.means import arithmetic_mean

T = TypeVar("T")

AT_LOAD = frozenset({Phase.OPEN, Phase.INSIDE, Phase.CLOSE})
"""An idle GPU lowers its clocks by itself, so the readings before and after say
nothing about them."""


def summarise_gpus(readings: Sequence[GpuReading]) -> GpuSummary | None:
    """None where no GPU was read. Clocks, power and temperature are those at load;
    other processes count at any time."""
    if not readings:
        return None
    at_load = [r for r in readings if r.phase in AT_LOAD]
    temperatures = _known(r.temperature_c for r in at_load)
    reasons = _known(r.slowdowns for r in at_load)
    foreign = _known(r.foreign_pids for r in readings)
    return GpuSummary(
        temperature_max_c=max(temperatures, default=None),
        power_mean_w=_power(at_load),
        clock_ratio=_clock_ratio(at_load),
        slowdowns=_union(reasons) if reasons else None,
        foreign_pids=_union(foreign) if foreign else None,
    )


def _power(readings: Iterable[GpuReading]) -> float | None:
    """None unless every GPU says it: a part would pass for the whole."""
    means = []
    for own in _by_gpu(readings):
        watts = _known(r.power_w for r in own)
        if not watts:
            return None
        means.append(arithmetic_mean(watts))
    return math.fsum(means) if means else None


def _clock_ratio(readings: Iterable[GpuReading]) -> float | None:
    """Of the readings inside the window: at its edges the load may be other."""
    ratios = []
    for own in _by_gpu(r for r in readings if r.phase is Phase.INSIDE):
        clocks = _known(r.sm_clock_mhz for r in own)
        if len(clocks) > 1 and clocks[0] > 0:
            ratios.append(clocks[-1] / clocks[0])
    return min(ratios, default=None)


def _by_gpu(readings: Iterable[GpuReading]) -> Iterable[list[GpuReading]]:
    """The readings of each GPU in the order of their instants."""
    groups: dict[int, list[GpuReading]] = defaultdict(list)
    for reading in sorted(readings, key=lambda r: r.instant_ns):
        groups[reading.index].append(reading)
    return groups.values()


def _known(values: Iterable[T | None]) -> list[T]:
    return [value for value in values if value is not None]


def _union(members: Iterable[tuple[T, ...]]) -> tuple[T, ...]:
    """Each once, in the order of their first appearance."""
    return tuple(dict.fromkeys(one for group in members for one in group))
