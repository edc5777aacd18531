"""The columns of contexts.csv, one row an arm, metric and load over the contexts.
Scripts read them: a name or a meaning, once published, does not change; new columns
come at the end."""

from collections.abc import Callable
from dataclasses import dataclass

from specbench.report.break_even_columns import BREAK_EVEN_COLUMNS
from specbench.report.break_even_reads import BreakEvenColumn
from specbench.report.columns import Column, Value, field
from specbench.schema.comparison import BreakEven
from specbench.schema.context import Direction, LoadTrend, OverContext


@dataclass(frozen=True, slots=True)
class ContextRow:
    """One break-even context."""

    over: OverContext
    answer: BreakEven


ContextColumn = Column[ContextRow]
OF_A_CONTEXT = frozenset(
    {
        "context",
        "axis",
        "break_even_batch",
        "break_even_batch_low",
        "break_even_batch_high",
        "break_even_concurrency",
        "break_even_concurrency_low",
        "break_even_concurrency_high",
        "break_even_arm_batch",
        "below_concurrency",
        "above_concurrency",
        "first_slower_concurrency",
        "measured_concurrency",
        "slower_concurrency",
        "pays_concurrency",
        "open_concurrency",
        "loses_concurrency",
        "break_even_rate_requests_per_s",
        "break_even_rate_low_requests_per_s",
        "break_even_rate_high_requests_per_s",
        "below_rate_requests_per_s",
        "above_rate_requests_per_s",
        "first_slower_rate_requests_per_s",
        "measured_rate_requests_per_s",
        "slower_rate_requests_per_s",
        "pays_rate_requests_per_s",
        "open_rate_requests_per_s",
        "loses_rate_requests_per_s",
        "break_even_rate_batch",
        "break_even_rate_arm_batch",
    }
)
"""Columns of breakeven.csv that are about loads, or about one context."""


def _plain(name: str, unit: str, meaning: str, path: str) -> ContextColumn:
    return Column(name, unit, meaning, field(path))


def _of_answer(column: BreakEvenColumn) -> ContextColumn:
    return Column(
        column.name,
        column.unit,
        column.meaning,
        lambda row: column.read(row.answer),
    )


def _load(path: str) -> Callable[[ContextRow], Value]:
    read = field(f"condition.{path}")
    return lambda row: read(row.answer.curve.points[0]) or None


def _trends(read: Callable[[LoadTrend], Value]) -> Callable[[ContextRow], Value]:
    """One value for each context, in the order of `trend_contexts`."""
    return lambda row: tuple(read(t) for t in row.over.critical.trends)  # type: ignore[misc]  # scalars


CONTEXT_COLUMNS: tuple[ContextColumn, ...] = (
    *(
        _of_answer(column)
        for column in BREAK_EVEN_COLUMNS
        if column.name in ("target", "arm", "dataset", "temperature", "metric")
    ),
    Column(
        "concurrency",
        "requests",
        "the load of the row; empty in an open loop",
        _load("concurrency"),
    ),
    Column(
        "request_rate_requests_per_s",
        "requests/s",
        "the load of the row; empty in a closed loop",
        _load("request_rate"),
    ),
    *(
        _of_answer(column)
        for column in BREAK_EVEN_COLUMNS
        if column.name not in OF_A_CONTEXT
        and column.name not in ("target", "arm", "dataset", "temperature", "metric")
    ),
    _plain(
        "critical",
        "",
        "whether and where speedup begins to grow with the load; equal in all rows of"
        " an arm and metric",
        "over.critical.outcome",
    ),
    _plain(
        "critical_below",
        "tokens",
        "largest context at which speedup falls with the load",
        "over.critical.below",
    ),
    _plain(
        "critical_above",
        "tokens",
        "smallest context at which it grows",
        "over.critical.above",
    ),
    Column(
        "trend_contexts",
        "tokens",
        "contexts with a trend over the load, parted by `;`",
        _trends(lambda t: t.context),
    ),
    Column(
        "trend_slopes",
        "",
        "change of the natural log of the speedup at each doubling of the load, at"
        " these contexts",
        _trends(lambda t: t.slope),
    ),
    Column(
        "trend_errors",
        "",
        "standard errors of these slopes; empty where nothing is known of the noise",
        _trends(lambda t: t.error),
    ),
    Column(
        "trend_directions",
        "",
        f"`{Direction.GROWS}`, `{Direction.FALLS}` or `{Direction.OPEN}` (not told)",
        _trends(lambda t: t.direction.value),
    ),
)


def context_rows(over_context: tuple[OverContext, ...]) -> list[ContextRow]:
    """Every break-even context, arms in their order, loads rising."""
    return [
        ContextRow(over, answer) for over in over_context for answer in over.break_evens
    ]
