"""The columns of breakeven.csv, one row a speedup curve. Scripts read them: a name or
a meaning, once published, does not change; new columns come at the end."""

from specbench.report.answers import is_slower, measured_points
from specbench.report.columns import Column, field
from specbench.schema.comparison import BreakEven

BreakEvenColumn = Column[BreakEven]


def _plain(name: str, unit: str, meaning: str, path: str = "") -> BreakEvenColumn:
    return Column(name, unit, meaning, field(path or name))


def _neighbour(side: str) -> list[BreakEvenColumn]:
    """What was measured at the load on one side of the crossing."""
    rows = (
        ("concurrency", "requests", "target in flight", "condition.concurrency"),
        ("running_batch", "sequences", "the baseline's", "running_batch"),
        ("arm_running_batch", "sequences", "the arm's", "arm_running_batch"),
        ("speedup", "", "geometric mean over launches", "speedup.value"),
        ("speedup_low", "", "lowest launch", "speedup.low"),
        ("speedup_high", "", "highest launch", "speedup.high"),
        ("launches", "", "launches behind the speedup", "speedup.n"),
    )
    return [
        _plain(
            f"{side}_{name}",
            unit,
            f"at the measured load {side} the crossing: {meaning}",
            f"{side}.{path}",
        )
        for name, unit, meaning, path in rows
    ]


def _loads(answer: BreakEven, slower_only: bool) -> tuple[int, ...]:
    return tuple(
        p.condition.concurrency
        for p in measured_points(answer.curve)
        if is_slower(p) or not slower_only
    )


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
        "`throughput` (arm / baseline) or `tpot` (baseline / arm, medians)",
        "curve.metric",
    ),
    _plain("outcome", "", "named outcome"),
    _plain(
        "break_even_batch",
        "sequences",
        "the baseline's running batch at the crossing, interpolated",
        "batch",
    ),
    _plain(
        "break_even_concurrency",
        "requests",
        "concurrency at the crossing, interpolated",
        "concurrency",
    ),
    *_neighbour("below"),
    *_neighbour("above"),
    _plain(
        "first_slower_concurrency",
        "requests",
        "first measured concurrency where the arm is slower; empty = nowhere",
    ),
    Column(
        "measured_concurrency",
        "requests",
        "loads that have a speedup, parted by `;`",
        lambda answer: _loads(answer, slower_only=False),
    ),
    Column(
        "slower_concurrency",
        "requests",
        "of these, the loads where the arm is slower",
        lambda answer: _loads(answer, slower_only=True),
    ),
    _plain("note", "", "how the outcome was reached"),
)
