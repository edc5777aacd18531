"""From rows of measured points to the curves that they allow. An arm is set beside a
baseline only where all that the rows say of the setting agrees; what is not given
equals only what is not given. Without such a baseline there is no speedup."""

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass

from specbench.analysis.context_axis import FramedTables
from specbench.analysis.frame import CurveFrame, LoadFrame, Table
from specbench.schema.cell import Condition
from specbench.schema.comparison import CLOSED_LOOP, Axis, SpeedupMetric
from specbench.schema.point import (
    BASELINE_ARM,
    Point,
    PointArm,
    PointForm,
    PointTable,
    Setting,
)

NO_CONTEXT = 0
NO_TEMPERATURE = 0.0
"""Stand where the schema wants a value and the points have none; never shown."""


@dataclass(frozen=True, slots=True)
class PointCurve:
    """One metric of one arm over its loads."""

    setting: Setting
    arm: PointArm
    tables: FramedTables
    lacking: str = ""
    """Which baseline there is not; empty = there is one."""

    @property
    def has_replicates(self) -> bool:
        """Whether both sides were measured more than once."""
        both = (self.tables.baseline, self.tables.arm)
        return all(
            sum(any(figure is not None for figure in row) for row in table) > 1
            for table in both
        )


def pair_points(table: PointTable) -> tuple[PointCurve, ...]:
    """Curves by rising load, settings and arms in the order of their first row."""
    groups: dict[tuple[Setting, PointArm], list[Point]] = {}
    for point in table.points:
        groups.setdefault((point.setting, point.arm), []).append(point)
    baselines = {
        setting: points for (setting, arm), points in groups.items() if arm.is_baseline
    }
    pairing = _Pairing(
        form=table.form,
        replicates=sorted({point.replicate for point in table.points}),
        baselines=baselines,
    )
    settings = dict.fromkeys(setting for setting, _ in groups)
    order = {setting: place for place, setting in enumerate(settings)}
    arms = [key for key in groups if not key[1].is_baseline]
    arms.sort(key=lambda key: order[key[0]])
    return tuple(
        pairing.curve(setting, arm, groups[setting, arm], metric)
        for setting, arm in arms
        for metric in CLOSED_LOOP
        if any(metric in point.figures for point in groups[setting, arm])
    )


@dataclass(frozen=True, slots=True)
class _Pairing:
    """What all curves of a file share."""

    form: PointForm
    replicates: Sequence[int]
    """Row n of every table is the same replicate."""
    baselines: dict[Setting, list[Point]]

    def curve(
        self,
        setting: Setting,
        arm: PointArm,
        points: Sequence[Point],
        metric: SpeedupMetric,
    ) -> PointCurve:
        lacking = ""
        loads = sorted({point.load for point in points})
        figures = _logs(points, metric, loads, self.replicates)
        if self.form is PointForm.SPEEDUPS:
            baseline: Table = (tuple(0.0 for _ in loads),)
            figures = _logs_of_ratios(points, metric, loads)
        else:
            known = self.baselines.get(setting, [])
            baseline = _logs(known, metric, loads, self.replicates)
            lacking = "" if known else lacking_baseline(setting, self.baselines)
        frames = tuple(
            LoadFrame(
                condition=_condition(setting, load),
                x=float(load),
                running_batch=None,
                arm_running_batch=None,
                missing=lacking
                or _missing(
                    baseline,
                    figures,
                    column,
                    f"figure for {metric.value} at {self.form.load} {load}",
                ),
            )
            for column, load in enumerate(loads)
        )
        frame = CurveFrame(
            target=setting.model,
            dataset=setting.dataset,
            context=setting.context or NO_CONTEXT,
            temperature=NO_TEMPERATURE,
            arm=arm.name,
            metric=metric,
            axis=Axis.CONCURRENCY,
            loads=frames,
        )
        tables = FramedTables(frame, baseline, figures)
        return PointCurve(setting, arm, tables, lacking)


def _logs(
    points: Sequence[Point],
    metric: SpeedupMetric,
    loads: Sequence[int],
    replicates: Sequence[int],
) -> Table:
    """Log figures, higher is better: a time counts by its inverse."""
    sign = 1 if metric is SpeedupMetric.THROUGHPUT else -1
    figures = {
        (point.replicate, point.load): sign * math.log(point.figures[metric])
        for point in points
        if metric in point.figures
    }
    return tuple(
        tuple(figures.get((replicate, load)) for load in loads)
        for replicate in replicates
    )


def _logs_of_ratios(
    points: Sequence[Point], metric: SpeedupMetric, loads: Sequence[int]
) -> Table:
    ratios = {
        p.load: math.log(p.figures[metric]) for p in points if metric in p.figures
    }
    return (tuple(ratios.get(load) for load in loads),)


def _condition(setting: Setting, load: int) -> Condition:
    return Condition(
        target=setting.model,
        dataset=setting.dataset,
        context=setting.context or NO_CONTEXT,
        temperature=NO_TEMPERATURE,
        concurrency=load,
    )


def _missing(baseline: Table, arm: Table, column: int, what: str) -> str | None:
    """Why there is no speedup at a load; None where there is one."""
    for name, table in (("baseline", baseline), ("arm", arm)):
        if all(row[column] is None for row in table):
            return f"the {name} has no {what}"
    return None


def lacking_baseline(setting: Setting, known: dict[Setting, list[Point]]) -> str:
    """Which baseline there is not, with what is wrong with the nearest one."""
    if not known:
        return f"the file has no baseline: no row with drafter `{BASELINE_ARM.drafter}`"
    differing = min((_differing(setting, other) for other in known), key=len)
    return "no baseline of its own: the nearest one has " + ", ".join(
        f"{name} {_said(theirs)} instead of {_said(own)}"
        for name, own, theirs in differing
    )


def _differing(own: Setting, other: Setting) -> list[tuple[str, object, object]]:
    names = [field.name for field in dataclasses.fields(Setting)]
    pairs = [(name, getattr(own, name), getattr(other, name)) for name in names]
    return [(name, a, b) for name, a, b in pairs if a != b]


def _said(value: object) -> str:
    return "not given" if value in ("", None) else str(value)
