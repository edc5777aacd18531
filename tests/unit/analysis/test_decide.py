"""From log figures to a decision: what may not change it, what its intervals are made
of, and what it rests on where launches are few."""

import math
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from specbench.analysis.decide import decide
from specbench.analysis.frame import Table
from specbench.schema.comparison import (
    BreakEven,
    BreakEvenOutcome,
    Side,
    SpeedupPoint,
)
from specbench.schema.estimate import Interval
from specbench.stats.students_t import t_quantile
from tests.unit.analysis.frames import (
    OCTAVES,
    answer,
    exact,
    frame,
    load_frame,
    prior,
    raw,
    sides,
    simulated,
)

SEEDS = st.integers(0, 10**6)
NOISES = st.sampled_from([0.005, 0.02, 0.1])
STEEP = (0.65, 0.63, 0.6, 0.55, 0.43, -0.02, -0.3, -0.45, -0.52)
RISING = tuple(-v for v in STEEP)
TWO = (0.3, 0.2, 0.05, -0.1, -0.15, -0.1, 0.05, 0.2, 0.3)
FLAT = (0.0,) * 9
CURVES = st.sampled_from([STEEP, RISING, TWO, FLAT])
SOME = settings(max_examples=40)


def points(found: BreakEven) -> tuple[SpeedupPoint, ...]:
    return found.curve.points


def ends(interval: Interval | None) -> tuple[float, float]:
    assert interval is not None
    low = 0.0 if interval.low is None else interval.low
    return low, math.inf if interval.high is None else interval.high


def shifted(table: Table, by: float) -> Table:
    return tuple(tuple(None if v is None else v + by for v in row) for row in table)


def assert_same_answer(a: BreakEven, b: BreakEven) -> None:
    """But for rounding, which a test that is just passed may see."""
    assert a.outcome is b.outcome
    assert sides(a) == sides(b)
    for left, right in zip(points(a), points(b), strict=True):
        assert left.speedup.value == pytest.approx(right.speedup.value)
    for there, here in zip(a.crossings, b.crossings, strict=True):
        assert there.at == pytest.approx(here.at)
        if here.interval is not None:
            assert ends(there.interval) == pytest.approx(ends(here.interval))


# what may not change a decision


@SOME
@given(SEEDS, CURVES, NOISES, st.floats(-5, 5))
def test_the_unit_of_the_figures_changes_nothing(
    seed: int, logs: tuple[float, ...], noise: float, by: float
) -> None:
    base, arm = simulated(Random(seed), logs, noise)
    scaled = answer((shifted(base, by), shifted(arm, by)))
    assert_same_answer(scaled, answer((base, arm)))


@SOME
@given(SEEDS, CURVES, NOISES, st.floats(0, 0.3))
def test_the_order_of_launches_changes_nothing(
    seed: int, logs: tuple[float, ...], noise: float, absent: float
) -> None:
    random = Random(seed)
    base, arm = simulated(random, logs, noise, absent=absent)
    turned = random.sample(base, len(base)), random.sample(arm, len(arm))
    assert_same_answer(
        answer((tuple(turned[0]), tuple(turned[1]))), answer((base, arm))
    )


@SOME
@given(SEEDS, CURVES, NOISES)
def test_a_launch_without_any_figure_changes_nothing(
    seed: int, logs: tuple[float, ...], noise: float
) -> None:
    base, arm = simulated(Random(seed), logs, noise)
    nothing = ((None,) * len(logs),)
    here, there = answer((base, arm)), answer((base + nothing, nothing + arm))
    assert_same_answer(there, here)
    assert there.note == here.note


@SOME
@given(SEEDS, CURVES, NOISES, st.integers(0, 9))
def test_a_load_without_a_speedup_changes_nothing_but_stands_there(
    seed: int, logs: tuple[float, ...], noise: float, at: int
) -> None:
    base, arm = simulated(Random(seed), logs, noise)
    extra = OCTAVES[at - 1] + 1 if at else 0
    loads = [*OCTAVES[:at], extra, *OCTAVES[at:]]
    wider = (
        tuple((*row[:at], 0.0, *row[at:]) for row in base),
        tuple((*row[:at], None, *row[at:]) for row in arm),
    )
    here = answer((base, arm))
    there = answer(wider, frame(loads, [float(max(1, load)) for load in loads]))
    assert there.outcome is here.outcome
    assert [s for i, s in enumerate(sides(there)) if i != at] == sides(here)
    assert sides(there)[at] is Side.UNKNOWN
    assert points(there)[at].speedup.value is None
    assert points(there)[at].speedup.missing
    assert [c.at for c in there.crossings] == [c.at for c in here.crossings]


MIRRORED = {
    BreakEvenOutcome.PAYS_UP_TO: BreakEvenOutcome.PAYS_FROM,
    BreakEvenOutcome.PAYS_FROM: BreakEvenOutcome.PAYS_UP_TO,
    BreakEvenOutcome.PAYS_EVERYWHERE: BreakEvenOutcome.NEVER_PAYS,
    BreakEvenOutcome.NEVER_PAYS: BreakEvenOutcome.PAYS_EVERYWHERE,
    BreakEvenOutcome.SEVERAL: BreakEvenOutcome.SEVERAL,
    BreakEvenOutcome.UNDECIDED: BreakEvenOutcome.UNDECIDED,
}
OTHER_SIDE = {Side.PAYS: Side.LOSES, Side.LOSES: Side.PAYS, Side.OPEN: Side.OPEN}


@SOME
@given(SEEDS, CURVES, NOISES, st.integers(1, 4))
def test_exchanging_the_arms_mirrors_the_answer(
    seed: int, logs: tuple[float, ...], noise: float, launches: int
) -> None:
    base, arm = simulated(Random(seed), logs, noise, launches)
    here, there = answer((base, arm)), answer((arm, base))
    assert there.outcome is MIRRORED[here.outcome]
    assert sides(there) == [OTHER_SIDE[side] for side in sides(here)]
    for left, right in zip(there.crossings, here.crossings, strict=True):
        assert left.at == pytest.approx(right.at)
        assert left.is_downward is not right.is_downward
        if right.interval is not None:
            assert ends(left.interval) == pytest.approx(ends(right.interval))


@SOME
@given(SEEDS, CURVES, NOISES)
def test_arms_are_paired_by_load_and_not_by_launch_number(
    seed: int, logs: tuple[float, ...], noise: float
) -> None:
    base, arm = simulated(Random(seed), logs, noise)
    assert_same_answer(answer((base, arm[::-1])), answer((base, arm)))


# speedups and their intervals


def test_a_speedup_is_the_ratio_of_geometric_means() -> None:
    tables = ((math.log(100.0),), (math.log(400.0),)), ((math.log(300.0),),) * 3
    (point,) = points(answer(tables))
    assert point.speedup.value == pytest.approx(300 / 200)
    assert point.speedup.n == 2


def test_the_interval_of_one_load_is_welchs() -> None:
    """One load of three launches each: nothing is pooled. By hand: variances of the
    means 1/3 and 4/3 (x 1e-4), degrees of freedom (5/3)^2 / ((1/9 + 16/9) / 2)."""
    base = ((-0.01,), (0.0,), (0.01,))
    arm = ((0.08,), (0.1,), (0.12,))
    (point,) = points(answer((base, arm)))
    df = (5 / 3) ** 2 / ((1 / 9 + 16 / 9) / 2)
    half = t_quantile(0.025, df) * 0.01 * math.sqrt(5 / 3)
    assert ends(point.speedup.interval) == pytest.approx(
        (math.exp(0.1 - half), math.exp(0.1 + half))
    )


@SOME
@given(SEEDS, CURVES, NOISES, st.integers(2, 5), st.floats(0, 0.3))
def test_an_interval_holds_its_value_and_a_decided_load_excludes_1(
    seed: int, logs: tuple[float, ...], noise: float, launches: int, absent: float
) -> None:
    found = answer(simulated(Random(seed), logs, noise, launches, absent))
    for point in points(found):
        if point.speedup.interval is None:
            assert point.speedup.no_interval or point.speedup.missing
            continue
        low, high = ends(point.speedup.interval)
        assert point.speedup.value is not None
        assert low <= point.speedup.value <= high
        if point.side is Side.PAYS:
            assert low > 1
        if point.side is Side.LOSES:
            assert high < 1


@SOME
@given(SEEDS, CURVES, NOISES, st.integers(1, 4), st.floats(0, 0.5))
def test_every_value_has_an_interval_or_a_reason_for_none(
    seed: int, logs: tuple[float, ...], noise: float, launches: int, absent: float
) -> None:
    found = answer(simulated(Random(seed), logs, noise, launches, absent))
    for point in points(found):
        if point.speedup.value is not None:
            assert (point.speedup.interval is None) == bool(point.speedup.no_interval)
    for crossing in found.crossings:
        assert (crossing.interval is None) == bool(crossing.no_interval)


def test_a_value_lies_within_the_spread_that_stands_beside_it() -> None:
    """Baseline 100 and 200, arm 150 in one launch only: value 1.06, said to lie
    between 1.5 and 1.5."""
    tables = ((math.log(100.0),), (math.log(200.0),)), ((math.log(150.0),),)
    found = points(answer(tables))[0].speedup
    assert found.value is not None
    assert found.low is not None
    assert found.high is not None
    assert found.low <= found.value <= found.high


def test_more_launches_narrow_the_intervals_on_average() -> None:
    def width(launches: int) -> float:
        total = 0.0
        for seed in range(80):
            found = answer(simulated(Random(seed), STEEP, 0.02, launches))
            low, high = ends(points(found)[4].speedup.interval)
            total += math.log(high / low)
        return total / 80

    assert width(2) > 1.3 * width(3) > 1.3 * width(6)


# single launches, and what is known from an A/A run


def test_one_launch_of_each_arm_has_raw_signs_no_interval_and_says_so() -> None:
    found = raw([2.0, 1.5, 1.1, 0.9])
    assert sides(found) == [Side.PAYS] * 3 + [Side.LOSES]
    assert found.outcome is BreakEvenOutcome.PAYS_UP_TO
    assert all(point.speedup.interval is None for point in points(found))
    (crossing,) = found.crossings
    assert crossing.interval is None
    assert crossing.joint_interval is None
    assert crossing.concurrency_interval is None
    for words in (
        found.note,
        crossing.no_interval,
        points(found)[0].speedup.no_interval,
    ):
        assert words is not None
        assert "one launch of each arm" in words
        assert "--aa" in words
    assert "raw signs" in found.note
    assert "without an interval" in found.note


@pytest.mark.parametrize(
    ("launches", "words"),
    [((1, 3), "one launch of the baseline"), ((3, 1), "one launch of the arm")],
)
def test_one_launch_of_either_arm_is_enough_to_know_nothing(
    launches: tuple[int, int], words: str
) -> None:
    base, arm = exact([2.0, 0.5], 3)
    found = answer((base[: launches[0]], arm[: launches[1]]))
    assert found.crossings[0].interval is None
    assert words in found.note
    assert f"{launches[0]} launch" in found.note


def test_the_note_does_not_contradict_itself() -> None:
    """The arm's second launch has a figure only where its baseline has none: the note
    counts 1 launch, and the reason speaks of launches that share no load."""
    base: Table = ((0.0, None), (0.0, None))
    arm: Table = ((0.2, None), (None, 0.1))
    note = answer((base, arm)).note
    assert "1 of the arm" in note
    assert "one launch of the arm" in note


def test_with_a_prior_one_launch_has_the_interval_that_the_prior_says() -> None:
    """A deviation of 2 % in each arm, on 10 degrees of freedom of launches; the cells
    know more of theirs, but at one load half is the launches' own."""
    known = prior(0.02, df=10)
    found = answer(exact([1.5] * 9), prior=known)
    squares = known.baseline
    by_rows, by_cells = squares.row / 9, squares.cell * (1 - 1 / 9)
    total = 2 * (by_rows + by_cells)
    df = total**2 / (2 * (by_rows**2 / 10 + by_cells**2 / 80))
    half = t_quantile(0.025, df) * math.sqrt(total)
    low, high = ends(points(found)[0].speedup.interval)
    assert total == pytest.approx(2 * 0.02**2)
    assert (low, high) == pytest.approx(
        (1.5 * math.exp(-half), 1.5 * math.exp(half)), rel=1e-9
    )
    assert "1 launch of each arm, with the launch noise of the A/A run" in found.note
    assert "raw signs" not in found.note


def test_a_prior_of_fewer_degrees_of_freedom_gives_a_wider_interval() -> None:
    widths = []
    for df in (2, 4, 30):
        found = answer(exact([1.5] * 9), prior=prior(0.02, df=df))
        low, high = ends(points(found)[0].speedup.interval)
        widths.append(high / low)
    assert widths[0] > widths[1] > widths[2]


def test_a_prior_decides_only_what_is_beyond_it() -> None:
    """2 % in each arm, 2.8 % of their difference: 40 % is told from 1, 3 % is not."""
    found = answer(exact([1.4, 1.03, 0.97, 0.6]), prior=prior(0.02, columns=4))
    assert sides(found) == [Side.PAYS, Side.OPEN, Side.OPEN, Side.LOSES]
    assert found.outcome is BreakEvenOutcome.PAYS_UP_TO


def test_a_prior_much_smaller_than_the_own_spread_is_refused() -> None:
    tables = simulated(Random(4), STEEP, 0.1, launches=2)
    with_it = answer(tables, prior=prior(0.001, df=30))
    without = answer(tables)
    assert with_it == without
    assert "A/A" not in with_it.note


def test_a_prior_like_the_own_spread_is_used_and_narrows() -> None:
    tables = simulated(Random(5), STEEP, 0.02, launches=2)
    with_it, without = answer(tables, prior=prior(0.02, df=30)), answer(tables)
    assert "A/A run of 2026-01-02" in with_it.note
    narrow, wide = (
        ends(points(found)[0].speedup.interval) for found in (with_it, without)
    )
    assert narrow[1] / narrow[0] < wide[1] / wide[0]


def test_three_launches_speak_for_themselves() -> None:
    tables = simulated(Random(6), STEEP, 0.02, launches=3)
    assert answer(tables, prior=prior(0.02, df=30)) == answer(tables)


@SOME
@given(SEEDS)
def test_identical_launches_of_both_arms_are_not_told_apart(seed: int) -> None:
    base, _ = simulated(Random(seed), FLAT, 0.05)
    found = answer((base, base))
    assert sides(found) == [Side.OPEN] * 9
    assert all(point.speedup.value == 1.0 for point in points(found))


def test_without_noise_every_load_but_1_is_decided() -> None:
    found = answer(exact([1.001, 1.0, 0.999], 3))
    assert sides(found) == [Side.PAYS, Side.OPEN, Side.LOSES]
    assert ends(points(found)[0].speedup.interval) == pytest.approx((1.001, 1.001))


def test_no_load_at_all_is_a_curve_without_points() -> None:
    curve, found = decide(frame(()), (), ())
    assert curve.points == ()
    assert found.outcome is BreakEvenOutcome.UNDECIDED


def test_a_load_that_is_marked_as_missing_takes_no_part_whatever_its_figures() -> None:
    curve = frame((1, 2))
    why = "the arm's cells are void"
    loads = (curve.loads[0], load_frame(2, missing=why))
    found = raw([1.5, 0.5], replace(curve, loads=loads))
    assert found.outcome is BreakEvenOutcome.PAYS_EVERYWHERE
    assert points(found)[1].speedup.missing == why
    assert found.first_slower_concurrency is None
