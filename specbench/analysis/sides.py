"""On which side of 1 a load lies, as far as launches can tell, and how surely."""

import math

from specbench.schema.comparison import Side
from specbench.stats.noisy_curve import NoisyCurve, Reading
from specbench.stats.students_t import t_quantile

SIGN_TAIL = 0.01
"""Chance of a wrong side at a load, one-sided, in the t test with MOST_DF."""
MOST_DF = 4.0
"""Degrees of freedom that the test is credited with at most, those between launches of
three launches of each arm. The variance knows more, as all loads share it; the rest
pays for asking at every load. With more launches a limit that followed them would claim
a difference in 4 to 8 % of A/A runs."""


def side_of(curve: NoisyCurve, place: int) -> Side:
    """By a one-sided t test at 1 %, credited with no more degrees of freedom than
    there are between launches, nor than MOST_DF. From the raw sign where nothing is
    known of the noise."""
    value = curve.values[place]
    if value == 0 or (curve.has_variance and margin_of(curve, place) <= 1):
        return Side.OPEN
    return Side.PAYS if value > 0 else Side.LOSES


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
    return least_sure(curve, curve.at(place))


def least_sure(curve: NoisyCurve, reading: Reading) -> float:
    """The distance from 0 beyond which a reading of the curve has a sure sign."""
    if reading.error == 0:
        return 0.0
    return t_quantile(SIGN_TAIL, sign_df(reading.df, curve)) * reading.error


def sign_df(df: float, curve: NoisyCurve) -> float:
    """Degrees of freedom that the test of a side is credited with."""
    return min(df, curve.replicate_df, MOST_DF)
