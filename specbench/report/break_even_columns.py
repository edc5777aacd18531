"""The columns of breakeven.csv, one row a speedup curve. Scripts read them: a name or
a meaning, once published, does not change; new columns come at the end."""

from specbench.report.answer_words import first_slower_context
from specbench.report.break_even_reads import (
    BreakEvenColumn,
    Read,
    at_crossing,
    measured_loads,
    only_crossing,
    with_ends,
)
from specbench.report.columns import Column, Value, field
from specbench.schema.comparison import (
    Axis,
    BreakEven,
    BreakEvenOutcome,
)
from specbench.schema.estimate import Interval

PER_S = "requests/s"
ON_LOADS = (Axis.BATCH, Axis.CONCURRENCY)
AT_NEIGHBOUR = (
    ("concurrency", "requests", "target in flight", "condition.closed_load"),
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


def _break_even(
    name: str, unit: str, meaning: str, axes: tuple[Axis, ...]
) -> list[BreakEvenColumn]:
    is_load = name == "concurrency"
    at, interval = (
        ("concurrency", "concurrency_interval") if is_load else ("at", "interval")
    )
    paths = (at, f"{interval}.low", f"{interval}.high")
    first, low, high = (at_crossing(axes, path) for path in paths)
    return with_ends(f"break_even_{name}", unit, meaning, (first, low, high))


def _possible(path: str) -> Read:
    """Reads off the crossing that an undecided curve may have."""
    read = field(path)

    def of(answer: BreakEven) -> Value:
        is_open = answer.outcome is BreakEvenOutcome.UNDECIDED
        return read(only_crossing(answer)) if is_open else None

    return of


def _openness(answer: BreakEven) -> str | None:
    crossing = only_crossing(answer)
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


def _is_open_loop(answer: BreakEven) -> bool:
    """Whether its loads are rates, on whatever axis it is stated."""
    return any(point.condition.is_open for point in answer.curve.points)


def _neighbouring_rate(side: str) -> Read:
    """Of the measured load on one side of the crossing of an open loop."""
    find = field(f"{side}.condition.request_rate")
    return lambda answer: (
        find(only_crossing(answer)) if answer.axis is Axis.RATE else None
    )


def _neighbour(side: str) -> list[BreakEvenColumn]:
    """What was measured at the load on one side of the crossing."""
    where = f"at the measured load {side} the crossing, or the possible one"

    def read(path: str) -> Read:
        find = field(f"{side}.{path}")
        return lambda answer: find(only_crossing(answer))

    return [
        Column(f"{side}_{name}", unit, f"{where}: {meaning}", read(path))
        for name, unit, meaning, path in AT_NEIGHBOUR
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
        " (baseline / arm, 95th percentiles); in an open loop also `e2e`, `e2e_p95` and"
        " `ttft` (baseline / arm) and `goodput` (arm / baseline)",
        "curve.metric",
    ),
    _plain("outcome", "", "named outcome"),
    _plain(
        "axis",
        "",
        "on what it is stated: `running batch`, `concurrency`, `context`,"
        " `request rate`",
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
        at_crossing(ON_LOADS, "arm_batch"),
    ),
    Column(
        "joint_low",
        "",
        "lower end on the axis, so wide that all break-evens of the run hold at once",
        at_crossing(tuple(Axis), "joint_interval.low"),
    ),
    Column(
        "joint_high",
        "",
        "its upper end",
        at_crossing(tuple(Axis), "joint_interval.high"),
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
        lambda answer: field("no_interval")(only_crossing(answer)),
    ),
    Column(
        "capacity_from_concurrency",
        "requests",
        "from here on the arm loses by capacity",
        lambda answer: None if _is_open_loop(answer) else answer.capacity_from,
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
    *with_ends(
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
    *measured_loads(Axis.CONCURRENCY, "requests"),
    Column(
        "first_slower_context",
        "tokens",
        "the same over contexts",
        first_slower_context,
    ),
    *measured_loads(Axis.CONTEXT, "tokens"),
    _plain("note", "", "how the outcome was reached"),
    _plain("next_step", "", "what to measure next, where that would tell more"),
    *with_ends(
        "break_even_rate",
        PER_S,
        "of an open loop: the request rate at the crossing, interpolated",
        (
            at_crossing((Axis.RATE,), "at"),
            at_crossing((Axis.RATE,), "interval.low"),
            at_crossing((Axis.RATE,), "interval.high"),
        ),
    ),
    Column(
        "break_even_rate_batch",
        "sequences",
        "the baseline's running batch at that rate",
        at_crossing((Axis.RATE,), "running_batch"),
    ),
    Column(
        "break_even_rate_arm_batch",
        "sequences",
        "the arm's",
        at_crossing((Axis.RATE,), "arm_batch"),
    ),
    Column(
        "capacity_from_rate_requests_per_s",
        PER_S,
        "from here on the arm loses by capacity",
        lambda answer: answer.capacity_from if _is_open_loop(answer) else None,
    ),
    Column(
        "below_rate_requests_per_s",
        PER_S,
        "measured rate below the crossing, or the possible one",
        _neighbouring_rate("below"),
    ),
    Column(
        "above_rate_requests_per_s",
        PER_S,
        "measured rate above it",
        _neighbouring_rate("above"),
    ),
    Column(
        "first_slower_rate_requests_per_s",
        PER_S,
        "first measured rate where the arm is slower; empty = nowhere",
        lambda answer: (
            answer.first_slower_concurrency if answer.axis is Axis.RATE else None
        ),
    ),
    *measured_loads(Axis.RATE, PER_S),
)
