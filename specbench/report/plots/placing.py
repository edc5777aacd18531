"""Where a label goes: of some boxes, the one that the fewest curves and earlier labels
lie in. All in fractions of the panel; knows nothing of matplotlib."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

Point = tuple[float, float]
STEPS = 40
"""Samples along each stretch of a curve."""
LABEL_WEIGHT = 1000
"""A label on a label is worse than a label on any curve."""


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle: left lower corner and size."""

    x: float
    y: float
    width: float
    height: float

    def holds(self, point: Point) -> bool:
        """Whether a point lies inside."""
        return (
            self.x <= point[0] <= self.x + self.width
            and self.y <= point[1] <= self.y + self.height
        )

    def meets(self, other: "Box") -> bool:
        """Whether two boxes share any area."""
        return (
            self.x < other.x + other.width
            and other.x < self.x + self.width
            and self.y < other.y + other.height
            and other.y < self.y + self.height
        )

    def sticks_out(self) -> bool:
        """Whether it leaves the panel."""
        return (
            self.x < 0
            or self.y < 0
            or self.x + self.width > 1
            or self.y + self.height > 1
        )


def place_box(
    boxes: Sequence[Box], curves: Sequence[Sequence[Point]], taken: Sequence[Box]
) -> Box:
    """The freest box; the first of equally free ones."""
    samples = [point for curve in curves for point in _walk(curve)]

    def cost(box: Box) -> int:
        hidden = sum(box.holds(point) for point in samples)
        clashes = sum(box.meets(other) for other in taken) + box.sticks_out()
        return hidden + LABEL_WEIGHT * clashes

    return min(boxes, key=cost)


def _walk(curve: Sequence[Point]) -> list[Point]:
    """The curve as dense points."""
    points = list(curve)
    for (x0, y0), (x1, y1) in pairwise(curve):
        for step in range(1, STEPS):
            share = step / STEPS
            points.append((x0 + share * (x1 - x0), y0 + share * (y1 - y0)))
    return points
