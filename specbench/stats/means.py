"""Means that suit ratios and step functions."""

import itertools
import math
from collections.abc import Sequence


def geometric_mean(values: Sequence[float]) -> float:
    """exp of the mean logarithm: the mean for ratios, since a gain of 2 and a loss
    of 2 then cancel. Needs at least one value, all above zero."""
    if not values:
        raise ValueError("no mean of an empty sample")
    if any(v <= 0 for v in values):
        raise ValueError("a geometric mean needs values above zero")
    mean = math.exp(math.fsum(math.log(v) for v in values) / len(values))
    # rounding must not lift a mean out of its sample
    return min(max(mean, min(values)), max(values))


def arithmetic_mean(values: Sequence[float]) -> float:
    """Mean of a non-empty sample."""
    if not values:
        raise ValueError("no mean of an empty sample")
    return math.fsum(values) / len(values)


def time_weighted_mean(
    readings: Sequence[tuple[float, float]], start: float, end: float
) -> float | None:
    """Mean over [start, end] of a quantity read at instants (time, value).

    Between two readings the quantity is taken as linear (trapezoids); before the
    first and after the last one as constant. None without a reading or a span.
    """
    if not readings or end <= start:
        return None
    points = sorted(readings)
    edges = [
        (start, value_at(points, start)),
        *[(t, v) for t, v in points if start < t < end],
        (end, value_at(points, end)),
    ]
    area = math.fsum(
        (t1 - t0) * (v0 + v1) / 2 for (t0, v0), (t1, v1) in itertools.pairwise(edges)
    )
    return area / (end - start)


def value_at(points: Sequence[tuple[float, float]], when: float) -> float:
    """Linear interpolation in ascending (time, value) points, constant outside."""
    if when <= points[0][0]:
        return points[0][1]
    for (t0, v0), (t1, v1) in itertools.pairwise(points):
        if when <= t1:
            share = (when - t0) / (t1 - t0) if t1 > t0 else 1.0
            return v0 + share * (v1 - v0)
    return points[-1][1]
