"""The only place that formats numbers for people. Figures arrive unrounded; a missing
one is a dash, never a zero, and its reason stands where the table has room for it."""

import math
from collections.abc import Callable, Sequence

from specbench.schema.comparison import (
    BreakEven,
    BreakEvenOutcome,
    SpeedupMetric,
    SpeedupPoint,
)
from specbench.schema.estimate import Estimate

DASH = "—"

Form = Callable[[float], str]
"""Writes one number."""


def significant(value: float, digits: int = 3) -> str:
    """At least `digits` significant digits, never an exponent; digits before the
    point are never rounded away."""
    if value == 0:
        return "0"
    decimals = max(0, digits - 1 - math.floor(math.log10(abs(value))))
    text = f"{value:.{decimals}f}"
    # 9.996 to three digits is 10.0, not 10.00
    if decimals and len(text.lstrip("-").replace(".", "").lstrip("0")) > digits:
        return f"{value:.{decimals - 1}f}"
    return text


def speedup(value: float) -> str:
    """Two decimals; more where fewer would print a gain or a loss as exactly 1."""
    for decimals in range(2, 6):
        text = f"{value:.{decimals}f}"
        if float(text) != 1 or value == 1:
            return text
    return f"{value:.5f}"


def share(value: float) -> str:
    """A share, 0..1."""
    return f"{value:.2f}"


def milliseconds(seconds: float) -> str:
    """Seconds, printed in ms without the unit."""
    return significant(seconds * 1e3)


def lag(seconds: float) -> str:
    """Seconds of the client's lag, in ms without the unit."""
    return significant(seconds * 1e3, 2)


def batch(value: float) -> str:
    """A mean count of sequences or an interpolated load."""
    return f"{value:.1f}" if value < 99.95 else f"{value:.0f}"


def load(value: float) -> str:
    """A concurrency: measured ones are whole, interpolated ones may not be."""
    return str(int(value)) if value == int(value) else batch(value)


def shown(value: float | None, form: Form) -> str:
    """The number, or the dash."""
    return DASH if value is None else form(value)


def estimate(figure: Estimate, form: Form) -> str:
    """The value without its spread, or the dash."""
    return shown(figure.value, form)


def spread(figure: Estimate, form: Form) -> str:
    """`[lowest, highest]` of the launches; one launch has no spread and says so."""
    if figure.n == 1:
        return "1 launch"
    if figure.low is None or figure.high is None:
        return ""
    return f"[{form(figure.low)}, {form(figure.high)}]"


def with_spread(figure: Estimate, form: Form) -> str:
    """`1.25 [1.20, 1.31]`, or `1.25 (1 launch)`."""
    beside = spread(figure, form)
    if figure.n == 1:
        beside = f"({beside})"
    return f"{estimate(figure, form)} {beside}".rstrip()


def counted(count: int, noun: str, plural: str = "") -> str:
    """`1 launch`, `2 launches`."""
    return f"{count} {noun if count == 1 else plural or noun + 's'}"


def listed(items: Sequence[object]) -> str:
    """`1, 2, 4`."""
    return ", ".join(str(item) for item in items)


def context(tokens: int) -> str:
    """How long the prompts were made."""
    if tokens == 0:
        return "prompts as they are"
    return f"context {tokens} tokens"


def metric(name: SpeedupMetric) -> str:
    """What a speedup compares."""
    return "median TPOT" if name is SpeedupMetric.TPOT else "throughput"


def neighbour(point: SpeedupPoint) -> str:
    """A measured load beside a crossing, with what was measured there."""
    place = f"concurrency {point.condition.concurrency}"
    if point.running_batch is not None:
        place = f"batch {batch(point.running_batch)} ({place})"
    return f"{with_spread(point.speedup, speedup)} at {place}"


def outcome(answer: BreakEven) -> str:
    """The named outcome with its place, e.g. `pays up to batch 6.1 (concurrency
    6.3)`."""
    name = answer.outcome.value
    measured = [
        p.condition.concurrency
        for p in answer.curve.points
        if p.speedup.value is not None
    ]
    match answer.outcome:
        case BreakEvenOutcome.PAYS_UP_TO | BreakEvenOutcome.PAYS_FROM:
            return f"{name} {crossing(answer)}"
        case BreakEvenOutcome.PAYS_EVERYWHERE if measured:
            return f"{name} (concurrency {_span(measured)})"
        case BreakEvenOutcome.NEVER_PAYS if measured:
            return f"{name} (from concurrency {measured[0]})"
        case _:
            return name


SHORT_FORMS = {
    "pays up to ": "to ",
    "pays from ": "from ",
    "pays everywhere measured": "everywhere",
    "never pays": "never",
    "concurrency ": "c ",
}


def outcome_in_short(answer: BreakEven) -> str:
    """The outcome as it goes on after `pays:`, for where space is short; `c` is
    concurrency."""
    text = outcome(answer)
    for long, short in SHORT_FORMS.items():
        text = text.replace(long, short)
    return text


def crossing(answer: BreakEven) -> str:
    """Where the curve crosses, on the batch with the concurrency beside it."""
    at_load = f"concurrency {shown(answer.concurrency, load)}"
    if answer.batch is None:
        return f"{at_load} (running batch unknown)"
    return f"batch {batch(answer.batch)} ({at_load})"


def first_slower(answer: BreakEven) -> str:
    """The plain rule: first measured concurrency where the arm is slower."""
    if all(point.speedup.value is None for point in answer.curve.points):
        return DASH
    found = answer.first_slower_concurrency
    return "none" if found is None else str(found)


def _span(loads: Sequence[int]) -> str:
    if len(loads) == 1:
        return str(loads[0])
    return f"{loads[0]} to {loads[-1]}"
