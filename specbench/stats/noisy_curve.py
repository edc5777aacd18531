"""The difference of two replicated curves at shared places, with what is uncertain of
it: between the places it is taken as linear, and what that can be off by is allowed
for."""

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from specbench.stats.replicated_means import ReplicatedMeans, Term, joined_df
from specbench.stats.students_t import t_quantile, t_tail

ROUNDING = 1e-12
"""A value this small, without any noise, is zero; so is an error."""


@dataclass(frozen=True, slots=True)
class Reading:
    """The curve at one place."""

    value: float
    error: float
    """Standard error."""
    df: float
    """Degrees of freedom behind it."""
    bias: float
    """What the straight line between the neighbours may be off by; 0 at a place that
    was measured."""

    def half_width(self, tail: float, most_df: float = math.inf) -> float:
        """Of the interval that misses on each side with chance `tail`."""
        if self.error == 0:
            return self.bias
        return t_quantile(tail, min(self.df, most_df)) * self.error + self.bias

    def chance_beyond(self, most_df: float = math.inf) -> float:
        """Chance of a value so far from 0, on its side, where the truth is 0: a half
        or more inside the bias. The value 0 lies in the interval of `half_width` where
        this is at least its tail."""
        excess = abs(self.value) - self.bias
        if self.error == 0:
            return 0.0 if excess > ROUNDING else 1.0
        return t_tail(excess / self.error, min(self.df, most_df))


@dataclass(frozen=True)
class NoisyCurve:
    """`upper` less `lower`, at the places `x`. Every column has a mean in both."""

    x: tuple[float, ...]
    """Strictly rising."""
    upper: ReplicatedMeans
    lower: ReplicatedMeans
    steps: tuple[int, ...] = ()
    """Where a place is the sum of that many random steps of one sequence, stretched to
    its length: how many, for each place. Empty = the places are what they are."""

    def __post_init__(self) -> None:
        if any(a >= b for a, b in itertools.pairwise(self.x)):
            raise ValueError("the places of a curve must rise")

    @cached_property
    def values(self) -> tuple[float, ...]:
        """The difference at each place."""
        return tuple(
            _there(a) - _there(b)
            for a, b in zip(self.upper.means, self.lower.means, strict=True)
        )

    @property
    def has_variance(self) -> bool:
        """Whether anything can be said of its uncertainty: both sides have replicates,
        or are known from elsewhere."""
        return self.upper.has_variance and self.lower.has_variance

    @property
    def replicate_df(self) -> float:
        """Degrees of freedom between replicates, of both sides: the least that any
        statement about the curve can rest on."""
        return self.upper.squares.row_df + self.lower.squares.row_df

    def at(self, left: int, weight: float = 0.0) -> Reading:
        """The curve `weight` of the way from place `left` to the next.

        The variance of each side is that of its weighted means (`variance_terms`);
        degrees of freedom after Satterthwaite. The bias of the straight line is
        weight (1 - weight) / 2 x h^2 x |second derivative| (the remainder of linear
        interpolation), from the second difference at either neighbour, whichever is
        larger, less what noise explains of it; half of that where the two have
        opposite signs, so that the curve bends one way and back in between. Places
        that are sums of random steps wander in between, by `wander`; the curve moves
        along with them by its slope, and twice that is in the bias.
        """
        weights = {left: 1.0 - weight, left + 1: weight} if weight else {left: 1.0}
        bias = 0.0
        if weight:
            width = self.x[left + 1] - self.x[left]
            before, after = self._bends[left], self._bends[left + 1]
            bend = max(abs(before), abs(after))
            if before * after < 0:
                bend /= 2
            bias = weight * (1 - weight) / 2 * width**2 * bend
            if self.steps:
                slope = (self.values[left + 1] - self.values[left]) / width
                few, many = self.steps[left], self.steps[left + 1]
                bias += 2 * abs(slope) * wander(few, many, weight)
        return self._sum(weights, bias)

    def slope(self) -> Reading | None:
        """The straight line of least squares through all places, each as heavy: its
        change for one of x. None with fewer than two places."""
        if len(self.x) < 2:
            return None
        middle = math.fsum(self.x) / len(self.x)
        across = math.fsum((x - middle) ** 2 for x in self.x)
        return self._sum({p: (x - middle) / across for p, x in enumerate(self.x)}, 0.0)

    def _sum(self, weights: Mapping[int, float], bias: float) -> Reading:
        """A weighted sum of the values at the places, with its error."""
        values = self.values
        terms = self._terms(weights)
        error = math.sqrt(math.fsum(term.variance for term in terms))
        return Reading(
            value=math.fsum(values[place] * w for place, w in weights.items()),
            error=error if error > ROUNDING else 0.0,
            df=joined_df(terms),
            bias=bias,
        )

    def _terms(self, weights: Mapping[int, float]) -> Sequence[Term]:
        return (
            *self.upper.variance_terms(weights),
            *self.lower.variance_terms(weights),
        )

    @cached_property
    def _bends(self) -> tuple[float, ...]:
        return tuple(map(self._bend, range(len(self.x))))

    def _bend(self, place: int) -> float:
        """Second derivative at a place that has two neighbours, from divided
        differences, less its own noise; 0 at the ends."""
        if not 0 < place < len(self.x) - 1:
            return 0.0
        before, after = (
            self.x[place] - self.x[place - 1],
            self.x[place + 1] - self.x[place],
        )
        half = (before + after) / 2
        weights = {
            place - 1: 1 / (before * half),
            place: -(1 / before + 1 / after) / half,
            place + 1: 1 / (after * half),
        }
        values = self.values
        bend = math.fsum(values[p] * w for p, w in weights.items())
        noise = math.fsum(term.variance for term in self._terms(weights))
        return math.copysign(math.sqrt(max(0.0, bend * bend - noise)), bend)


def _there(mean: float | None) -> float:
    if mean is None:
        raise ValueError("a column of the curve has no figure")
    return mean


def wander(few: int, many: int, weight: float) -> float:
    """Standard deviation, in units of log2, of how far a sum of n exponential steps,
    stretched as `few` and as `many` of them are to come out even, is off where n lies
    `weight` of the way between: sqrt(w (1 - w) (many - few)) / n, that of a random
    walk tied down at both ends (Brownian bridge), whose steps vary by their mean. None
    is added between equal numbers, which are one pattern."""
    between = weight * (1 - weight) * max(0, many - few)
    return math.sqrt(between) / (few + weight * (many - few)) / math.log(2)
