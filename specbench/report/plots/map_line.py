"""Where the speedup map crosses 1: places on a grid whose steps are the measured loads
and contexts, log speedup taken as linear between neighbours, as in the break-evens."""

import bisect
import math
from collections.abc import Iterator, Sequence

from specbench.report.context_map import ContextMap

Spot = tuple[float, float]
"""Load and context, counted in cells from 0."""
MARK = 0.4
"""Half of a mark's length, in cells."""


def place_of(context: float, contexts: Sequence[int]) -> float:
    """A context on the axis of the rows: linear in log2 between two of a given
    length. Rows of prompts as they are (0) have no place on it."""
    first = sum(c == 0 for c in contexts)
    known = [math.log2(c) for c in contexts[first:]]
    at = math.log2(context)
    right = min(max(1, bisect.bisect_left(known, at)), len(known) - 1)
    if len(known) == 1:
        return float(first)
    left = right - 1
    share = (at - known[left]) / (known[right] - known[left])
    return first + left + min(max(share, 0.0), 1.0)


def contour_segments(shown: ContextMap) -> list[tuple[Spot, Spot]]:
    """Straight pieces of the line on which the speedup is 1, through each square of
    four neighbouring cells; in a saddle the crossings that lie nearest to one another
    are joined. Where a crossing between two neighbours lies in no such square, since a
    cell beside them has no speedup, a short mark stands across."""
    logs = _logs(shown)
    first = sum(c == 0 for c in shown.contexts)
    drawn = [
        segment
        for y in range(first, len(logs) - 1)
        for x in range(len(shown.loads) - 1)
        for segment in _through(logs, x, y)
    ]
    joined = {spot for segment in drawn for spot in segment}
    return drawn + [mark for spot, mark in _marks(logs, first) if spot not in joined]


def _marks(
    logs: Sequence[Sequence[float | None]], first: int
) -> Iterator[tuple[Spot, tuple[Spot, Spot]]]:
    """Each crossing between two neighbours, with a mark across."""
    for y, row in enumerate(logs):
        for x, value in enumerate(row):
            right = row[x + 1] if x + 1 < len(row) else None
            above = logs[y + 1][x] if first <= y < len(logs) - 1 else None
            if (at := _crossing(value, right)) is not None:
                yield (x + at, y), ((x + at, y - MARK), (x + at, y + MARK))
            if (at := _crossing(value, above)) is not None:
                yield (x, y + at), ((x - MARK, y + at), (x + MARK, y + at))


def _crossing(one: float | None, other: float | None) -> float | None:
    """Share of the way from one to the other at which the line is crossed."""
    if one is None or other is None or (one > 0) is (other > 0):
        return None
    return one / (one - other)


def _logs(shown: ContextMap) -> list[list[float | None]]:
    return [
        [
            math.log(cell.point.speedup.value)
            if cell.point is not None and cell.point.speedup.value
            else None
            for cell in row
        ]
        for row in shown.rows
    ]


def _through(
    logs: Sequence[Sequence[float | None]], x: int, y: int
) -> Iterator[tuple[Spot, Spot]]:
    corners = ((x, y), (x + 1, y), (x + 1, y + 1), (x, y + 1))
    values = [logs[b][a] for a, b in corners]
    if any(value is None for value in values):
        return
    # from left to right and from below, so that neighbouring squares share spots
    edges = ((0, 1), (1, 2), (3, 2), (0, 3))
    spots: list[Spot] = []
    for i, j in edges:
        share = _crossing(values[i], values[j])
        if share is not None:
            (a, b), (c, d) = corners[i], corners[j]
            spots.append((a + share * (c - a), b + share * (d - b)))
    if len(spots) == 2:
        yield spots[0], spots[1]
    elif len(spots) == 4:
        one = math.dist(spots[0], spots[1]) + math.dist(spots[2], spots[3])
        other = math.dist(spots[1], spots[2]) + math.dist(spots[3], spots[0])
        pairs = ((0, 1), (2, 3)) if one <= other else ((1, 2), (3, 0))
        yield from ((spots[i], spots[j]) for i, j in pairs)
