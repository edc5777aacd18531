"""Where a sampled curve crosses a level, from the raw values alone: no interval, no
noise model. What lies between two samples is interpolated, never beyond them."""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SignChange:
    """A change of side between two neighbouring samples."""

    left: int
    """Index of the sample before the change."""
    is_downward: bool


def sign_changes(values: Sequence[float]) -> list[SignChange]:
    """Neighbours that lie on different sides of zero. A value of exactly zero
    counts as not below: it sides with the positive ones."""
    return [
        SignChange(left=i, is_downward=a >= 0)
        for i, (a, b) in enumerate(itertools.pairwise(values))
        if (a >= 0) != (b >= 0)
    ]


def root_weight(left: float, right: float) -> float:
    """Share of the way from left to right at which a straight line meets zero."""
    if (left >= 0) == (right >= 0):
        raise ValueError("no sign change between the two values")
    return left / (left - right)


def interpolate_log2(left: float, right: float, weight: float) -> float:
    """The point `weight` of the way from left to right on a log2 axis."""
    if left <= 0 or right <= 0:
        raise ValueError("a log axis needs values above zero")
    return float(2 ** (math.log2(left) + weight * (math.log2(right) - math.log2(left))))


def falling_root(values: Sequence[float]) -> tuple[int, float]:
    """Where a curve that falls through zero once does so, though noise may let its
    samples rise here and there: index of the sample before, and the share of the way to
    the next. The first value is above zero, the last below.

    Neighbours that rise are replaced by their mean until none does (isotonic
    regression by pooling adjacent violators, Ayer et al. 1955); without any, this is
    the plain interpolation.
    """
    if not (values and values[0] >= 0 > values[-1]):
        raise ValueError("the curve does not fall through zero")
    blocks: list[tuple[float, int]] = []
    """Sum and count of the samples that were pooled."""
    for value in values:
        blocks.append((value, 1))
        while len(blocks) > 1 and _mean(blocks[-2]) < _mean(blocks[-1]):
            total, count = blocks.pop()
            before = blocks.pop()
            blocks.append((before[0] + total, before[1] + count))
    level = [_mean(block) for block in blocks for _ in range(block[1])]
    left = sign_changes(level)[0].left
    return left, root_weight(level[left], level[left + 1])


def _mean(block: tuple[float, int]) -> float:
    return block[0] / block[1]
