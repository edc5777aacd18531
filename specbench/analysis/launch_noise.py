"""How much the launches of each arm differ in this run: what every interval rests on,
and what no comparison can go below."""

from collections.abc import Iterable

from specbench.analysis.frame import Table
from specbench.analysis.speedup import Comparison
from specbench.schema.comparison import ArmNoise, Component, LaunchNoise, SpeedupMetric
from specbench.schema.sweep import BASELINE
from specbench.stats.mean_squares import mean_squares


def find_noise(comparisons: Iterable[Comparison]) -> tuple[ArmNoise, ...]:
    """For each arm, the baseline included, condition and metric with two launches or
    more."""
    found: dict[tuple[object, ...], ArmNoise] = {}
    for comparison in comparisons:
        frame = comparison.frame
        family = (frame.target, frame.dataset, frame.context, frame.temperature)
        for arm, table in (
            (BASELINE, comparison.baseline),
            (frame.arm, comparison.arm),
        ):
            noise = noise_of(table, frame.metric)
            if noise is not None:
                found.setdefault(
                    (*family, arm, frame.metric), ArmNoise(*family, arm, noise)
                )
    return tuple(found.values())


def noise_of(table: Table, metric: SpeedupMetric) -> LaunchNoise | None:
    """Variance components of one arm's log figures; None with a single launch, and
    where launches and cells cannot be told apart (one load)."""
    squares = mean_squares(table)
    if squares.row_df == 0 or squares.cell_df == 0:
        return None
    return LaunchNoise(
        metric=metric,
        launch=Component(squares.row_variance, squares.row_df),
        cell=Component(squares.cell, squares.cell_df),
        launches=sum(any(v is not None for v in row) for row in table),
        loads=sum(
            any(row[c] is not None for row in table) for c in range(_width(table))
        ),
    )


def _width(table: Table) -> int:
    return max((len(row) for row in table), default=0)
