"""For comparison: the percentile bootstrap over launches, as it is often done. It draws
each arm's launches with replacement and takes the crossing of the means each time. With
three launches there are only ten different draws of an arm, so all are gone through."""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise, product

Table = Sequence[Sequence[float]]
"""Log figures: one row a launch, one column a load."""
TAIL = 0.025


def naive_interval(
    xs: Sequence[float], baseline: Table, arm: Table
) -> tuple[float, float] | None:
    """Between the 2.5 % and the 97.5 % quantile of the crossings, on the axis `xs`;
    None where the means themselves do not cross. Draws without a crossing are left
    out."""
    if _crossing(xs, _mean(baseline), _mean(arm)) is None:
        return None
    arms = list(_resamples(arm))
    crossings = sorted(
        (place, weight * other)
        for below, weight in _resamples(baseline)
        for above, other in arms
        if (place := _crossing(xs, below, above)) is not None
    )
    return _quantile(crossings, TAIL), _quantile(crossings, 1 - TAIL)


def _resamples(table: Table) -> Iterator[tuple[list[float], int]]:
    """Means of every draw of launches, with how many ways lead to it."""
    launches = range(len(table))
    ways = Counter(tuple(sorted(p)) for p in product(launches, repeat=len(table)))
    for chosen, count in ways.items():
        yield _mean([table[launch] for launch in chosen]), count


def _mean(rows: Table) -> list[float]:
    return [math.fsum(column) / len(rows) for column in zip(*rows, strict=True)]


def _crossing(
    xs: Sequence[float], baseline: Sequence[float], arm: Sequence[float]
) -> float | None:
    """The first one, log speedup taken as linear in log of the axis."""
    values = [above - below for below, above in zip(baseline, arm, strict=True)]
    for (x, a), (y, b) in pairwise(zip(xs, values, strict=True)):
        if (a >= 0) != (b >= 0):
            return x * (y / x) ** (a / (a - b))
    return None


def _quantile(weighted: Sequence[tuple[float, int]], share: float) -> float:
    total = sum(weight for _, weight in weighted)
    so_far = 0
    for value, weight in weighted:
        so_far += weight
        if so_far >= share * total:
            return value
    return weighted[-1][0]
