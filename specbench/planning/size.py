"""How many requests a cell sends. The steady window opens after one generation of all
slots has turned over, so the number grows with the load."""

import math

from specbench.schema.plan import CellSize
from specbench.schema.sweep import Measure


def cell_size(measure: Measure, concurrency: int) -> CellSize:
    """Warm-up fills every slot once; the measured part follows without a break."""
    # Rounded first: 2.2 * 5 is 11, not the 11.000000000000002 of binary fractions.
    by_slots = math.ceil(round(measure.requests_per_slot * concurrency, 6))
    return CellSize(warmup=concurrency, measured=max(measure.min_requests, by_slots))
