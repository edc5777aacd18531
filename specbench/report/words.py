"""The only place that formats numbers for people. Figures arrive unrounded; a missing
one is a dash, never a zero, and its reason stands where the table has room for it."""

import math
from collections.abc import Callable, Sequence

from specbench.schema.cell import Condition
from specbench.schema.comparison import SpeedupMetric
from specbench.schema.estimate import Estimate, Interval

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


def percent(value: float) -> str:
    """A share, 0..1, in whole percent."""
    return f"{100 * value:.0f} %"


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
    return whole_or(batch)(value)


def asked(value: float) -> str:
    """A load as the sweep file has it: a concurrency, a rate, a context."""
    return f"{value:.10g}"


def load_mark(condition: Condition) -> str:
    """A load where space is short: `c8`, or `0.5/s` in an open loop."""
    load = asked(condition.asked)
    return f"{load}/s" if condition.is_open else f"c{load}"


def load_title(condition: Condition) -> str:
    """`concurrency 8`, or `0.5 requests/s` in an open loop."""
    load = asked(condition.asked)
    return f"{load} requests/s" if condition.is_open else f"concurrency {load}"


def shown(value: float | None, form: Form) -> str:
    """The number, or the dash."""
    return DASH if value is None else form(value)


def estimate(figure: Estimate, form: Form) -> str:
    """The value without its spread, or the dash."""
    return shown(figure.value, form)


def interval(
    ends: Interval, form: Form, beyond: tuple[str, str] = ("open", "open")
) -> str:
    """`[1.20, 1.31]`; an open end is the word of `beyond`, low and high."""
    low, high = (
        word if end is None else form(end)
        for end, word in zip((ends.low, ends.high), beyond, strict=True)
    )
    return f"[{low}, {high}]"


def certainty(figure: Estimate, form: Form) -> str:
    """What stands beside a value: its 95 % interval, or that it has none."""
    if figure.value is None:
        return ""
    if figure.interval is not None:
        return interval(figure.interval, form)
    return "(1 launch)" if figure.n == 1 else "(no interval)"


def with_interval(figure: Estimate, form: Form) -> str:
    """`1.25 [1.20, 1.31]`, or `1.25 (1 launch)`."""
    return f"{estimate(figure, form)} {certainty(figure, form)}".rstrip()


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


METRIC_NAMES = {
    SpeedupMetric.THROUGHPUT: "throughput",
    SpeedupMetric.TPOT: "median TPOT",
    SpeedupMetric.TPOT_P95: "p95 TPOT",
    SpeedupMetric.TTFT: "median TTFT",
    SpeedupMetric.E2E: "median end-to-end latency",
    SpeedupMetric.E2E_P95: "p95 end-to-end latency",
    SpeedupMetric.GOODPUT: "goodput",
}


def metric(name: SpeedupMetric) -> str:
    """What a speedup compares."""
    return METRIC_NAMES[name]


def tokens(value: float) -> str:
    """A prompt length."""
    return f"{value:.0f}"


def deviation(variance: float) -> str:
    """The standard deviation of log figures, in percent without the sign."""
    value = 100 * math.sqrt(variance)
    return "<0.001" if 0 < value < 0.001 else significant(value, 2)


def day(utc: str) -> str:
    """The date of an instant in ISO 8601."""
    return utc[:10]


def place(width: float | None, most_decimals: int = 2) -> Form:
    """Writes a place on an axis of batches or loads with the decimals that an interval
    of this width earns, and two digits at least; without one, as a batch."""
    if width is None or width <= 0:
        return batch
    earned = min(most_decimals, max(0, 1 - math.floor(math.log10(width))))

    def write(value: float) -> str:
        decimals = 0 if value >= 99.95 else max(earned, 1 if value < 9.95 else 0)
        return f"{value:.{decimals}f}"

    return write


def rate(width: float | None) -> Form:
    """Writes a request rate, which may be far below 1, beside an interval of this
    width."""
    return significant if width is None or width <= 0 else place(width, 4)


def whole_or(form: Form) -> Form:
    """Whole numbers as they are, all others in this form."""
    return lambda value: str(int(value)) if value == int(value) else form(value)


def duration(seconds: float) -> str:
    """Machine time: `45 s`, `12 min`, `2.5 h`."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    if seconds < 90 * 60:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"


def memory(size: float) -> str:
    """Bytes: `45 KiB`, `1.5 GiB`; binary, as engines count."""
    for unit, factor in (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
        if size >= factor:
            return f"{whole_or(significant)(size / factor)} {unit}"
    return f"{size:.0f} bytes"
