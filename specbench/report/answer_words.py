"""Break-evens in words: the named outcome with its place and interval, what stands
beside it, and which measured loads are told from 1."""

from collections.abc import Sequence

from specbench.report import words
from specbench.report.places import (
    arm_batch,
    batches_at,
    concurrency_of,
    joint_interval,
    load_name,
    load_of,
    loads_on,
    measured_points,
    place_words,
    state,
    unit_of,
)
from specbench.schema.comparison import (
    Axis,
    BreakEven,
    BreakEvenOutcome,
    Crossing,
    Side,
    SpeedupPoint,
)
from specbench.schema.estimate import Interval

SIDE_VERBS = {
    Side.PAYS: "pays at",
    Side.OPEN: "not told from 1 at",
    Side.LOSES: "loses at",
    Side.UNKNOWN: "no speedup at",
}
RAW_SIGNS = ", by the raw signs"
"""Nothing is known of the noise."""
SHORT_FORMS = {
    "pays up to ": "to ",
    "pays from ": "from ",
    "pays everywhere measured": "everywhere",
    "never pays": "never",
    RAW_SIGNS: " by the raw signs",
    "concurrency ": "c ",
}


def outcome(answer: BreakEven) -> str:
    """The named outcome with its place, e.g. `pays up to batch 61 [55, 68]
    (concurrency 64)`."""
    name = answer.outcome.value
    basis = RAW_SIGNS if _is_by_raw_signs(answer) else ""
    match answer.outcome:
        case BreakEvenOutcome.PAYS_UP_TO | BreakEvenOutcome.PAYS_FROM:
            return f"{name} {_crossing(answer)}"
        case BreakEvenOutcome.PAYS_EVERYWHERE:
            return f"{name}{_end(answer, 'to', -1)}{basis}"
        case BreakEvenOutcome.NEVER_PAYS:
            return f"{name}{_end(answer, 'from', 0)}{basis}"
        case BreakEvenOutcome.SEVERAL:
            return f"{name} (near {_all_crossings(answer)}){basis}"
        case BreakEvenOutcome.LOSES_BY_CAPACITY:
            return f"{name} {_capacity(answer)}{_crosses_at(answer)}"
        case BreakEvenOutcome.UNDECIDED:
            return f"{name} ({_why_undecided(answer)})"


def outcome_in_short(answer: BreakEven) -> str:
    """The outcome as it goes on after `pays:`, for where space is short; `c` is
    concurrency."""
    match answer.outcome:
        case BreakEvenOutcome.UNDECIDED:
            text = answer.outcome.value
        case BreakEvenOutcome.LOSES_BY_CAPACITY:
            text = f"to {_crossing(answer)}, by capacity from {_capacity(answer)}"
        case _:
            text = outcome(answer)
    return _shorten(text)


def _shorten(text: str) -> str:
    for long, short in SHORT_FORMS.items():
        text = text.replace(long, short)
    return text


def details(answer: BreakEven) -> tuple[str, ...]:
    """What stands beside the outcome: of each crossing the arm's batch and the joint
    interval; where there are several, each with its own place."""
    if answer.outcome is BreakEvenOutcome.UNDECIDED:
        return ()
    lines = []
    for crossing in answer.crossings:
        joint = joint_interval(answer, crossing)
        parts = list(filter(None, [_batches(answer, crossing)]))
        parts += [f"jointly {joint}"] if joint else []
        if answer.outcome is BreakEvenOutcome.SEVERAL:
            way = "falls" if crossing.is_downward else "rises"
            parts.insert(0, f"{way} at {state(answer, crossing).text}")
        if parts:
            lines.append(", ".join(parts))
    return tuple(lines)


def _batches(answer: BreakEven, crossing: Crossing) -> str:
    """Running batches at a crossing, but for one that it is stated on."""
    if answer.axis is Axis.RATE:
        return batches_at(crossing)
    batch = arm_batch(crossing)
    return f"arm's batch {batch}" if batch else ""


def neighbour(point: SpeedupPoint, axis: Axis) -> str:
    """A measured load beside a crossing, with what was measured there."""
    place = _load(point, axis)
    if axis is Axis.BATCH and point.running_batch is not None:
        place = f"batch {words.batch(point.running_batch)} ({place})"
    return f"{words.with_interval(point.speedup, words.speedup)} at {place}"


def told_loads(answer: BreakEven) -> str:
    """`pays at concurrency 1, 2; not told from 1 at 4; loses at 8`; empty where
    nothing was measured."""
    name = f"{load_name(answer.axis)} "
    parts: list[str] = []
    for side, verb in SIDE_VERBS.items():
        if loads := loads_on(answer, side):
            parts.append(f"{verb} {'' if parts else name}{_listed(loads)}")
    said = "; ".join(parts)
    return f"{said}{RAW_SIGNS}" if parts and _is_by_raw_signs(answer) else said


def first_slower(answer: BreakEven) -> str:
    """The plain rule: first measured load where the arm is slower."""
    if not measured_points(answer):
        return words.DASH
    found = answer.first_slower_concurrency
    if answer.axis is Axis.CONTEXT:
        found = first_slower_context(answer)
    return "none" if found is None else words.asked(found)


def first_slower_context(answer: BreakEven) -> int | None:
    """Of a curve over contexts, the first one where the arm is slower, in tokens."""
    if answer.axis is not Axis.CONTEXT:
        return None
    slower = (p for p in measured_points(answer) if (p.speedup.value or 1) < 1)
    return next((p.condition.context for p in slower), None)


def _is_by_raw_signs(answer: BreakEven) -> bool:
    """Whether no load has an interval, so that no side is more than a sign."""
    points = measured_points(answer)
    return bool(points) and all(p.speedup.interval is None for p in points)


def crossing_in_short(answer: BreakEven, crossing: Crossing) -> str:
    """`batch 61 [55, 68] (c 64)`."""
    return _shorten(_place(answer, crossing))


def _crossing(answer: BreakEven) -> str:
    crossing = answer.crossing
    return _place(answer, crossing) if crossing else words.DASH


def _place(answer: BreakEven, crossing: Crossing) -> str:
    """Where it crosses, with the concurrency beside it where that is something else."""
    stated = state(answer, crossing)
    if answer.axis is not Axis.BATCH:
        return stated.text
    if stated.axis is not Axis.BATCH:
        return f"{stated.text} (running batch unknown)"
    if answer.capacity_from is not None:
        return stated.text  # the concurrency that matters is said before it
    return f"{stated.text} (concurrency {concurrency_of(crossing)})"


def _all_crossings(answer: BreakEven) -> str:
    """`batch 3.0, 9.1, 40`: details have the intervals."""
    axes: dict[Axis, list[str]] = {}
    for crossing in answer.crossings:
        stated = state(answer, crossing)
        axes.setdefault(stated.axis, []).append(stated.number)
    return ", ".join(
        place_words(axis, words.listed(numbers)) for axis, numbers in axes.items()
    )


def _crosses_at(answer: BreakEven) -> str:
    """Empty where it loses from the first load on."""
    return f" (crosses at {_crossing(answer)})" if answer.crossing else ""


def _capacity(answer: BreakEven) -> str:
    if answer.axis is Axis.CONTEXT:
        crossing = answer.crossing
        from_ = crossing.above if crossing else measured_points(answer)[0]
        return _load(from_, answer.axis)
    load = words.shown(answer.capacity_from, words.asked)
    return f"{load_name(answer.axis)} {load}{unit_of(answer.axis)}"


def _why_undecided(answer: BreakEven) -> str:
    """What is open, and what is known all the same."""
    measured, opens = measured_points(answer), loads_on(answer, Side.OPEN)
    if not measured:
        return "no load has a speedup"
    if len(opens) == len(measured):
        reason = "nowhere told from 1"
    else:
        reason = f"not told from 1 at {load_name(answer.axis)} {_listed(opens)}"
    stated = [state(answer, crossing) for crossing in answer.crossings]
    for one in stated if len(stated) == 1 else ():
        if one.interval and one.interval != Interval(None, None):
            reason += f"; if it crosses, within {place_words(one.axis, one.bracket)}"
    return reason


def _end(answer: BreakEven, word: str, index: int) -> str:
    """How far an answer without a crossing holds: `(to batch 250, concurrency 256)`."""
    measured = measured_points(answer)
    if not measured:
        return ""
    last = measured[index]
    place = _load(last, answer.axis)
    if answer.axis is Axis.BATCH and last.running_batch is not None:
        place = f"batch {words.batch(last.running_batch)}, {place}"
    return f" ({word} {place})"


def _load(point: SpeedupPoint, axis: Axis) -> str:
    """`concurrency 16`, `context 8213 tokens`, `rate 0.5 requests/s`."""
    return f"{load_name(axis)} {words.asked(load_of(point, axis))}{unit_of(axis)}"


def _listed(loads: Sequence[float]) -> str:
    return words.listed([words.asked(load) for load in loads])
