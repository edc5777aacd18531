"""Where the speedup map crosses 1: places on a grid whose steps are the measured loads
and contexts, log speedup taken as linear between neighbours, as in the break-evens."""

import bisect
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from specbench.report.context_map import ContextMap, MapCell
from specbench.schema.comparison import Side

Spot = tuple[float, float]
"""Load and context, counted in cells from 0."""


class Piece(NamedTuple):
    """A straight piece of the line."""

    start: Spot
    end: Spot
    is_told: bool
    """Whether it runs between cells that are told from 1, one on either side."""


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


def contour_pieces(shown: ContextMap) -> list[Piece]:
    """The line on which the speedup is 1, through each square of four neighbouring
    cells; in a saddle the crossings that lie nearest to one another are joined. Where a
    crossing between two neighbours lies in no such square, since a cell beside them
    has no speedup, a short mark stands across."""
    cells = [[_cell(cell) for cell in row] for row in shown.rows]
    first = sum(c == 0 for c in shown.contexts)
    drawn = [
        piece
        for y in range(first, len(cells) - 1)
        for x in range(len(shown.loads) - 1)
        for piece in _through(cells, x, y)
    ]
    joined = {spot for piece in drawn for spot in (piece.start, piece.end)}
    return drawn + [mark for spot, mark in _marks(cells, first) if spot not in joined]


@dataclass(frozen=True, slots=True)
class _Cell:
    """A place of the map."""

    log: float | None
    """Of the speedup."""
    side: Side


def _cell(cell: MapCell) -> _Cell:
    if cell.point is None or not cell.point.speedup.value:
        return _Cell(None, Side.UNKNOWN)
    return _Cell(math.log(cell.point.speedup.value), cell.point.side)


@dataclass(frozen=True, slots=True)
class _Crossing:
    """Where the line passes between two neighbours."""

    share: float
    """Of the way from one to the other."""
    is_told: bool


def _crossing(one: _Cell, other: _Cell) -> _Crossing | None:
    if one.log is None or other.log is None or (one.log > 0) is (other.log > 0):
        return None
    is_told = {one.side, other.side} == {Side.PAYS, Side.LOSES}
    return _Crossing(one.log / (one.log - other.log), is_told)


def _marks(
    cells: Sequence[Sequence[_Cell]], first: int
) -> Iterator[tuple[Spot, Piece]]:
    """Each crossing between two neighbours, with a mark across."""
    for y, row in enumerate(cells):
        for x, cell in enumerate(row):
            if x + 1 < len(row) and (found := _crossing(cell, row[x + 1])):
                at = x + found.share
                yield (at, y), Piece((at, y - MARK), (at, y + MARK), found.is_told)
            if first <= y < len(cells) - 1 and (
                found := _crossing(cell, cells[y + 1][x])
            ):
                at = y + found.share
                yield (x, at), Piece((x - MARK, at), (x + MARK, at), found.is_told)


def _through(cells: Sequence[Sequence[_Cell]], x: int, y: int) -> Iterator[Piece]:
    corners = ((x, y), (x + 1, y), (x + 1, y + 1), (x, y + 1))
    values = [cells[b][a] for a, b in corners]
    if any(value.log is None for value in values):
        return
    # from left to right and from below, so that neighbouring squares share spots
    edges = ((0, 1), (1, 2), (3, 2), (0, 3))
    spots: list[Spot] = []
    told: list[bool] = []
    for i, j in edges:
        found = _crossing(values[i], values[j])
        if found is not None:
            (a, b), (c, d) = corners[i], corners[j]
            spots.append((a + found.share * (c - a), b + found.share * (d - b)))
            told.append(found.is_told)
    pairs: tuple[tuple[int, int], ...] = ((0, 1),) if len(spots) == 2 else ()
    if len(spots) == 4:
        one = math.dist(spots[0], spots[1]) + math.dist(spots[2], spots[3])
        other = math.dist(spots[1], spots[2]) + math.dist(spots[3], spots[0])
        pairs = ((0, 1), (2, 3)) if one <= other else ((1, 2), (3, 0))
    for i, j in pairs:
        yield Piece(spots[i], spots[j], told[i] and told[j])
