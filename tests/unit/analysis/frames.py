"""Small makers of what a decision is made of: loads, tables of log figures, and the
answer that they come to. A test names only what it is about."""

import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from random import Random
from typing import Any

from specbench.analysis.decide import decide
from specbench.analysis.frame import CurveFrame, LoadFrame, Table
from specbench.analysis.prior import Prior
from specbench.schema.comparison import Axis, BreakEven, Side, SpeedupMetric
from specbench.stats.mean_squares import MeanSquares
from tests.factories import condition
from tests.unit.stats.simulated import noisy_table

OCTAVES = (1, 2, 4, 8, 16, 32, 64, 128, 256)


def load_frame(concurrency: int, **changes: Any) -> LoadFrame:
    """A load whose engine runs all that is asked, in both arms."""
    batch = float(concurrency)
    made = LoadFrame(condition(concurrency), batch, batch, batch)
    return replace(made, **changes)


def frame(
    loads: Sequence[int] = OCTAVES,
    batches: Sequence[float | None] | None = None,
    only_arm_queues: Collection[int] = (),
    axis: Axis = Axis.BATCH,
) -> CurveFrame:
    """A throughput curve of one arm over these concurrencies."""
    xs = [float(load) for load in loads] if batches is None else list(batches)
    return CurveFrame(
        target="target",
        dataset="questions",
        context=0,
        temperature=0.0,
        arm="ngram",
        metric=SpeedupMetric.THROUGHPUT,
        axis=axis,
        loads=tuple(
            load_frame(
                load, x=x, running_batch=x, only_arm_queues=load in only_arm_queues
            )
            for load, x in zip(loads, xs, strict=True)
        ),
    )


def over_contexts(
    contexts: Sequence[int], places: Sequence[float | None] | None = None
) -> CurveFrame:
    """The same at concurrency 32, over contexts."""
    xs = [float(c) for c in contexts] if places is None else list(places)
    return replace(
        frame(()),
        axis=Axis.CONTEXT,
        loads=tuple(
            load_frame(32, condition=condition(32, context=context), x=x)
            for context, x in zip(contexts, xs, strict=True)
        ),
    )


def exact(speedups: Sequence[float | None], launches: int = 1) -> tuple[Table, Table]:
    """Baseline and arm without any noise; a speedup of None is a cell without a
    figure."""
    arm = tuple(None if s is None else math.log(s) for s in speedups)
    return ((0.0,) * len(arm),) * launches, (arm,) * launches


def simulated(
    random: Random,
    logs: Sequence[float],
    noise: float,
    launches: int = 3,
    absent: float = 0.0,
) -> tuple[Table, Table]:
    """Baseline and arm of this log speedup: half of the arm's variance is its
    launches', the baseline's deviations are half as large."""
    deviations = (noise * math.sqrt(0.5), noise * math.sqrt(0.5))
    halves = (deviations[0] / 2, deviations[1] / 2)
    base = noisy_table(random, [0.0] * len(logs), launches, halves, absent)
    return base, noisy_table(random, logs, launches, deviations, absent)


def answer(
    tables: tuple[Table, Table],
    curve: CurveFrame | None = None,
    prior: Prior | None = None,
    answers: int = 1,
) -> BreakEven:
    """The break-even of baseline and arm; loads are octaves unless given."""
    if curve is None:
        width = max((len(row) for row in tables[1]), default=0)
        curve = frame(OCTAVES[:width])
    return decide(curve, *tables, prior=prior, answers=answers)[1]


def raw(speedups: Sequence[float | None], curve: CurveFrame | None = None) -> BreakEven:
    """Of one launch of each arm."""
    return answer(exact(speedups), curve)


def sides(found: BreakEven) -> list[Side]:
    return [point.side for point in found.curve.points]


def prior(
    deviation: float = 0.02, df: float = 10, columns: int = 9, ratio: float = 1.0
) -> Prior:
    """Launch noise as an A/A run knows it: equal shares of launch and cell."""
    variance = deviation**2 / 2

    def squares(factor: float) -> MeanSquares:
        return MeanSquares(
            row=factor**2 * (1 + columns) * variance,
            row_df=df,
            cell=factor**2 * variance,
            cell_df=df * (columns - 1),
            per_row=columns,
        )

    return Prior(squares(1.0), squares(ratio), "the A/A run of 2026-01-02 (aa1)")


Shape = Callable[[float], float]
"""Log speedup over log2 of the load."""


def root_of(shape: Shape, low: float = 0.0, high: float = 8.0) -> float:
    """Where it crosses zero, once."""
    is_positive = shape(low) > 0
    for _ in range(80):
        middle = (low + high) / 2
        if (shape(middle) > 0) is is_positive:
            low = middle
        else:
            high = middle
    return (low + high) / 2
