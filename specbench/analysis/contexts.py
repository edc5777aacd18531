"""The arms of a run over its contexts: families of curves that agree in all but the
context, and what they say together. Prompts as the data set has them (context 0) are
of no wanted length and take no part."""

from collections.abc import Sequence
from dataclasses import dataclass

from specbench.analysis.context_axis import (
    FramedTables,
    critical_context,
    over_contexts,
)
from specbench.analysis.decide import decide
from specbench.analysis.frame import Table
from specbench.analysis.prior import Prior
from specbench.analysis.speedup import Comparison
from specbench.schema.comparison import BreakEven
from specbench.schema.context import OverContext


@dataclass(frozen=True, slots=True)
class ContextFamily:
    """One arm by one metric at two or more contexts."""

    by_context: tuple[FramedTables, ...]
    over: tuple[FramedTables, ...]
    """Curves over the context, one for each load."""


def find_families(comparisons: Sequence[Comparison]) -> tuple[ContextFamily, ...]:
    """In the order of their first comparison."""
    launches = sorted({launch for one in comparisons for launch in one.launches})
    families: dict[tuple[object, ...], list[FramedTables]] = {}
    for one in comparisons:
        frame = one.frame
        if frame.context > 0:
            place = (
                frame.target,
                frame.dataset,
                frame.temperature,
                frame.arm,
                frame.metric,
            )
            tables = _with_rows(one, launches)
            families.setdefault(place, []).append(tables)
    return tuple(
        ContextFamily(tuple(members), over_contexts(members))
        for members in families.values()
        if len(members) > 1
    )


def _with_rows(one: Comparison, launches: Sequence[int]) -> FramedTables:
    """The same with a row for each launch of the run, so that row n of all contexts is
    of the same launch."""
    nothing = (None,) * len(one.frame.loads)

    def spread(table: Table) -> Table:
        rows = dict(zip(one.launches, table, strict=True))
        return tuple(rows.get(launch, nothing) for launch in launches)

    return FramedTables(one.frame, spread(one.baseline), spread(one.arm))


def conclude_family(
    family: ContextFamily, prior: Prior | None, answers: int
) -> OverContext:
    """Break-even contexts and the critical context; `answers` as for `decide`."""
    frame = family.by_context[0].frame
    decided = (
        decide(curve.frame, curve.baseline, curve.arm, prior, answers)[1]
        for curve in family.over
    )
    return OverContext(
        target=frame.target,
        dataset=frame.dataset,
        temperature=frame.temperature,
        arm=frame.arm,
        metric=frame.metric,
        break_evens=tuple(answer for answer in decided if _has_two_places(answer)),
        critical=critical_context(family.by_context, prior),
    )


def _has_two_places(answer: BreakEven) -> bool:
    """One context says nothing of an axis of contexts."""
    points = answer.curve.points
    return sum(point.speedup.value is not None for point in points) > 1
