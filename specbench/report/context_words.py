"""Answers over the contexts in words: where speedup begins to grow with the load, from
which context an arm pays at each load, and what was not measured since it does not
fit."""

from collections.abc import Iterable, Sequence

from specbench.report import words
from specbench.report.answer_words import RAW_SIGNS, outcome
from specbench.report.comparison_tables import OPEN_MARK
from specbench.report.context_map import CellKind, ContextMap, MapCell
from specbench.report.places import joint_interval
from specbench.schema.cell import Condition
from specbench.schema.comparison import BreakEven, Side
from specbench.schema.context import (
    CriticalContext,
    CriticalOutcome,
    Direction,
    PlannedOut,
)

CAPACITY_MARK = "q"
"""Behind a speedup where only the arm's requests wait for admission."""
MAP_NOTE = (
    f"Speedup over 1: the arm is faster. {OPEN_MARK}: not told from 1."
    f" {CAPACITY_MARK}: only the arm's requests wait for admission (capacity)."
    " Critical context: from there speedup grows with the load instead of falling, by"
    " the slope of log speedup over log2 of the load."
)


def load_head(condition: Condition) -> str:
    """What a load was set to, short, above a column."""
    load = words.asked(condition.asked)
    return f"{load} req/s" if condition.is_open else f"c {load}"


def context_head(context: int) -> str:
    """Before a row."""
    return str(context) if context else "as is"


def cell_words(cell: MapCell, *, with_interval: bool = True) -> str:
    """A speedup with its marks, or a word for what stands in its place."""
    point = cell.point
    if point is None:
        return words.DASH if cell.kind is CellKind.NOT_MEASURED else cell.kind.value
    marks = OPEN_MARK if point.side is Side.OPEN else ""
    marks += CAPACITY_MARK if point.only_arm_queues else ""
    value = words.estimate(point.speedup, words.speedup) + marks
    if not with_interval:
        return value
    return f"{value} {words.certainty(point.speedup, words.speedup)}".rstrip()


def break_even_lines(shown: ContextMap) -> tuple[str, ...]:
    """The break-even context at each load; loads of the same answer share a line."""
    loads: dict[str, list[Condition]] = {}
    for answer in shown.break_evens:
        loads.setdefault(_said(answer), []).append(answer.curve.points[0].condition)
    lines = [f"at {_listed(at)}: {said}" for said, at in loads.items()]
    if not lines and len(shown.contexts) > 1:
        lines = ["no load was compared at two contexts of a given length"]
    return tuple(lines)


def _said(answer: BreakEven) -> str:
    """The outcome, with the joint interval where there is one."""
    joint = joint_interval(answer, answer.crossing) if answer.crossing else ""
    return outcome(answer) + (f", jointly {joint}" if joint else "")


def critical_line(shown: ContextMap) -> str:
    """The critical context, or why there is none; empty where nobody looked."""
    if shown.critical is None:
        return ""
    load = "request rate" if shown.loads[0].is_open else "load"
    said = critical_words(shown.critical, load)
    is_raw = all(trend.error is None for trend in shown.critical.trends)
    return said + (RAW_SIGNS if is_raw and shown.critical.trends else "")


def critical_words(critical: CriticalContext, load: str) -> str:
    """Where speedup begins to grow with the load (as it is called), or that it does
    not."""
    if critical.outcome is CriticalOutcome.BETWEEN:
        below, above = critical.below, critical.above
        return (
            f"critical context: between {below} and {above} tokens (speedup falls with"
            f" the {load} at {below} and grows at {above})"
        )
    if critical.outcome is CriticalOutcome.UNDECIDED:
        return f"critical context: undecided ({_trends(critical, load)})"
    return f"critical context: none found, {critical.outcome.value}"


def _trends(critical: CriticalContext, load: str) -> str:
    """`speedup grows with the load at 4096; not told at 256, 1024`."""
    verbs = {
        Direction.GROWS: f"speedup grows with the {load} at",
        Direction.FALLS: f"speedup falls with the {load} at",
        Direction.OPEN: "not told at",
    }
    parts = []
    for direction, verb in verbs.items():
        at = [t.context for t in critical.trends if t.direction is direction]
        if at:
            parts.append(f"{verb} {words.listed(at)}")
    return "; ".join(parts)


def planned_out_lines(planned_out: Iterable[PlannedOut]) -> tuple[str, ...]:
    """What was not measured and why, one line for each target, context and reason."""
    places: dict[tuple[str, int, str], dict[Condition, None]] = {}
    for out in planned_out:
        c = out.condition
        load = Condition(c.target, "", c.context, 0.0, c.concurrency, c.request_rate)
        places.setdefault((c.target, c.context, out.why), {})[load] = None
    return tuple(
        f"{target}: context {context} at {_listed(sorted(loads))} was not measured:"
        f" {why}"
        for (target, context, why), loads in places.items()
    )


def _listed(loads: Sequence[Condition]) -> str:
    said = words.listed([words.asked(c.asked) for c in loads])
    return f"{said} requests/s" if loads[0].is_open else f"concurrency {said}"
