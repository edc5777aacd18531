"""Tails and quantiles of Student's t and of F, for real degrees of freedom: variances
that are joined after Satterthwaite have fractions of them."""

import math
from functools import lru_cache

_TINY = 1e-300
_LARGEST = 1e300


def t_tail(value: float, df: float) -> float:
    """P(T > value) for T with `df` > 0 degrees of freedom; infinite ones are allowed.

    I_x(df/2, 1/2) / 2 with x = df / (df + value^2) for value >= 0 (Abramowitz & Stegun
    1964, 26.7.1 and 26.5.27).
    """
    if not df > 0:
        raise ValueError(f"degrees of freedom must be above 0, got {df}")
    if value < 0:
        return 1.0 - t_tail(-value, df)
    if math.isinf(df):
        return math.erfc(value / math.sqrt(2)) / 2
    square = value * value
    # x and 1 - x apart: near 1 the difference would have no digits left
    return 0.5 * _beta_share(df / 2, 0.5, df / (df + square), square / (df + square))


@lru_cache(maxsize=4096)
def t_quantile(tail: float, df: float) -> float:
    """The value that T exceeds with chance `tail`, which lies in (0, 1)."""
    if not 0 < tail < 1:
        raise ValueError(f"a tail's chance lies between 0 and 1, got {tail}")
    if tail > 0.5:
        return -t_quantile(1 - tail, df)
    low, high = 0.0, 1.0
    while t_tail(high, df) > tail and high < _LARGEST:
        low, high = high, 2 * high
    while True:
        middle = low + (high - low) / 2
        if middle in (low, high):
            return middle
        if t_tail(middle, df) > tail:
            low = middle
        else:
            high = middle


def f_tail(ratio: float, df_above: float, df_below: float) -> float:
    """P(F > ratio) for a ratio of two mean squares (A & S 26.6.2)."""
    if ratio <= 0:
        return 1.0
    total = df_below + df_above * ratio
    return _beta_share(
        df_below / 2, df_above / 2, df_below / total, df_above * ratio / total
    )


def _beta_share(a: float, b: float, x: float, rest: float) -> float:
    """Regularised incomplete beta function I_x(a, b), with `rest` = 1 - x."""
    if x <= 0:
        return 0.0
    if rest <= 0:
        return 1.0
    log_front = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
    front = math.exp(log_front + a * math.log(x) + b * math.log(rest))
    # the fraction converges fast on one side of the mean, so the symmetry is used
    if x < (a + 1) / (a + b + 2):
        return front * _fraction(a, b, x) / a
    return 1.0 - front * _fraction(b, a, rest) / b


def _fraction(a: float, b: float, x: float) -> float:
    """The continued fraction of I_x(a, b) (A & S 26.5.8), evaluated forwards after
    Lentz: numerator and denominator ratios c and d, kept off zero."""
    c = 1.0
    d = 1.0 / _off_zero(1.0 - (a + b) * x / (a + 1))
    value = d
    for m in range(1, 100_000):
        for term in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1.0 / _off_zero(1.0 + term * d)
            c = _off_zero(1.0 + term / c)
            value *= c * d
        if abs(c * d - 1.0) < 1e-15:
            break
    return value


def _off_zero(value: float) -> float:
    return value if abs(value) > _TINY else _TINY
