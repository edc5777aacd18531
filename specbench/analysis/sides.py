"""On which side of 1 a load lies, as far as launches can tell, and how surely."""

import math

from specbench.schema.comparison import Side
from specbench.stats.noisy_curve import NoisyCurve
from specbench.stats.students_t import t_quantile

SIGN_TAIL = 0.01
"""Chance of a wrong side at a load, one-sided."""


def side_of(curve: NoisyCurve, place: int) -> Side:
    """By a one-sided t test at 1 %, credited with no more degrees of freedom than
    there are between launches: the pooled variance of the cells then pays for asking
    at every load. From the raw sign where nothing is known of the noise."""
    value = curve.values[place]
    if curve.has_variance and margin_of(curve, place) <= 1:
        return Side.OPEN
    return Side.PAYS if value >= 0 else Side.LOSES


def margin_of(curve: NoisyCurve, place: int) -> float:
    """How far beyond its test a load lies: 1 = just decided; infinite without a
    test."""
    if not curve.has_variance:
        return math.inf
    limit = least_told(curve, place)
    distance = abs(curve.values[place])
    if limit == 0:
        return math.inf if distance else 0.0
    return distance / limit


def least_told(curve: NoisyCurve, place: int) -> float:
    """The distance from 0 at which a load is just decided."""
    reading = curve.at(place)
    if reading.error == 0:
        return 0.0
    return t_quantile(SIGN_TAIL, min(reading.df, curve.replicate_df)) * reading.error
