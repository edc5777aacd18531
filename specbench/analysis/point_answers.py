"""From a file of points to its answers: break-even over the load for each arm, and over
the context where several contexts were measured. What the answers rest on is said in
words that fit measurements of others: replicates, not launches of this machine."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from specbench.analysis.context_axis import critical_context, over_contexts
from specbench.analysis.decide import decide
from specbench.analysis.points import PointCurve, pair_points
from specbench.schema.point import (
    PointAnswer,
    PointFindings,
    PointForm,
    PointTable,
    Setting,
)

WHY_NO_INTERVAL = {
    PointForm.MEASURED: "one run of an arm does not say how much runs differ",
    PointForm.SPEEDUPS: "a ready speedup is one value without its spread",
}
SHARE_NO_LOAD = "the replicates share no load, so that they cannot be compared"
Curves = list[PointCurve]


def conclude_points(table: PointTable) -> PointFindings:
    """All answers of a file, in the order of its rows."""
    curves = pair_points(table)
    families = [(family, _over_contexts(family)) for family in _families(curves)]
    made = [*curves, *(curve for _, over in families for curve in over)]
    # joint intervals are for those answers that can have one
    answers = max(1, sum(curve.has_replicates for curve in made))
    decided = {id(curve): _answer(curve, table.form, answers) for curve in made}
    over_context = [
        replace(
            decided[id(curve)],
            load=curve.tables.frame.loads[0].condition.concurrency,
            critical=critical_context([one.tables for one in family]),
        )
        for family, over in families
        for curve in over
    ]
    return PointFindings(
        name=table.name,
        form=table.form,
        answers=tuple(decided[id(curve)] for curve in curves),
        over_context=tuple(over_context),
        notes=(*table.notes, *_idle_baselines(table, curves)),
    )


def _families(curves: Iterable[PointCurve]) -> Iterator[Curves]:
    """Curves that agree in all but the context, which each of them gives."""
    families: dict[tuple[object, ...], Curves] = {}
    for curve in curves:
        if curve.setting.context is not None and not curve.lacking:
            key = (
                _without_context(curve.setting),
                curve.arm,
                curve.tables.frame.metric,
            )
            families.setdefault(key, []).append(curve)
    return (family for family in families.values() if len(family) > 1)


def _over_contexts(family: Curves) -> Curves:
    first = family[0]
    return [
        PointCurve(_without_context(first.setting), first.arm, tables)
        for tables in over_contexts([curve.tables for curve in family])
    ]


def _without_context(setting: Setting) -> Setting:
    return replace(setting, context=None)


def _answer(curve: PointCurve, form: PointForm, answers: int) -> PointAnswer:
    tables = curve.tables
    frame = replace(
        tables.frame,
        replicate="replicate",
        why_no_interval=SHARE_NO_LOAD
        if curve.has_replicates
        else WHY_NO_INTERVAL[form],
    )
    _, answer = decide(frame, tables.baseline, tables.arm, answers=answers)
    if curve.lacking:
        answer = replace(answer, note=curve.lacking, next_step="")
    return PointAnswer(curve.setting, curve.arm, answer)


def _idle_baselines(table: PointTable, curves: Sequence[PointCurve]) -> tuple[str, ...]:
    """Baselines beside which no arm was measured."""
    used = {curve.setting for curve in curves}
    idle = {p.setting for p in table.points if p.arm.is_baseline} - used
    if not idle:
        return ()
    return (f"{len(idle)} of the baselines have no arm beside them",)
