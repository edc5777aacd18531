"""How columns of breakeven.csv are read off an answer: at its crossing, with the ends
of an interval, over its measured loads."""

from collections.abc import Callable

from specbench.report.answers import is_slower
from specbench.report.columns import UNIT_SUFFIXES, Column, Value, field
from specbench.report.places import load_name, load_of
from specbench.schema.comparison import Axis, BreakEven, Crossing, Side, SpeedupPoint

BreakEvenColumn = Column[BreakEven]
Read = Callable[[BreakEven], Value]


def at_crossing(axes: tuple[Axis, ...], path: str) -> Read:
    """Reads off the one crossing of an answer that is stated on one of these axes."""
    read = field(path)
    return lambda answer: read(answer.crossing) if answer.axis in axes else None


def with_ends(
    name: str, unit: str, meaning: str, reads: tuple[Read, Read, Read]
) -> list[BreakEvenColumn]:
    """A place, and the ends of its interval."""
    at, low, high = reads
    suffix = UNIT_SUFFIXES.get(unit, "")
    return [
        Column(f"{name}{suffix}", unit, meaning, at),
        Column(
            f"{name}_low{suffix}",
            unit,
            "lower 95 % end; empty = open, see `interval`",
            low,
        ),
        Column(f"{name}_high{suffix}", unit, "upper 95 % end; empty = open", high),
    ]


def only_crossing(answer: BreakEven) -> Crossing | None:
    """The crossing, or the possible one, where there is just one."""
    return answer.crossings[0] if len(answer.crossings) == 1 else None


def measured_loads(axis: Axis, unit: str) -> list[BreakEvenColumn]:
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
        Column(
            f"{stem}_{name}{UNIT_SUFFIXES.get(unit, '')}",
            unit,
            f"loads {meaning}, parted by `;`",
            read(pick),
        )
        for stem, meaning, pick in rows
    ]
