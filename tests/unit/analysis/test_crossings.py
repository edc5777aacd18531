"""Where a curve crosses 1: on the baseline's batch, on the arm's, in concurrency, with
intervals that are read in the same way; whatever the batch does with the load."""

import itertools
import math
from collections.abc import Sequence
from dataclasses import replace
from random import Random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from specbench.analysis.crossings import SidedCurve, Turn, find_crossing
from specbench.analysis.frame import LAUNCH, CurveFrame
from specbench.schema.comparison import (
    Axis,
    BreakEvenOutcome,
    Crossing,
    Side,
)
from specbench.schema.estimate import Interval
from specbench.stats.noisy_curve import NoisyCurve
from specbench.stats.replicated_means import replicated_means
from specbench.stats.zero_region import zero_region
from tests.factories import speedup_point
from tests.unit.analysis.frames import (
    OCTAVES,
    answer,
    exact,
    frame,
    over_contexts,
    raw,
    sides,
    simulated,
)

SEEDS = st.integers(0, 10**6)
NOISES = st.sampled_from([0.005, 0.02, 0.1])
FALLING = (0.65, 0.63, 0.6, 0.55, 0.43, -0.02, -0.3, -0.45, -0.52)
GRADUAL = (0.3, 0.2, 0.1, 0.02, 0.005, -0.004, -0.02, -0.1, -0.2)


def only(crossings: Sequence[Crossing]) -> Crossing:
    (crossing,) = crossings
    return crossing


def ends(interval: Interval | None) -> tuple[float, float]:
    assert interval is not None
    low = 0.0 if interval.low is None else interval.low
    return low, math.inf if interval.high is None else interval.high


def with_arm_batches(curve: CurveFrame, batches: Sequence[float | None]) -> CurveFrame:
    return replace(
        curve,
        loads=tuple(
            replace(load, arm_running_batch=batch)
            for load, batch in zip(curve.loads, batches, strict=True)
        ),
    )


def test_the_answer_is_on_the_running_batch_with_concurrency_beside_it() -> None:
    found = only(raw([1.25, 0.8], frame((16, 32), (15.0, 20.0))).crossings)
    assert found.at == pytest.approx(math.sqrt(15 * 20))
    assert found.concurrency == pytest.approx(math.sqrt(16 * 32))


def test_the_arms_batch_is_read_at_the_same_share_of_the_way() -> None:
    curve = with_arm_batches(frame((16, 64)), [8.0, 32.0])
    found = only(raw([1.5, 0.8], curve).crossings)
    weight = math.log(1.5) / math.log(1.5 / 0.8)
    assert found.at == pytest.approx(16 * 4**weight)
    assert found.arm_batch == pytest.approx(8 * 4**weight)


def test_without_a_running_batch_the_concurrency_still_stands() -> None:
    found = raw([1.25, 0.8], frame((16, 32), (None, None)))
    assert found.outcome is BreakEvenOutcome.PAYS_UP_TO
    crossing = only(found.crossings)
    assert crossing.at is None
    assert crossing.concurrency == pytest.approx(math.sqrt(16 * 32))


def test_a_batch_that_is_unknown_elsewhere_does_not_move_the_crossing() -> None:
    speedups = [1.8, 1.25, 0.8]
    known = only(raw(speedups, frame((8, 16, 32))).crossings)
    partly = only(raw(speedups, frame((8, 16, 32), (None, 16.0, 32.0))).crossings)
    assert partly.at == pytest.approx(known.at)
    assert partly.concurrency == pytest.approx(known.concurrency)


def test_an_arm_whose_batch_is_unknown_has_none_at_the_crossing() -> None:
    curve = with_arm_batches(frame((16, 32)), [16.0, None])
    assert only(raw([1.25, 0.8], curve).crossings).arm_batch is None


def test_a_crossing_at_a_measured_load_is_that_load() -> None:
    found = only(raw([1.5, 1.0, 0.5], frame((3, 10, 50))).crossings)
    assert found.at == pytest.approx(10.0)
    assert found.concurrency == pytest.approx(10.0)
    assert found.below.condition.concurrency == 10


@given(
    st.lists(st.integers(1, 4000), min_size=2, max_size=9, unique=True).map(sorted),
    st.data(),
)
def test_with_any_spacing_of_loads_it_lies_between_its_neighbours(
    loads: list[int], data: st.DataObject
) -> None:
    values = st.floats(0.3, 3).filter(lambda s: abs(s - 1) > 1e-6)
    width = len(loads)
    speedups = data.draw(st.lists(values, min_size=width, max_size=width))
    for crossing in raw(speedups, frame(loads)).crossings:
        low, high = (p.condition.concurrency for p in (crossing.below, crossing.above))
        assert loads.index(high) == loads.index(low) + 1
        assert crossing.at is not None
        assert low * (1 - 1e-9) <= crossing.at <= high * (1 + 1e-9)
        weight = math.log2(crossing.at / low) / math.log2(high / low)
        left, right = (math.log(speedups[loads.index(c)]) for c in (low, high))
        assert left + weight * (right - left) == pytest.approx(0, abs=1e-6)


@given(SEEDS, NOISES, st.sampled_from([FALLING, GRADUAL]), st.integers(2, 5))
def test_an_interval_holds_its_crossing(
    seed: int, noise: float, logs: tuple[float, ...], launches: int
) -> None:
    found = answer(simulated(Random(seed), logs, noise, launches))
    for crossing in found.crossings:
        low, high = ends(crossing.interval)
        assert crossing.at is not None
        assert low * (1 - 1e-9) <= crossing.at <= high * (1 + 1e-9)
        low, high = ends(crossing.concurrency_interval)
        assert low * (1 - 1e-9) <= crossing.concurrency <= high * (1 + 1e-9)


@example(1186, 0.005, GRADUAL)
@given(SEEDS, NOISES, st.sampled_from([FALLING, GRADUAL]))
def test_the_interval_of_a_decided_crossing_lies_between_its_decided_neighbours(
    seed: int, noise: float, logs: tuple[float, ...]
) -> None:
    found = answer(simulated(Random(seed), logs, noise))
    if found.outcome is not BreakEvenOutcome.PAYS_UP_TO:
        return
    told = sides(found)
    # decided without a break from the left, and from the right
    last_paying = OCTAVES[next(i for i, s in enumerate(told) if s is not Side.PAYS) - 1]
    losing = next(i for i, s in enumerate(told[::-1]) if s is not Side.LOSES)
    first_losing = OCTAVES[len(told) - losing]
    interval = only(found.crossings).interval
    assert interval is not None
    assert interval.low is not None
    assert interval.high is not None
    assert last_paying <= interval.low <= interval.high <= first_losing


def test_of_several_crossings_each_lies_between_its_own_decided_neighbours() -> None:
    found = answer(simulated(Random(8), (0.5, -0.5, 0.0, -0.5, 0.5), 0.01))
    assert found.outcome is BreakEvenOutcome.SEVERAL
    told = [Side.PAYS, Side.LOSES, Side.OPEN, Side.LOSES, Side.PAYS]
    assert sides(found) == told
    first, second = (ends(crossing.interval) for crossing in found.crossings)
    assert 1 <= first[0] <= first[1] <= 2
    assert 8 <= second[0] <= second[1] <= 16


def test_launches_that_differ_by_rounding_only_have_an_interval() -> None:
    """Straight curves whose figures differ in their last digits."""
    for seed in range(300):
        random = Random(seed)
        root = random.uniform(1.1, 2.9)
        logs = [0.3 * (root - x) for x in (1, 2, 3)]
        for crossing in answer(simulated(random, logs, 1e-17)).crossings:
            assert (crossing.interval is None) == bool(crossing.no_interval)


@given(SEEDS, NOISES, st.sampled_from([FALLING, GRADUAL]), st.integers(2, 30))
def test_the_joint_interval_contains_the_plain_one(
    seed: int, noise: float, logs: tuple[float, ...], answers: int
) -> None:
    tables = simulated(Random(seed), logs, noise)
    for crossing in answer(tables, answers=answers).crossings:
        plain, joint = ends(crossing.interval), ends(crossing.joint_interval)
        assert joint[0] <= plain[0]
        assert joint[1] >= plain[1]


def sided(seed: int, margin: float) -> SidedCurve:
    """A noisy curve at four loads, of which the outer ones are decided by this much."""
    base, arm = simulated(Random(seed), (0.5, 0.2, -0.2, -0.5), 0.1)
    noisy = NoisyCurve(
        (0.0, 1.0, 2.0, 3.0), replicated_means(arm), replicated_means(base)
    )
    return SidedCurve(
        axis=Axis.BATCH,
        noisy=noisy,
        points=tuple(speedup_point(2**i, math.exp(noisy.values[i])) for i in range(4)),
        places=(1.0, 2.0, 4.0, 8.0),
        margins=(margin, 9.0, 9.0, margin),
        words="",
        answers=1,
        replicate=LAUNCH,
        axis_rises=True,
    )


@pytest.mark.parametrize(
    ("margin", "credited"), [(1.01, 4.0), (1.49, 4.0), (1.5, math.inf), (9, math.inf)]
)
def test_a_crossing_between_loads_that_were_just_decided_is_credited_with_launches_only(
    margin: float, credited: float
) -> None:
    """Chance has chosen the sweeps that come to an answer so. Three launches of each
    arm have four degrees of freedom between them."""
    for seed in range(8):
        curve = sided(seed, margin)
        region = zero_region(curve.noisy, 0.025, credited)
        assert region is not None
        assert region.low is not None
        assert region.high is not None
        low, high = (2 ** (p.left + p.weight) for p in (region.low, region.high))
        found = find_crossing(curve, Turn(0, 3, is_downward=True))
        assert ends(found.interval) == pytest.approx((low, high))


@given(SEEDS, NOISES)
def test_an_only_answer_has_no_joint_interval_and_the_plain_one_stays(
    seed: int, noise: float
) -> None:
    tables = simulated(Random(seed), FALLING, noise)
    alone, among = answer(tables), answer(tables, answers=6)
    for one, other in zip(alone.crossings, among.crossings, strict=True):
        assert one.joint_interval is None
        assert replace(other, joint_interval=None) == one


def test_a_joint_interval_is_open_only_where_the_curve_ends() -> None:
    """Open at both ends beside a 16 that is just open; yet 4 (1.65, below) and 64
    (0.61, above) are decided by far."""
    logs = [0.6, 0.55, 0.5, 0.3, 0.09, -0.3, -0.5, -0.6, -0.7]
    found = answer(simulated(Random(0), logs, 0.05), answers=30)
    assert found.outcome is BreakEvenOutcome.PAYS_UP_TO
    joint = only(found.crossings).joint_interval
    assert joint is not None
    assert joint.low is not None
    assert joint.high is not None
    assert 4 <= joint.low <= joint.high <= 64


def test_of_several_crossings_each_has_a_joint_interval_of_its_own() -> None:
    """Crossings near 5 and near 45, told apart by far. Each interval ends at the
    decided load between the two at the latest."""
    logs = (0.3, 0.2, 0.05, -0.1, -0.15, -0.1, 0.05, 0.2, 0.3)
    found = answer(simulated(Random(2), logs, 0.003), answers=3)
    assert found.outcome is BreakEvenOutcome.SEVERAL
    first, second = (ends(crossing.joint_interval) for crossing in found.crossings)
    assert first[1] <= 16 <= second[0]


def test_an_undecided_curve_that_may_cross_once_says_where() -> None:
    logs = [0.02, 0.01, 0.005, -0.005, -0.01, -0.02]
    found = answer(simulated(Random(12), logs, 0.02))
    assert found.outcome is BreakEvenOutcome.UNDECIDED
    assert found.crossing is None
    assert only(found.crossings).interval == Interval(None, None)


def test_an_undecided_curve_whose_means_change_sides_twice_names_no_place() -> None:
    tables = simulated(Random(13), [0.0] * 9, 0.02)
    found = answer(tables)
    means = [point.speedup.value or 0.0 for point in found.curve.points]
    changes = sum((a >= 1) != (b >= 1) for a, b in itertools.pairwise(means))
    assert changes > 1
    assert found.outcome is BreakEvenOutcome.UNDECIDED
    assert found.crossings == ()


def test_without_noise_a_bent_curve_is_exact_but_for_its_bend() -> None:
    """H17's ratios, three equal launches: the allowance is all that is left."""
    ratios = [2.00, 1.85, 1.70, 1.50, 1.25, 0.95, 0.80]
    crossing = only(answer(exact(ratios, 3)).crossings)
    low, high = ends(crossing.interval)
    assert crossing.at == pytest.approx(28.11, abs=0.01)
    assert 27 < low < 28.11 < high < 29


# a batch that does not rise with the load


def test_at_a_capped_batch_the_line_is_drawn_over_concurrency() -> None:
    curve = frame((16, 32, 64), (16.0, 20.0, 20.0))
    found = only(raw([1.5, 1.25, 0.95], curve).crossings)
    weight = math.log(1.25) / math.log(1.25 / 0.95)
    assert found.concurrency == pytest.approx(32 * 2**weight)
    assert found.at == pytest.approx(20.0)


@pytest.mark.parametrize(
    "batches", [(10.0, 9.5, 9.0), (10.0, 10.0, 9.0), (16.0, 31.0, 30.0)]
)
def test_a_batch_that_falls_still_gives_a_place_between_its_neighbours(
    batches: tuple[float, ...],
) -> None:
    found = only(raw([1.25, 0.95, 0.8], frame((16, 32, 64), batches)).crossings)
    assert found.at is not None
    assert min(batches) <= found.at * (1 + 1e-9)
    assert found.at <= max(batches) * (1 + 1e-9)
    assert 16 < found.concurrency < 32


@pytest.mark.parametrize("batches", [(10.0, 9.5, 9.0), (None, 32.0, 64.0)])
def test_where_the_batch_does_not_rise_the_interval_is_on_the_concurrency(
    batches: tuple[float | None, ...],
) -> None:
    curve = frame((16, 32, 64), batches)
    found = only(answer(exact([1.25, 0.95, 0.8], 3), curve, answers=3).crossings)
    assert (found.interval, found.joint_interval) == (None, None)
    assert "does not rise with the load" in (found.no_interval or "")
    low, high = ends(found.concurrency_interval)
    assert 16 < low < found.concurrency < high < 32


def test_at_a_capped_batch_the_interval_is_not_a_point() -> None:
    """Batch 10 at 16, 32 and 64: `pays up to 10.0 [10.0, 10.0]`, though all three
    loads have that batch and the arm pays at the first and loses at the others. The
    batch tells nothing apart; the concurrency has to be the axis."""
    curve = frame((16, 32, 64), (10.0, 10.0, 10.0))
    found = only(answer(exact([1.25, 0.95, 0.8], 3), curve).crossings)
    assert found.interval is None or found.interval.low != found.interval.high


# over contexts


def test_over_contexts_the_place_is_the_context() -> None:
    found = raw([0.8, 0.9, 1.2], over_contexts((1024, 4096, 16384)))
    assert found.outcome is BreakEvenOutcome.PAYS_FROM
    at = only(found.crossings).at
    assert at is not None
    assert 4096 < at < 16384


@pytest.mark.parametrize("place", [None, 0.0])
def test_over_contexts_one_without_a_place_is_no_crash(place: float | None) -> None:
    """Context 0 is `as the data set has them`: it has no place on a log axis."""
    raw([0.8, 0.9, 1.2], over_contexts((0, 4096, 16384), (place, 4096.0, 16384.0)))
