"""Places on the axis of a break-even in words: a crossing with its interval, what lies
beyond an open end, and what a measured load is called there. A crossing whose batch is
unknown is said in concurrency."""

from dataclasses import dataclass

from specbench.report import words
from specbench.schema.comparison import Axis, BreakEven, Crossing, Side, SpeedupPoint
from specbench.schema.estimate import Interval

AXIS_NAMES = {
    Axis.BATCH: "batch",
    Axis.CONCURRENCY: "concurrency",
    Axis.CONTEXT: "context",
    Axis.RATE: "",
}
"""What stands before a place; the unit behind it says what a rate is."""
NO_INTERVAL = "[no interval]"


@dataclass(frozen=True, slots=True)
class Stated:
    """A crossing as it is said."""

    axis: Axis
    number: str
    interval: Interval | None
    bracket: str
    """The interval, or that there is none."""

    @property
    def text(self) -> str:
        """`batch 61 [55, 68]`."""
        return place_words(self.axis, f"{self.number} {self.bracket}")


def state(answer: BreakEven, crossing: Crossing) -> Stated:
    """On the answer's axis, or on the concurrency where the batch is unknown."""
    axis, at, interval = answer.axis, crossing.at, crossing.interval
    if at is None and axis is Axis.BATCH:
        axis, at = Axis.CONCURRENCY, crossing.concurrency
        interval = crossing.concurrency_interval
    return Stated(
        axis=axis,
        number=words.shown(at, form := _form(axis, interval, at)),
        interval=interval,
        bracket=_bracket(answer, axis, interval, form) if interval else NO_INTERVAL,
    )


def place_words(axis: Axis, numbers: str) -> str:
    """`batch 61`, `context 8213 tokens`, `3.2 requests/s`."""
    return f"{AXIS_NAMES[axis]} {numbers}{unit_of(axis)}".lstrip()


def concurrency_of(crossing: Crossing) -> str:
    """The same place in requests in flight, as finely as the batch is said."""
    form = _form(Axis.CONCURRENCY, crossing.interval, crossing.at)
    return form(crossing.concurrency)


def arm_batch(crossing: Crossing) -> str:
    """The arm's own running batch at the crossing; empty where it is unknown."""
    if crossing.arm_batch is None:
        return ""
    return _form(Axis.BATCH, crossing.interval, crossing.at)(crossing.arm_batch)


def batches_at(crossing: Crossing) -> str:
    """Both running batches at a crossing that is stated on something else; empty
    where they are unknown."""
    known = [
        f"{name} {words.batch(batch)}"
        for name, batch in (
            ("batch", crossing.running_batch),
            ("arm's batch", crossing.arm_batch),
        )
        if batch is not None
    ]
    return words.listed(known)


def joint_interval(answer: BreakEven, crossing: Crossing) -> str:
    """The interval that is wide enough for all break-evens of the run at once; empty
    where there is none."""
    if crossing.joint_interval is None or crossing.at is None:
        return ""
    form = _form(answer.axis, crossing.interval, crossing.at)
    return _bracket(answer, answer.axis, crossing.joint_interval, form)


def _bracket(
    answer: BreakEven, axis: Axis, interval: Interval, write: words.Form
) -> str:
    """An open end says beyond which measured place it reaches."""
    places = [on_axis(point, axis) for point in measured_points(answer)]
    known = [place for place in places if place is not None]
    form = words.batch if axis is Axis.BATCH else words.asked
    low, high = (
        (form(min(known)), form(max(known))) if known else 2 * ("what was measured",)
    )
    beyond = (f"below {low}", f"beyond {high}")
    return words.interval(interval, write, beyond)


def _form(axis: Axis, interval: Interval | None, at: float | None) -> words.Form:
    """How places on an axis are written beside this interval."""
    if axis is Axis.CONTEXT:
        return words.tokens
    if axis is Axis.RATE:
        return words.rate(_width(interval, at))
    form = words.place(_width(interval, at))
    return words.whole_or(form) if axis is Axis.CONCURRENCY else form


def _width(interval: Interval | None, at: float | None) -> float | None:
    """Of a half-open interval as if it reached as far to the other side."""
    low, high = (interval.low, interval.high) if interval else (None, None)
    if low is not None and high is not None:
        return high - low
    ends = [end for end in (low, high) if end is not None]
    return 2 * abs(ends[0] - at) if ends and at is not None else None


def measured_points(answer: BreakEven) -> tuple[SpeedupPoint, ...]:
    """Loads that have a speedup."""
    return tuple(p for p in answer.curve.points if p.speedup.value is not None)


def on_axis(point: SpeedupPoint, axis: Axis) -> float | None:
    """Where a measured load lies on the axis; None = unknown."""
    if axis is Axis.BATCH:
        return point.running_batch
    return float(load_of(point, axis))


def load_of(point: SpeedupPoint, axis: Axis) -> float:
    """What a load was set to: requests in flight or per second, or tokens of
    context."""
    is_context = axis is Axis.CONTEXT
    return point.condition.context if is_context else point.condition.asked


def load_name(axis: Axis) -> str:
    """What is set to another value from one measured load to the next."""
    names = {Axis.CONTEXT: "context", Axis.RATE: "rate"}
    return names.get(axis, "concurrency")


def loads_on(answer: BreakEven, side: Side) -> tuple[float, ...]:
    """Measured loads on this side of 1."""
    points = (point for point in answer.curve.points if point.side is side)
    return tuple(load_of(point, answer.axis) for point in points)


def unit_of(axis: Axis) -> str:
    """What goes behind a place, with the space before it."""
    units = {Axis.CONTEXT: " tokens", Axis.RATE: " requests/s"}
    return units.get(axis, "")
