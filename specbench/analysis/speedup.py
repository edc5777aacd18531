"""Arm against baseline: ratios at equal load, paired by launch. Void cells take no
part. Over 1 is better for the arm, whatever the metric."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import groupby

from specbench.schema.cell import Condition
from specbench.schema.estimate import Estimate, absent
from specbench.schema.findings import (
    CellStats,
    SpeedupCurve,
    SpeedupMetric,
    SpeedupPoint,
)
from specbench.schema.sweep import BASELINE
from specbench.stats.means import arithmetic_mean, geometric_mean

Replicates = dict[int, CellStats]


def find_curves(cells: Sequence[CellStats]) -> tuple[SpeedupCurve, ...]:
    """One curve for each arm, metric and condition but for the load."""
    table: dict[tuple[Condition, str], Replicates] = defaultdict(dict)
    for cell in cells:
        table[cell.key.condition, cell.key.arm][cell.key.replicate] = cell
    curves = []
    pairs = sorted(key for key in table if key[1] != BASELINE)
    pairs.sort(key=lambda key: (_family(key[0]), key[1]))
    for (family, arm), group in groupby(pairs, lambda k: (_family(k[0]), k[1])):
        loads = sorted((c for c, _ in group), key=lambda c: c.concurrency)
        target, dataset, context, temperature = family
        curves += [
            SpeedupCurve(
                target=target,
                dataset=dataset,
                context=context,
                temperature=temperature,
                arm=arm,
                metric=metric,
                points=tuple(
                    _point(c, table.get((c, BASELINE), {}), table[c, arm], metric)
                    for c in loads
                ),
            )
            for metric in SpeedupMetric
        ]
    return tuple(curves)


def _family(c: Condition) -> tuple[str, str, int, float]:
    return (c.target, c.dataset, c.context, c.temperature)


def _point(
    condition: Condition,
    baseline: Replicates,
    arm: Replicates,
    metric: SpeedupMetric,
) -> SpeedupPoint:
    return SpeedupPoint(
        condition=condition,
        speedup=_speedup(baseline, arm, metric),
        running_batch=_mean_batch(baseline.values()),
        arm_running_batch=_mean_batch(arm.values()),
    )


def _speedup(baseline: Replicates, arm: Replicates, metric: SpeedupMetric) -> Estimate:
    """Geometric mean of the ratios of equally numbered launches, with the lowest
    and the highest of them."""
    ratios = []
    reasons = []
    for replicate in sorted(baseline.keys() | arm.keys()):
        pair = (baseline.get(replicate), arm.get(replicate))
        ratio = _ratio(*pair, metric)
        if isinstance(ratio, str):
            reasons.append(ratio)
        else:
            ratios.append(ratio)
    if not ratios:
        return absent("; ".join(sorted(set(reasons))) or "no cell was measured")
    return Estimate(geometric_mean(ratios), min(ratios), max(ratios), n=len(ratios))


def _ratio(
    baseline: CellStats | None, arm: CellStats | None, metric: SpeedupMetric
) -> float | str:
    """The ratio of one pair of cells, or why there is none."""
    for name, cell in (("baseline", baseline), ("arm", arm)):
        if cell is None:
            return f"the {name} was not measured"
        if cell.is_void:
            return f"the {name}'s cell is void"
    assert baseline is not None
    assert arm is not None
    if metric is SpeedupMetric.TPOT:
        if baseline.latency_basis is not arm.latency_basis:
            return "the TPOTs of the two cells are over different parts of the run"
        if baseline.tpot_is_usual is not arm.tpot_is_usual:
            return "the TPOTs of the two cells are of different forms"
    below, above = _values(baseline, arm, metric)
    if not below or not above:
        return f"no {metric.value} in one of the cells"
    return above / below


def _values(
    baseline: CellStats, arm: CellStats, metric: SpeedupMetric
) -> tuple[float | None, float | None]:
    """Denominator and numerator, so that a ratio over 1 is better for the arm."""
    if metric is SpeedupMetric.THROUGHPUT:
        return (baseline.output_throughput, arm.output_throughput)
    return (
        arm.tpot.p50 if arm.tpot else None,
        baseline.tpot.p50 if baseline.tpot else None,
    )


def _mean_batch(cells: Iterable[CellStats]) -> float | None:
    batches = [
        c.running_batch for c in cells if c.running_batch is not None and not c.is_void
    ]
    return arithmetic_mean(batches) if batches else None
