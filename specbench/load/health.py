"""What the load processes saw of themselves, summarised over a cell."""

from collections.abc import Sequence

from specbench.load.lag import LOOP_GRAIN_S, ProcessWatch
from specbench.schema.record import ClientHealth
from specbench.stats.quantiles import quantile


def summarise_watches(watches: Sequence[ProcessWatch], expected: int) -> ClientHealth:
    """Health of a cell's client, all its processes together. The higher of the two
    measures counts, the coarse one less its grain."""
    stamps = sorted(lag for watch in watches for lag in watch.stamp_lags)
    loops = sorted(
        max(0.0, lag - LOOP_GRAIN_S) for watch in watches for lag in watch.loop_lags
    )
    return ClientHealth(
        lag_p50_s=_quantile(stamps or loops, 0.5),
        lag_p99_s=_highest(_quantile(stamps, 0.99), _quantile(loops, 0.99)),
        lag_max_s=_highest(_quantile(stamps, 1.0), _quantile(loops, 1.0)),
        lag_samples=len(stamps),
        cpu_share=max((watch.cpu_share for watch in watches), default=None),
        processes=len(watches),
        lag_expected=expected,
    )


def _quantile(ordered: Sequence[float], share: float) -> float | None:
    return quantile(ordered, share) if ordered else None


def _highest(*values: float | None) -> float | None:
    return max((value for value in values if value is not None), default=None)
