"""The columns of breakeven.csv, one row a speedup curve. Scripts read them: a name or
a meaning, once published, does not change; new columns come at the end."""

from collections.abc import Callable

from specbench.report.answer_words import first_slower_context
from specbench.report.answers import is_slower
from specbench.report.columns import Column, Value, field
from specbench.report.places import load_name, load_of
from specbench.schema.comparison import (
    Axis,
    BreakEven,
    BreakEvenOutcome,
    Crossing,
    Side,
    SpeedupPoint,
)
from specbench.schema.estimate import Interval

BreakEvenColumn = Column[BreakEven]
Read = Callable[[BreakEven], Value]

ON_LOADS = (Axis.BATCH, Axis.CONCURRENCY)
AT_NEIGHBOUR = (
    ("concurrency", "requests", "target in flight", "condition.concurrency"),
    ("context", "tokens", "wanted prompt tokens", "condition.context"),
    ("running_batch", "sequences", "the baseline's", "running_batch"),
    ("arm_running_batch", "sequences", "the arm's", "arm_running_batch"),
    ("speedup", "", "geometric mean over launches", "speedup.value"),
    ("speedup_low", "", "lowest pair of launches", "speedup.low"),
    ("speedup_high", "", "highest pair of launches", "speedup.high"),
    ("speedup_interval_low", "", "lower 95 % end", "speedup.interval.low"),
    ("speedup_interval_high", "", "upper 95 % end", "speedup.interval.high"),
    ("launches", "", "launches behind the speedup", "speedup.n"),
    ("side", "", "`pays`, `loses` or `open` (not told from 1)", "side"),
)


def _plain(name: str, unit: str, meaning: str, path: str = "") -> BreakEvenColumn:
    return Column(name, unit, meaning, field(path or name))


def _crossing(axes: tuple[Axis, ...], path: str) -> Read:
    """Reads off the one crossing of an answer that is stated on one of these axes."""
    read = field(path)
    return lambda answer: read(answer.crossing) if answer.axis in axes else None


def _with_ends(
    name: str, unit: str, meaning: str, reads: tuple[Read, Read, Read]
) -> list[BreakEvenColumn]:
    """A place, and the ends of its interval."""
    at, low, high = reads
    return [
        Column(name, unit, meaning, at),
        Column(
            f"{name}_low", unit, "lower 95 % end; empty = open, see `interval`", low
        ),
        Column(f"{name}_high", unit, "upper 95 % end; empty = open", high),
    ]


def _break_even(
    name: str, unit: str, meaning: str, axes: tuple[Axis, ...]
) -> list[BreakEvenColumn]:
    is_load = name == "concurrency"
    at, interval = (
        ("concurrency", "concurrency_interval") if is_load else ("at", "interval")
    )
    paths = (at, f"{interval}.low", f"{interval}.high")
    first, low, high = (_crossing(axes, path) for path in paths)
    return _with_ends(f"break_even_{name}", unit, meaning, (first, low, high))


def _possible(path: str) -> Read:
    """Reads off the crossing that an undecided curve may have."""
    read = field(path)

    def of(answer: BreakEven) -> Value:
        is_open = answer.outcome is BreakEvenOutcome.UNDECIDED
        return read(_only(answer)) if is_open else None

    return of


def _only(answer: BreakEven) -> Crossing | None:
    """The crossing, or the possible one, where there is just one."""
    return answer.crossings[0] if len(answer.crossings) == 1 else None


def _openness(answer: BreakEven) -> str | None:
    crossing = _only(answer)
    if crossing is None:
        return None
    match crossing.interval or crossing.concurrency_interval:
        case None:
            return "none"
        case Interval(low=None, high=None):
            return "open"
        case Interval(low=None):
            return "open below"
        case Interval(high=None):
            return "open above"
        case _:
            return "closed"


def _neighbour(side: str) -> list[BreakEvenColumn]:
    """What was measured at the load on one side of the crossing."""
    where = f"at the measured load {side} the crossing, or the possible one"

    def read(path: str) -> Read:
        find = field(f"{side}.{path}")
        return lambda answer: find(_only(answer))

    return [
        Column(f"{side}_{name}", unit, f"{where}: {meaning}", read(path))
        for name, unit, meaning, path in AT_NEIGHBOUR
    ]


def _loads(axis: Axis, unit: str) -> list[BreakEvenColumn]:
    """Measured loads by what is known of them; empty in rows of another axis."""
    name = load_name(axis)

    def read(pick: Callable[[SpeedupPoint], bool]) -> Read:
        def find(answer: BreakEven) -> Value:
            if load_name(answer.axis) != name:
                return None
            return tuple(load_of(p, axis) for p in answer.curve.points if pick(p))

        return find

    rows: tuple[tuple[str, str, Callable[[SpeedupPoint], bool]], ...] = (
        ("measured", "that have a speedup", lambda p: p.speedup.value is not None),
        ("slower", "where the arm is slower, whatever the noise", is_slower),
        ("pays", "where it pays", lambda p: p.side is Side.PAYS),
        ("open", "not told from 1", lambda p: p.side is Side.OPEN),
        ("loses", "where it loses", lambda p: p.side is Side.LOSES),
    )
    return [
        Column(f"{stem}_{name}", unit, f"loads {meaning}, parted by `;`", read(pick))
        for stem, meaning, pick in rows
    ]


BREAK_EVEN_COLUMNS: tuple[BreakEvenColumn, ...] = (
    _plain("target", "", "label of the target", "curve.target"),
    _plain("arm", "", "the arm's name", "curve.arm"),
    _plain("dataset", "", "name of the data set", "curve.dataset"),
    _plain(
        "context",
        "tokens",
        "wanted prompt tokens; 0 = as the data set has them",
        "curve.context",
    ),
    _plain("temperature", "", "of sampling", "curve.temperature"),
    _plain(
        "metric",
        "",
        "`throughput` (arm / baseline), `tpot` (baseline / arm, medians) or `tpot_p95`"
        " (baseline / arm, 95th percentiles)",
        "curve.metric",
    ),
    _plain("outcome", "", "named outcome"),
    _plain(
        "axis", "", "on what it is stated: `running batch`, `concurrency`, `context`"
    ),
    *_break_even(
        "batch",
        "sequences",
        "the baseline's running batch at the crossing, interpolated",
        (Axis.BATCH,),
    ),
    *_break_even(
        "concurrency",
        "requests",
        "concurrency at the crossing, interpolated",
        ON_LOADS,
    ),
    *_break_even(
        "context", "tokens", "context at the crossing, interpolated", (Axis.CONTEXT,)
    ),
    Column(
        "break_even_arm_batch",
        "sequences",
        "the arm's running batch at the crossing",
        _crossing(ON_LOADS, "arm_batch"),
    ),
    Column(
        "joint_low",
        "",
        "lower end on the axis, so wide that all break-evens of the run hold at once",
        _crossing(tuple(Axis), "joint_interval.low"),
    ),
    Column(
        "joint_high", "", "its upper end", _crossing(tuple(Axis), "joint_interval.high")
    ),
    Column(
        "interval",
        "",
        "`closed`, `open below`, `open above` or `open` (it reaches beyond what was"
        " measured), `none`; of a possible crossing, too",
        _openness,
    ),
    Column(
        "no_interval",
        "",
        "why there is none",
        lambda answer: field("no_interval")(_only(answer)),
    ),
    _plain(
        "capacity_from_concurrency",
        "requests",
        "from here on the arm loses by capacity",
        "capacity_from",
    ),
    Column(
        "crossings",
        "",
        "of `several crossings`: their places on the axis, parted by `;`",
        lambda answer: tuple(
            crossing.at
            for crossing in answer.crossings
            if answer.outcome is BreakEvenOutcome.SEVERAL
        ),
    ),
    *_with_ends(
        "possible_crossing",
        "",
        "of `undecided`: where on the axis it would cross, if it crosses",
        (_possible("at"), _possible("interval.low"), _possible("interval.high")),
    ),
    *_neighbour("below"),
    *_neighbour("above"),
    Column(
        "first_slower_concurrency",
        "requests",
        "first measured concurrency where the arm is slower; empty = nowhere",
        lambda answer: (
            answer.first_slower_concurrency if answer.axis in ON_LOADS else None
        ),
    ),
    *_loads(Axis.CONCURRENCY, "requests"),
    Column(
        "first_slower_context",
        "tokens",
        "the same over contexts",
        first_slower_context,
    ),
    *_loads(Axis.CONTEXT, "tokens"),
    _plain("note", "", "how the outcome was reached"),
    _plain("next_step", "", "what to measure next, where that would tell more"),
)
