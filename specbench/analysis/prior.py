"""What an A/A run knew of launches, as the few launches of a sweep may use it."""

from collections.abc import Iterable
from dataclasses import dataclass

from specbench.schema.comparison import LaunchNoise, NoiseRecord, SpeedupMetric
from specbench.stats.mean_squares import MeanSquares, join
from specbench.stats.students_t import f_tail

ARM_NOISE_RATIO = 3.0
"""By how much more a speculating arm's launches differ than its baseline's, in standard
deviations; an A/A run measures the baseline only. Pooled over the replicated runs in
published/gpu-points.csv: 3.04, 95 % interval 2.1 to 4.3 (1.9 with an FP16 cache, 3.6
with an FP8 one)."""
ENOUGH_LAUNCHES = 3
"""From so many launches of an arm on, its own spread speaks for itself."""
UNLIKE = 0.01
"""A spread that the prior explains with less chance than this is not joined with it:
half for that of launches, half for that of cells."""


@dataclass(frozen=True, slots=True)
class Prior:
    """Mean squares of both arms as they are known from before."""

    baseline: MeanSquares
    arm: MeanSquares
    source: str
    """Where it comes from, in words."""


def find_prior(
    records: Iterable[NoiseRecord], target: str, metric: SpeedupMetric
) -> Prior | None:
    """The newest record of a target that knows the metric."""
    for record in sorted(records, key=lambda r: r.measured_utc, reverse=True):
        if record.target != target:
            continue
        for noise in record.noise:
            if noise.metric is metric and noise.launch.df > 0:
                words = f"the A/A run of {record.measured_utc[:10]} ({record.run_id})"
                return Prior(
                    baseline=squares_of(noise, 1.0),
                    arm=squares_of(noise, ARM_NOISE_RATIO),
                    source=words,
                )
    return None


def squares_of(noise: LaunchNoise, ratio: float) -> MeanSquares:
    """Mean squares of a table with as many loads, every deviation `ratio` times as
    large."""
    cell, launch = noise.cell.variance, noise.launch.variance
    return MeanSquares(
        row=ratio**2 * (cell + noise.loads * launch),
        row_df=noise.launch.df,
        cell=ratio**2 * cell,
        cell_df=noise.cell.df,
        per_row=noise.loads,
    )


def with_prior(own: MeanSquares, known: MeanSquares) -> tuple[MeanSquares, bool]:
    """The two joined, and whether they were: an arm with enough launches, or one whose
    launches differ by clearly more than is known, is left to itself."""
    if own.row_df >= ENOUGH_LAUNCHES - 1:
        return own, False
    joined = join(own, known)
    expected = known.cell + own.per_row * known.row_variance
    if _exceeds(own.row, own.row_df, expected, known.row_df):
        return own, False
    if _exceeds(own.cell, own.cell_df, known.cell, known.cell_df):
        return own, False
    return joined, True


def _exceeds(own: float, own_df: float, known: float, known_df: float) -> bool:
    """Whether a mean square is larger than the known one allows."""
    if own_df <= 0 or own == 0:
        return False
    if known <= 0 or known_df <= 0:
        return True
    return f_tail(own / known, own_df, known_df) < UNLIKE / 2
