"""Quantiles of small samples. All values are kept, none is binned: the samples are
few and a p99 from bins would be the bin's."""

import math
from collections.abc import Sequence


def quantile(ordered: Sequence[float], q: float) -> float:
    """The q-quantile (0..1) of an ascending, non-empty sequence.

    Linear interpolation between order statistics, the definition that numpy, R
    (type 7) and spreadsheets share (Hyndman & Fan 1996, definition 7).
    """
    if not ordered:
        raise ValueError("no quantile of an empty sample")
    if not 0 <= q <= 1:
        raise ValueError(f"quantile {q} lies outside 0..1")
    position = q * (len(ordered) - 1)
    low = math.floor(position)
    high = math.ceil(position)
    share = position - low
    # a + share * (b - a) keeps the result inside [a, b], also for huge values
    return ordered[low] + share * (ordered[high] - ordered[low])


def median(values: Sequence[float]) -> float:
    """Middle of a non-empty sample, in any order."""
    return quantile(sorted(values), 0.5)
