"""Tests of arrivals against a Poisson process, at a level of 0.1 %."""

import math
from collections.abc import Sequence

KS_CRITICAL = 1.9495
"""Of sqrt(n) D at 0.1 %, where the law is known in full (Kolmogorov)."""
NORMAL_CRITICAL = 3.2905
"""Two-sided at 0.1 %."""


def ks_distance(gaps: Sequence[float], rate: float) -> float:
    """Largest distance between the gaps' distribution and the exponential one."""
    n = len(gaps)
    law = [-math.expm1(-rate * gap) for gap in sorted(gaps)]
    return max(max((i + 1) / n - p, p - i / n) for i, p in enumerate(law))


def ks_limit(n: int) -> float:
    """What chance allows of so many gaps."""
    return KS_CRITICAL / math.sqrt(n)


def dispersion(instants: Sequence[float], bins: int) -> float:
    """Variance over mean of the counts in equal stretches; 1 of a Poisson process."""
    first, length = min(instants), max(instants) - min(instants)
    counts = [0] * bins
    for instant in instants:
        counts[min(bins - 1, int((instant - first) / length * bins))] += 1
    mean = len(instants) / bins
    return sum((count - mean) ** 2 for count in counts) / (bins - 1) / mean


def dispersion_limit(bins: int) -> float:
    """How far from 1 chance may take it: chi squared with bins - 1 degrees of freedom,
    as a normal variable."""
    return NORMAL_CRITICAL * math.sqrt(2 / (bins - 1))
