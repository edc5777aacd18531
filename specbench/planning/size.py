"""How many requests a cell sends. The steady window opens after one generation of all
slots has turned over, so the number grows with the load."""

import math

from specbench.schema.cell import Condition
from specbench.schema.plan import CellSize
from specbench.schema.sweep import Load, Measure

WARMUP_SHARE = 0.25
"""Of the measured arrivals of an open loop: so many come before them, so that the
server is as busy as the rate makes it."""


def cell_size(measure: Measure, condition: Condition) -> CellSize:
    """Requests of a cell, of either loop."""
    if condition.is_open:
        return open_size(measure, condition.request_rate)
    return closed_size(measure, condition.concurrency)


def open_size(measure: Measure, rate: float) -> CellSize:
    """What arrives in the wanted time, and some before that."""
    arriving = math.ceil(round(rate * measure.seconds_per_rate, 6))
    measured = max(measure.min_requests, arriving)
    return CellSize(warmup=math.ceil(measured * WARMUP_SHARE), measured=measured)


def largest_cell(measure: Measure, load: Load) -> int:
    """Requests of the cell that sends the most."""
    sizes = [
        *(closed_size(measure, concurrency) for concurrency in load.concurrencies),
        *(open_size(measure, rate) for rate in load.rates),
    ]
    return max(size.warmup + size.measured for size in sizes)


def closed_size(measure: Measure, concurrency: int) -> CellSize:
    """Warm-up fills every slot once; the measured part follows without a break."""
    # Rounded first: 2.2 * 5 is 11, not the 11.000000000000002 of binary fractions.
    by_slots = math.ceil(round(measure.requests_per_slot * concurrency, 6))
    return CellSize(warmup=concurrency, measured=max(measure.min_requests, by_slots))
