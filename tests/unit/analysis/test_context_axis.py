"""Over the context: at which one an arm begins to pay, and from which one its speedup
grows with the load."""

import math
from dataclasses import replace

import pytest

from specbench.analysis.context_axis import (
    FramedTables,
    critical_context,
    load_trend,
    over_contexts,
)
from specbench.analysis.frame import CurveFrame
from specbench.analysis.point_answers import conclude_points
from specbench.schema.comparison import Axis, BreakEvenOutcome
from specbench.schema.context import CriticalOutcome, Direction
from tests.unit.analysis.frames import frame
from tests.unit.analysis.points_of import SETTING, paired, table

LOADS = (1, 4, 16)
GROWS = (0.9, 0.95, 1.1)
FALLS = (1.3, 1.1, 0.9)
FLAT = (1.1, 1.1, 1.1)


def curve(
    context: int, speedups: tuple[float, ...], loads: tuple[int, ...] = LOADS
) -> FramedTables:
    """One launch of each arm."""
    return framed(context, loads, [tuple(map(math.log, speedups))])


def launches(
    context: int, speedups: tuple[float, ...], deviations: tuple[float, ...]
) -> FramedTables:
    """A launch for each deviation, which raises the first load and lowers the last."""
    tilts = (1.0, 0.0, -1.0)
    return framed(
        context,
        LOADS,
        [
            tuple(
                math.log(s) + deviation * tilt
                for s, tilt in zip(speedups, tilts, strict=True)
            )
            for deviation in deviations
        ],
    )


def framed(
    context: int, loads: tuple[int, ...], rows: list[tuple[float | None, ...]]
) -> FramedTables:
    made = frame(loads)
    conditions = tuple(
        replace(load, condition=replace(load.condition, context=context))
        for load in made.loads
    )
    at_context: CurveFrame = replace(made, context=context, loads=conditions)
    zeros = tuple(tuple(0.0 for _ in row) for row in rows)
    return FramedTables(at_context, zeros, tuple(rows))


@pytest.mark.parametrize(
    ("speedups", "outcome", "between"),
    [
        ((FALLS, GROWS), CriticalOutcome.BETWEEN, (1000, 2000)),
        ((FALLS, FALLS, GROWS, GROWS), CriticalOutcome.BETWEEN, (2000, 3000)),
        ((FALLS, FALLS), CriticalOutcome.FALLS_EVERYWHERE, (None, None)),
        ((GROWS, GROWS), CriticalOutcome.GROWS_EVERYWHERE, (None, None)),
        ((GROWS, FALLS), CriticalOutcome.REVERSED, (None, None)),
        ((FALLS, GROWS, FALLS), CriticalOutcome.SEVERAL, (None, None)),
        ((FALLS,), CriticalOutcome.UNKNOWN, (None, None)),
        ((), CriticalOutcome.UNKNOWN, (None, None)),
    ],
)
def test_the_critical_context_lies_between_falling_and_growing(
    speedups: tuple[tuple[float, ...], ...],
    outcome: CriticalOutcome,
    between: tuple[int | None, int | None],
) -> None:
    curves = [curve(1000 * (i + 1), one) for i, one in enumerate(speedups)]
    # contexts are put in order, whatever order they come in
    critical = critical_context(curves[::-1])
    assert critical.outcome is outcome
    assert (critical.below, critical.above) == between
    assert [t.context for t in critical.trends] == sorted(
        t.context for t in critical.trends
    )


def test_a_speedup_that_stays_as_it_is_does_not_grow() -> None:
    critical = critical_context([curve(1000, FLAT), curve(2000, GROWS)])
    assert (critical.below, critical.above) == (1000, 2000)


def slope_of(curve: FramedTables) -> float:
    trend = load_trend(curve)
    assert trend is not None
    return trend.slope


def test_the_trend_is_the_least_squares_slope_for_each_doubling() -> None:
    speedups = (1.0, 1.3, 1.2)
    xs, ys = (0, 2, 4), [math.log(s) for s in speedups]
    level = sum(ys) / 3
    slope = sum((x - 2) * (y - level) for x, y in zip(xs, ys, strict=True)) / 8
    assert slope_of(curve(1000, speedups)) == pytest.approx(slope)


def test_the_trend_goes_by_the_running_batch_where_it_is_known() -> None:
    """Concurrency 1 to 16 at a batch that stays nearly as it is: a steep slope."""
    by_load = curve(1000, GROWS)

    def at(batches: tuple[float | None, ...]) -> FramedTables:
        loads = tuple(
            replace(load, x=batch)
            for load, batch in zip(by_load.frame.loads, batches, strict=True)
        )
        return replace(by_load, frame=replace(by_load.frame, loads=loads))

    steep, unknown = slope_of(at((8.0, 8.5, 9.0))), slope_of(at((None,) * 3))
    assert steep > 10 * unknown > 0
    assert unknown == pytest.approx(slope_of(by_load))


def test_one_load_has_no_trend() -> None:
    assert load_trend(curve(1000, (1.1,), loads=(4,))) is None
    critical = critical_context([curve(1000, FALLS), curve(2000, (1.1,), loads=(4,))])
    assert critical.outcome is CriticalOutcome.UNKNOWN


def test_without_replicates_the_sign_is_the_trend() -> None:
    trend = load_trend(curve(1000, (1.0, 1.0, 1.001)))
    assert trend is not None
    assert trend.direction is Direction.GROWS
    assert trend.error is None


def test_a_mere_sign_tells_nothing_beside_trends_that_are_tested() -> None:
    quiet = (0.001, -0.001, 0.0)
    critical = critical_context([curve(1000, FALLS), launches(2000, GROWS, quiet)])
    assert [t.direction for t in critical.trends] == [Direction.OPEN, Direction.GROWS]
    assert critical.outcome is CriticalOutcome.UNDECIDED


def test_a_slope_within_the_noise_of_the_launches_is_open() -> None:
    quiet, loud = (0.001, -0.001, 0.0), (0.2, -0.2, 0.0)
    for deviations, direction in ((quiet, Direction.GROWS), (loud, Direction.OPEN)):
        trend = load_trend(launches(1000, GROWS, deviations))
        assert trend is not None
        assert trend.direction is direction
        assert trend.error is not None
    # what a whole launch shares has no part in a slope
    shared = framed(
        1000, LOADS, [tuple(math.log(s) + d for s in GROWS) for d in (0.3, -0.3, 0.0)]
    )
    trend = load_trend(shared)
    assert trend is not None
    assert trend.direction is Direction.GROWS


@pytest.mark.parametrize(
    ("directions", "outcome", "between"),
    [
        (("falls", "open", "grows"), CriticalOutcome.BETWEEN, (1000, 3000)),
        (("falls", "open"), CriticalOutcome.UNDECIDED, (None, None)),
        (("open", "grows"), CriticalOutcome.UNDECIDED, (None, None)),
        (("open", "falls", "grows"), CriticalOutcome.UNDECIDED, (None, None)),
        (("falls", "open", "falls"), CriticalOutcome.UNDECIDED, (None, None)),
        (("open", "open"), CriticalOutcome.UNDECIDED, (None, None)),
        (("grows", "open", "falls"), CriticalOutcome.REVERSED, (None, None)),
        (("grows", "falls", "grows", "open"), CriticalOutcome.SEVERAL, (None, None)),
    ],
)
def test_what_is_open_between_two_trends_stays_between_them_and_else_decides(
    directions: tuple[str, ...],
    outcome: CriticalOutcome,
    between: tuple[int | None, int | None],
) -> None:
    shapes = {
        "grows": (GROWS, (0.001, -0.001, 0.0)),
        "falls": (FALLS, (0.001, -0.001, 0.0)),
        "open": (FLAT, (0.2, -0.2, 0.0)),
    }
    curves = [
        launches(1000 * (i + 1), *shapes[one]) for i, one in enumerate(directions)
    ]
    critical = critical_context(curves)
    assert [t.direction.value for t in critical.trends] == list(directions)
    assert critical.outcome is outcome
    assert (critical.below, critical.above) == between


def test_loads_that_two_contexts_share_make_a_curve_each() -> None:
    made = over_contexts(
        [
            framed(4096, (4, 16, 64), [(0.4, 0.3, 0.2)]),
            framed(1024, (1, 4, 16), [(0.1, 0.2, 0.3)]),
        ]
    )
    assert [one.frame.loads[0].condition.concurrency for one in made] == [4, 16]
    at_4, at_16 = made
    assert at_4.frame.axis is Axis.CONTEXT
    assert [load.x for load in at_4.frame.loads] == [1024.0, 4096.0]
    assert at_4.arm == ((0.2, 0.4),)
    assert at_16.arm == ((0.3, 0.3),)


def test_launches_stay_in_their_rows() -> None:
    made = over_contexts(
        [
            framed(1024, (4,), [(0.1,), (0.2,), (None,)]),
            framed(4096, (4,), [(0.3,), (None,)]),
        ]
    )
    assert made[0].arm == ((0.1, 0.3), (0.2, None), (None, None))


def over_context(speedups: dict[int, dict[int, float]]):  # type: ignore[no-untyped-def]
    """Answers over contexts; speedups by context and load."""
    rows = [
        point
        for context, by_load in speedups.items()
        for point in paired(by_load, setting=replace(SETTING, context=context))
    ]
    return conclude_points(table(rows)).over_context


def test_an_arm_may_pay_from_a_context_or_up_to_one() -> None:
    (rising,) = over_context({1000: {8: 0.8}, 16000: {8: 1.25}})
    assert rising.break_even.outcome is BreakEvenOutcome.PAYS_FROM
    assert rising.break_even.crossing.at == pytest.approx(4000)
    assert rising.load == 8
    assert rising.setting.context is None
    (falling,) = over_context({1000: {8: 1.25}, 16000: {8: 0.8}})
    assert falling.break_even.outcome is BreakEvenOutcome.PAYS_UP_TO


def test_contexts_that_are_not_given_make_no_curve() -> None:
    given_once = replace(SETTING, context=1000)
    rows = [
        *paired({8: 1.2}, setting=given_once),
        *paired({8: 0.9}, setting=replace(SETTING, context=None)),
    ]
    assert conclude_points(table(rows)).over_context == ()


def test_other_data_sets_are_not_other_contexts() -> None:
    rows = [
        *paired({8: 1.2}, setting=replace(SETTING, context=1000)),
        *paired({8: 0.9}, setting=replace(SETTING, context=2000, dataset="other")),
    ]
    assert conclude_points(table(rows)).over_context == ()
