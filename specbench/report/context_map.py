"""The speedup map: batch x context of one arm by one metric, each cell with its speedup
or with what is known in its place. Tables and the heat map both show these."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from specbench.report.facts import RunFacts
from specbench.report.naming import map_title
from specbench.schema.cell import Condition
from specbench.schema.comparison import BreakEven, SpeedupMetric, SpeedupPoint
from specbench.schema.context import CriticalContext, OverContext
from specbench.schema.findings import RunFindings
from specbench.schema.sweep import BASELINE

SHOWN_METRICS = (
    SpeedupMetric.THROUGHPUT,
    SpeedupMetric.TPOT,
    SpeedupMetric.E2E,
    SpeedupMetric.GOODPUT,
)
"""One map each where they were compared: two of a closed loop, three of an open one.
The data files have all metrics."""


class CellKind(StrEnum):
    """What is known at one place of the map."""

    COMPARED = "compared"
    NO_SPEEDUP = "no speedup"
    """Measured, but the cells are void or lack the figure."""
    PLANNED_OUT = "does not fit"
    """No arm could serve it."""
    NOT_MEASURED = "not measured"


@dataclass(frozen=True, slots=True)
class MapCell:
    """One load at one context."""

    kind: CellKind
    point: SpeedupPoint | None
    """Of a compared cell."""


@dataclass(frozen=True, slots=True)
class ContextMap:
    """One arm by one metric; contexts and loads rise."""

    target: str
    dataset: str
    temperature: float
    arm: str
    metric: SpeedupMetric
    contexts: tuple[int, ...]
    """0 = prompts as the data set has them."""
    loads: tuple[Condition, ...]
    """One condition for each load; its context means nothing here."""
    rows: tuple[tuple[MapCell, ...], ...]
    """A row for each context, a cell for each load."""
    over: OverContext | None
    """What the arm comes to over its contexts; None with fewer than two of a given
    length."""

    @property
    def break_evens(self) -> tuple[BreakEven, ...]:
        """On the axis of contexts, one for each load that has one."""
        return self.over.break_evens if self.over else ()

    @property
    def critical(self) -> CriticalContext | None:
        """Where speedup begins to grow with the load."""
        return self.over.critical if self.over else None

    def title(self, facts: RunFacts) -> str:
        """Arm, target, engine, data set, temperature."""
        return map_title(self.arm, self.loads[0], facts)


Family = tuple[str, str, float]
"""Target, data set, temperature."""


def make_maps(findings: RunFindings) -> tuple[ContextMap, ...]:
    """A map for each arm, data set and temperature of a target that was to be measured
    at two contexts or more, by each metric that was compared."""
    arms: dict[Family, dict[str, None]] = {}
    conditions: dict[Family, set[Condition]] = {}
    for cell in findings.cells:
        place = _family(cell.key.condition)
        conditions.setdefault(place, set()).add(cell.key.condition)
        if cell.key.arm != BASELINE:
            arms.setdefault(place, {})[cell.key.arm] = None
    for out in findings.planned_out:
        place = _family(out.condition)
        conditions.setdefault(place, set()).add(out.condition)
    known = _Known.of(findings)
    return tuple(
        known.draw(place, arm, metric, conditions[place])
        for place, names in arms.items()
        if len({c.context for c in conditions[place]}) > 1
        for arm in names
        for metric in SHOWN_METRICS
        if (place, arm, metric) in known.compared
    )


def _family(c: Condition) -> Family:
    return (c.target, c.dataset, c.temperature)


@dataclass(frozen=True, slots=True)
class _Known:
    """What the findings say of single conditions."""

    points: dict[tuple[Condition, str, SpeedupMetric], SpeedupPoint]
    planned_out: set[Condition]
    over: dict[tuple[Family, str, SpeedupMetric], OverContext]
    compared: set[tuple[Family, str, SpeedupMetric]]

    @classmethod
    def of(cls, findings: RunFindings) -> "_Known":
        points = {
            (point.condition, curve.arm, curve.metric): point
            for curve in findings.curves
            for point in curve.points
        }
        return cls(
            points=points,
            planned_out={out.condition for out in findings.planned_out},
            over={
                ((o.target, o.dataset, o.temperature), o.arm, o.metric): o
                for o in findings.over_context
            },
            compared={(_family(c), arm, metric) for c, arm, metric in points},
        )

    def draw(
        self,
        place: Family,
        arm: str,
        metric: SpeedupMetric,
        conditions: Iterable[Condition],
    ) -> ContextMap:
        by_place = {(c.context, c.load): c for c in conditions}
        loads = {c.load: c for c in by_place.values()}
        contexts = sorted({context for context, _ in by_place})
        return ContextMap(
            *place,
            arm=arm,
            metric=metric,
            contexts=tuple(contexts),
            loads=tuple(loads[load] for load in sorted(loads)),
            rows=tuple(
                tuple(
                    self._cell(by_place.get((context, load)), arm, metric)
                    for load in sorted(loads)
                )
                for context in contexts
            ),
            over=self.over.get((place, arm, metric)),
        )

    def _cell(
        self, condition: Condition | None, arm: str, metric: SpeedupMetric
    ) -> MapCell:
        if condition is None:
            return MapCell(CellKind.NOT_MEASURED, None)
        point = self.points.get((condition, arm, metric))
        if point is not None and point.speedup.value is not None:
            return MapCell(CellKind.COMPARED, point)
        if condition in self.planned_out:
            return MapCell(CellKind.PLANNED_OUT, None)
        if point is None:
            return MapCell(CellKind.NOT_MEASURED, None)
        return MapCell(CellKind.NO_SPEEDUP, None)
