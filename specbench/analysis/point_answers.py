"""From a file of points to its answers: break-even over the load for each arm, and over
the context where several contexts were measured. What the answers rest on is said in
words that fit measurements of others: replicates, not launches of this machine."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from specbench.analysis.context_axis import critical_context, over_contexts
from specbench.analysis.decide import decide
from specbench.analysis.points import PointCurve, pair_points
from specbench.schema.comparison import BreakEven, Crossing, SpeedupCurve, SpeedupPoint
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
BY_SIGNS = "by the raw signs and without an interval"
WORDS_OF_POINTS = {
    "launches": "replicates",
    "launch": "replicate",
    "this machine's noise": "the noise",
}

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
            critical=critical_context(
                [decided[id(one)].break_even.curve for one in family]
            ),
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
    _, answer = decide(tables.frame, tables.baseline, tables.arm, answers=answers)
    return PointAnswer(curve.setting, curve.arm, _in_own_words(answer, curve, form))


def _in_own_words(answer: BreakEven, curve: PointCurve, form: PointForm) -> BreakEven:
    """The same answer; what it rests on is said for points."""
    if curve.lacking:
        return replace(answer, note=curve.lacking, next_step="")
    why = SHARE_NO_LOAD if curve.has_replicates else WHY_NO_INTERVAL[form]
    points = [p for p in answer.curve.points if p.speedup.value is not None]
    rests_on, *more = map(_of_replicates, answer.note.split("; "))
    has_interval = any(point.speedup.interval for point in points)
    if not points:
        rests_on = "no load has a speedup"
    elif not has_interval:
        rests_on = f"{BY_SIGNS}: {why}"
    return replace(
        answer,
        curve=_curve(answer.curve, why),
        crossings=tuple(_crossing(crossing, why) for crossing in answer.crossings),
        note="; ".join((rests_on, *more)),
        next_step=_of_replicates(answer.next_step) if has_interval else "",
    )


def _of_replicates(words: str) -> str:
    for of_runs, of_points in WORDS_OF_POINTS.items():
        words = words.replace(of_runs, of_points)
    return words


def _curve(curve: SpeedupCurve, why: str) -> SpeedupCurve:
    return replace(curve, points=tuple(_point(point, why) for point in curve.points))


def _crossing(crossing: Crossing, why: str) -> Crossing:
    return replace(
        crossing,
        no_interval=why if crossing.no_interval else None,
        below=_point(crossing.below, why),
        above=_point(crossing.above, why),
    )


def _point(point: SpeedupPoint, why: str) -> SpeedupPoint:
    if not point.speedup.no_interval:
        return point
    return replace(point, speedup=replace(point.speedup, no_interval=why))


def _idle_baselines(table: PointTable, curves: Sequence[PointCurve]) -> tuple[str, ...]:
    """Baselines beside which no arm was measured."""
    used = {curve.setting for curve in curves}
    idle = {p.setting for p in table.points if p.arm.is_baseline} - used
    if not idle:
        return ()
    return (f"{len(idle)} of the baselines have no arm beside them",)
