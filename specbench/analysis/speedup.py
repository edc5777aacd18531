"""From cells to comparisons: at each load the log figures of both arms, launches as
replicates. Void cells take no part."""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from specbench.analysis.figures import figure_of, form_of, is_all_good, name_of
from specbench.analysis.frame import CurveFrame, LoadFrame, Table
from specbench.analysis.queueing import only_arm_queues
from specbench.analysis.step_need import step_need
from specbench.schema.cell import Condition
from specbench.schema.comparison import (
    CLOSED_LOOP,
    OPEN_LOOP,
    Axis,
    SpeedupMetric,
)
from specbench.schema.findings import CellStats
from specbench.schema.sweep import BASELINE
from specbench.stats.means import arithmetic_mean

Replicates = dict[int, CellStats]
"""Cells of one arm at one load, by launch."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """A curve before it is decided."""

    frame: CurveFrame
    baseline: Table
    arm: Table
    launches: tuple[int, ...]
    """Of the tables' rows."""


def find_comparisons(
    cells: Sequence[CellStats], only: Sequence[SpeedupMetric] = ()
) -> tuple[Comparison, ...]:
    """One for each arm, metric and condition but for the load; of all metrics, or of
    those in `only`."""
    table: dict[tuple[Condition, str], Replicates] = defaultdict(dict)
    for cell in cells:
        table[cell.key.condition, cell.key.arm][cell.key.replicate] = cell
    pairs = sorted(key for key in table if key[1] != BASELINE)
    pairs.sort(key=lambda key: (_family(key[0]), key[1]))
    found: list[Comparison] = []
    for (_, arm), group in groupby(pairs, lambda k: (_family(k[0]), k[1])):
        loads = sorted((c for c, _ in group), key=lambda c: c.load)
        sides = [(table.get((c, BASELINE), {}), table[c, arm]) for c in loads]
        found += [
            _compare(arm, loads, sides, metric)
            for metric in _metrics(loads, sides)
            if not only or metric in only
        ]
    return tuple(found)


def _metrics(
    loads: Sequence[Condition], sides: Sequence[tuple[Replicates, Replicates]]
) -> Sequence[SpeedupMetric]:
    """What a loop is compared by; goodput only where some limit says what is good."""
    if not loads[0].is_open:
        return CLOSED_LOOP
    cells = [cell for side in sides for arm in side for cell in arm.values()]
    has_goodput = any(c.open_load and c.open_load.goodput for c in cells)
    return [m for m in OPEN_LOOP if has_goodput or m is not SpeedupMetric.GOODPUT]


def _family(c: Condition) -> tuple[str, str, int, float]:
    return (c.target, c.dataset, c.context, c.temperature)


def _compare(
    arm: str,
    loads: Sequence[Condition],
    sides: Sequence[tuple[Replicates, Replicates]],
    metric: SpeedupMetric,
) -> Comparison:
    first = loads[0]
    columns = [_Column.of(base, other, metric) for base, other in sides]
    launches = sorted({r for c in columns for r in (*c.baseline, *c.arm)})
    frames = tuple(
        _load_frame(condition, side, column, metric)
        for condition, side, column in zip(loads, sides, columns, strict=True)
    )
    return Comparison(
        frame=CurveFrame(
            target=first.target,
            dataset=first.dataset,
            context=first.context,
            temperature=first.temperature,
            arm=arm,
            metric=metric,
            axis=Axis.RATE if first.is_open else Axis.BATCH,
            loads=frames,
        ),
        baseline=_table([column.baseline for column in columns], launches, metric),
        arm=_table([column.arm for column in columns], launches, metric),
        launches=tuple(launches),
    )


@dataclass(frozen=True, slots=True)
class _Column:
    """The cells of one load that count for one metric, or why none does."""

    baseline: Replicates
    arm: Replicates
    missing: str | None

    @classmethod
    def of(
        cls, baseline: Replicates, arm: Replicates, metric: SpeedupMetric
    ) -> "_Column":
        """Cells whose figures are made in the same way in both arms; of several ways
        the one with the most cells."""
        of_base, why_base = _usable("baseline", baseline, metric)
        of_arm, why_arm = _usable("arm", arm, metric)
        if not of_base or not of_arm:
            return cls({}, {}, "; ".join(filter(None, (why_base, why_arm))))
        if metric is SpeedupMetric.GOODPUT and all(
            map(is_all_good, (*of_base.values(), *of_arm.values()))
        ):
            return cls({}, {}, "every request was good in both arms")
        forms = [form_of(c, metric) for c in (*of_base.values(), *of_arm.values())]
        shared = sorted(
            set(forms[: len(of_base)]) & set(forms[len(of_base) :]),
            key=lambda form: (-forms.count(form), form),
        )
        if not shared:
            return cls({}, {}, "the TPOTs of the two arms are made in different ways")
        return cls(
            {r: c for r, c in of_base.items() if form_of(c, metric) == shared[0]},
            {r: c for r, c in of_arm.items() if form_of(c, metric) == shared[0]},
            None,
        )


def _usable(
    name: str, cells: Replicates, metric: SpeedupMetric
) -> tuple[Replicates, str]:
    """Cells with a figure, and why there is none."""
    if not cells:
        return {}, f"the {name} was not measured"
    valid = {r: c for r, c in sorted(cells.items()) if not c.is_void}
    if not valid:
        return {}, f"the {name}'s cells are void"
    kept = {r: c for r, c in valid.items() if figure_of(c, metric)}
    return kept, "" if kept else f"the {name} has no {name_of(metric)}"


def _load_frame(
    condition: Condition,
    sides: tuple[Replicates, Replicates],
    column: _Column,
    metric: SpeedupMetric,
) -> LoadFrame:
    baseline, arm = ([c for c in side.values() if not c.is_void] for side in sides)
    batch = _mean_batch(baseline)
    return LoadFrame(
        condition=condition,
        x=condition.request_rate or batch or None,
        running_batch=batch,
        arm_running_batch=_mean_batch(arm),
        missing=column.missing,
        # at one rate the arms run different batches, which the formula does not know
        need=step_need(
            metric, tuple(column.baseline.values()), tuple(column.arm.values())
        )
        if column.missing is None and not condition.is_open
        else None,
        only_arm_queues=only_arm_queues(baseline, arm),
        arrivals=_arrivals(baseline),
    )


def _arrivals(cells: Sequence[CellStats]) -> int | None:
    """Of an open loop; the same for every arm and launch."""
    backlogs = [c.open_load.backlog for c in cells if c.open_load is not None]
    return next((b.due for b in backlogs if b is not None), None)


def _table(
    columns: Sequence[Replicates], launches: Sequence[int], metric: SpeedupMetric
) -> Table:
    """Log figures, one row for each launch of either arm."""
    return tuple(tuple(_logs(columns, launch, metric)) for launch in launches)


def _logs(
    columns: Sequence[Replicates], launch: int, metric: SpeedupMetric
) -> Iterator[float | None]:
    for column in columns:
        cell = column.get(launch)
        figure = figure_of(cell, metric) if cell else None
        yield math.log(figure) if figure else None


def _mean_batch(cells: Iterable[CellStats]) -> float | None:
    batches = [c.running_batch for c in cells if c.running_batch is not None]
    return arithmetic_mean(batches) if batches else None
