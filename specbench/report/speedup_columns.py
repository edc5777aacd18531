"""The columns of speedups.csv, one row a metric, arm and measured load. Scripts read
them: a name or a meaning, once published, does not change; new columns come at the
end."""

from dataclasses import dataclass

from specbench.report.columns import Column, field
from specbench.schema.comparison import BreakEven, SpeedupPoint


@dataclass(frozen=True, slots=True)
class SpeedupRow:
    """One point of a curve."""

    answer: BreakEven
    point: SpeedupPoint


def _plain(name: str, unit: str, meaning: str, path: str) -> Column[SpeedupRow]:
    return Column(name, unit, meaning, field(path))


def _with_ends(
    name: str, unit: str, meaning: str, path: str
) -> tuple[Column[SpeedupRow], ...]:
    """A figure and the ends of its 95 % interval."""
    return (
        _plain(name, unit, meaning, f"{path}.value"),
        _plain(f"{name}_interval_low", unit, "lower 95 % end", f"{path}.interval.low"),
        _plain(
            f"{name}_interval_high", unit, "upper 95 % end", f"{path}.interval.high"
        ),
    )


SPEEDUP_COLUMNS: tuple[Column[SpeedupRow], ...] = (
    _plain("target", "", "label of the target", "answer.curve.target"),
    _plain("arm", "", "the arm's name", "answer.curve.arm"),
    _plain("dataset", "", "name of the data set", "answer.curve.dataset"),
    _plain(
        "context",
        "tokens",
        "wanted prompt tokens; 0 = as the data set has them",
        "point.condition.context",
    ),
    _plain("temperature", "", "of sampling", "answer.curve.temperature"),
    _plain("metric", "", "as in breakeven.csv", "answer.curve.metric"),
    _plain("axis", "", "of the break-even that the row belongs to", "answer.axis"),
    _plain(
        "concurrency",
        "requests",
        "target number of requests in flight",
        "point.condition.concurrency",
    ),
    _plain("running_batch", "sequences", "the baseline's mean", "point.running_batch"),
    _plain("arm_running_batch", "sequences", "the arm's", "point.arm_running_batch"),
    *_with_ends(
        "speedup",
        "",
        "geometric mean over launches; over 1 the arm is faster",
        "point.speedup",
    ),
    _plain("no_interval", "", "why there is none", "point.speedup.no_interval"),
    _plain("speedup_low", "", "lowest pair of launches", "point.speedup.low"),
    _plain("speedup_high", "", "highest pair of launches", "point.speedup.high"),
    _plain("launches", "", "launches behind the speedup", "point.speedup.n"),
    _plain(
        "side",
        "",
        "`pays`, `loses`, `open` (not told from 1) or `unknown` (no speedup)",
        "point.side",
    ),
    _plain(
        "only_arm_queues",
        "",
        "`true`: the arm's requests wait for admission, the baseline's do not",
        "point.only_arm_queues",
    ),
    *_with_ends(
        "tokens_per_step",
        "tokens",
        "what a request gets from the arm",
        "point.need.gets",
    ),
    *_with_ends(
        "needed_tokens_per_step",
        "tokens",
        "what it would need for the arm to be as fast as its baseline",
        "point.need.needs",
    ),
    _plain(
        "needed_is_apparent",
        "",
        "`true`: prefill was not taken out",
        "point.need.is_apparent",
    ),
    _plain(
        "prefill_share",
        "",
        "share of the baseline's time that plain decode steps do not explain",
        "point.need.prefill_share.value",
    ),
    _plain("need_note", "", "why it is apparent, or what limits it", "point.need.note"),
    Column(
        "missing",
        "",
        "`figure: reason` of figures that there are not, parted by ` | `",
        lambda row: _missing(row.point),
    ),
    Column(
        "request_rate_requests_per_s",
        "requests/s",
        "of an open loop, whose concurrency is 0",
        lambda row: row.point.condition.request_rate or None,
    ),
)


def speedup_rows(break_evens: tuple[BreakEven, ...]) -> list[SpeedupRow]:
    """Every point of every curve, in the order of the break-evens."""
    return [
        SpeedupRow(answer, p) for answer in break_evens for p in answer.curve.points
    ]


def _missing(point: SpeedupPoint) -> str:
    figures = [("speedup", point.speedup)]
    if point.need is not None:
        figures += [
            ("tokens_per_step", point.need.gets),
            ("needed_tokens_per_step", point.need.needs),
            ("prefill_share", point.need.prefill_share),
        ]
    return " | ".join(f"{name}: {e.missing}" for name, e in figures if e.missing)
