"""H17, where speculation stops paying, of any curve at any loads: one place between two
measured neighbours, interpolated in a way that is said, or a plain word why there is
none; whatever is void, missing, repeated or out of order."""

import itertools
import math
from collections.abc import Sequence
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from specbench.analysis.run import conclude
from specbench.report.csv_files import breakeven_csv
from specbench.report.json_report import report_json
from specbench.report.markdown import report_markdown
from specbench.schema.comparison import (
    CLOSED_LOOP,
    BreakEven,
    BreakEvenOutcome,
    Side,
    SpeedupMetric,
)
from specbench.schema.findings import CellStats, Finding, Severity
from specbench.schema.sweep import BASELINE
from tests.cases.answers import FACTS
from tests.factories import cell_stats, latency

LOADS = (1, 2, 4, 8, 16, 32, 64)
RATIOS = (2.00, 1.85, 1.70, 1.50, 1.25, 0.95, 0.80)
VOID = (Finding(Severity.VOID, "client-lag", "too late", "use another CPU"),)

SEEDS = st.integers(0, 10**6)
ANY_LOADS = st.lists(st.integers(1, 3000), min_size=1, max_size=10, unique=True)
RATIO = st.floats(0.3, 3).filter(lambda r: abs(r - 1) > 1e-6)


def cells_of(
    loads: Sequence[int],
    ratios: Sequence[float],
    arm: str = "eagle",
    launches: int = 1,
    noise: float = 0.0,
    batches: Sequence[float] | None = None,
) -> list[CellStats]:
    """Baseline and arm: 60 tokens/s at load 1, and less than in proportion beyond."""
    random = Random(7)
    made = []
    for name in (BASELINE, arm):
        for launch in range(1, launches + 1):
            shared = random.gauss(0, noise)
            for place, load in enumerate(loads):
                off = math.exp(shared + random.gauss(0, noise))
                ratio = 1.0 if name == BASELINE else ratios[place]
                rate = 60 * load**0.8 * ratio * off
                made.append(
                    cell_stats(
                        name,
                        launch,
                        load,
                        output_throughput=rate,
                        tpot=latency(load / rate),
                        running_batch=float(
                            load if batches is None else batches[place]
                        ),
                    )
                )
    return made


def answers(
    cells: Sequence[CellStats], metric: SpeedupMetric = SpeedupMetric.THROUGHPUT
) -> dict[str, BreakEven]:
    """By arm."""
    found = conclude(cells, []).break_evens
    return {b.curve.arm: b for b in found if b.curve.metric is metric}


def answer(cells: Sequence[CellStats]) -> BreakEven:
    (only,) = answers(cells).values()
    return only


def neighbours(found: BreakEven) -> tuple[int, int]:
    assert found.crossing is not None
    return (
        found.crossing.below.condition.concurrency,
        found.crossing.above.condition.concurrency,
    )


CASES = {
    "one launch": cells_of(LOADS, RATIOS),
    "three launches": cells_of(LOADS, RATIOS, launches=3, noise=0.004),
    "without noise": cells_of(LOADS, RATIOS, launches=3),
}


@pytest.mark.parametrize("case", CASES)
def test_the_case_pays_up_to_28_between_16_and_32(case: str) -> None:
    found = answer(CASES[case])
    assert found.outcome is BreakEvenOutcome.PAYS_UP_TO
    assert neighbours(found) == (16, 32)
    assert found.first_slower_concurrency == 32
    assert found.crossing is not None
    slack = 1.0 if case == "three launches" else 0.01
    assert found.crossing.at == pytest.approx(28.11, abs=slack)
    assert found.crossing.concurrency == pytest.approx(28.11, abs=slack)


def test_its_interval_needs_launches_and_stays_between_the_neighbours() -> None:
    alone = answer(CASES["one launch"]).crossing
    assert alone is not None
    assert alone.interval is None
    assert alone.no_interval
    for case in ("three launches", "without noise"):
        crossing = answer(CASES[case]).crossing
        assert crossing is not None
        assert crossing.interval is not None
        low, high = crossing.interval.low, crossing.interval.high
        assert low is not None
        assert high is not None
        assert 16 < low < 28.11 < high < 32


def test_tpot_of_the_case_breaks_even_at_the_same_place() -> None:
    """The cells' TPOT is load / throughput, so its ratios are the same."""
    for metric in CLOSED_LOOP:
        found = answers(CASES["one launch"], metric)["eagle"]
        assert neighbours(found) == (16, 32)


@pytest.mark.parametrize("case", CASES)
def test_the_report_shows_both_neighbours_with_their_measured_speedups(
    case: str,
) -> None:
    findings = conclude(CASES[case], [])
    text = report_markdown(findings, FACTS)
    assert "pays up to" in text
    near = [line for line in text.splitlines() if "16" in line and "32" in line]
    shown = " ".join(near)
    assert "1.2" in shown
    assert "0.9" in shown
    assert "28" in text
    for table in (breakeven_csv(findings), report_json(findings, FACTS)):
        assert "pays up to" in table or "pays_up_to" in table


def test_the_report_says_how_the_number_was_interpolated() -> None:
    text = report_markdown(conclude(CASES["three launches"], []), FACTS).lower()
    assert "interpolat" in text
    assert "log" in text


@pytest.mark.parametrize("value", [29.3, 28.5])
def test_other_ways_to_interpolate_give_other_numbers(value: float) -> None:
    """Linear in concurrency, and speedup instead of its logarithm: not ours."""
    crossing = answer(CASES["one launch"]).crossing
    assert crossing is not None
    assert crossing.concurrency != pytest.approx(value, abs=0.2)


# the whole kind


def expected_outcome(ratios: Sequence[float]) -> BreakEvenOutcome:
    runs = [side for side, _ in itertools.groupby(r >= 1 for r in ratios)]
    return {
        (True,): BreakEvenOutcome.PAYS_EVERYWHERE,
        (False,): BreakEvenOutcome.NEVER_PAYS,
        (True, False): BreakEvenOutcome.PAYS_UP_TO,
        (False, True): BreakEvenOutcome.PAYS_FROM,
    }.get(tuple(runs), BreakEvenOutcome.SEVERAL)


@given(ANY_LOADS, st.data())
def test_any_curve_at_any_loads_is_named_and_placed_between_measured_neighbours(
    loads: list[int], data: st.DataObject
) -> None:
    ordered = sorted(loads)
    ratios = data.draw(st.lists(RATIO, min_size=len(loads), max_size=len(loads)))
    found = answer(cells_of(ordered, ratios))
    assert found.outcome is expected_outcome(ratios)
    changes = [
        pair
        for pair, (a, b) in zip(
            itertools.pairwise(ordered), itertools.pairwise(ratios), strict=True
        )
        if (a >= 1) != (b >= 1)
    ]
    placed = [
        (c.below.condition.concurrency, c.above.condition.concurrency)
        for c in found.crossings
    ]
    assert placed == changes
    for crossing, (low, high) in zip(found.crossings, changes, strict=True):
        for place in (crossing.at, crossing.concurrency):
            assert place is not None
            assert low * (1 - 1e-9) <= place <= high * (1 + 1e-9)
    slower = [load for load, ratio in zip(ordered, ratios, strict=True) if ratio < 1]
    assert found.first_slower_concurrency == (slower[0] if slower else None)


@settings(max_examples=30)
@given(st.randoms(use_true_random=False), st.integers(1, 3))
def test_cells_may_come_in_any_order(order: Random, launches: int) -> None:
    cells = cells_of(LOADS, RATIOS, launches=launches, noise=0.01)
    shuffled = list(cells)
    order.shuffle(shuffled)
    assert answer(shuffled) == answer(cells)


@settings(max_examples=30)
@given(st.floats(0.01, 100))
def test_a_faster_machine_breaks_even_at_the_same_load(factor: float) -> None:
    cells = CASES["three launches"]
    faster = [
        cell_stats(
            c.key.arm,
            c.key.replicate,
            c.key.condition.concurrency,
            output_throughput=(c.output_throughput or 0.0) * factor,
        )
        for c in cells
    ]
    here, there = answer(cells).crossing, answer(faster).crossing
    assert here is not None
    assert there is not None
    assert there.at == pytest.approx(here.at)


def test_a_load_that_was_measured_at_exactly_1_is_the_crossing() -> None:
    """Unequal steps on purpose. It is not slower there, so it is not the first slower
    load."""
    found = answer(cells_of((2, 7, 11, 40), (1.6, 1.3, 1.0, 0.7)))
    assert found.outcome is BreakEvenOutcome.PAYS_UP_TO
    assert found.crossing is not None
    assert found.crossing.at == pytest.approx(11.0)
    assert found.first_slower_concurrency == 40


def test_a_curve_that_rises_to_exactly_1_is_no_crash() -> None:
    found = answer(cells_of((2, 7, 11), (0.6, 0.8, 1.0)))
    assert found.outcome is BreakEvenOutcome.UNDECIDED


def test_a_curve_of_exactly_1_everywhere_is_not_slower_anywhere() -> None:
    found = answer(cells_of(LOADS, (1.0,) * 7))
    assert found.outcome is BreakEvenOutcome.UNDECIDED
    assert found.first_slower_concurrency is None
    with_launches = answer(cells_of(LOADS, (1.0,) * 7, launches=3))
    assert with_launches.outcome is BreakEvenOutcome.UNDECIDED


def test_several_arms_have_their_own_break_even() -> None:
    steeper = tuple(r * 0.7 for r in RATIOS)
    always = tuple(r * 2 for r in RATIOS)
    cells = cells_of(LOADS, RATIOS)
    for arm, ratios in (("ngram", steeper), ("mtp", always)):
        made = cells_of(LOADS, ratios, arm)
        cells += [c for c in made if c.key.arm == arm]
    found = answers(cells)
    assert neighbours(found["eagle"]) == (16, 32)
    assert neighbours(found["ngram"]) == (8, 16)
    assert found["mtp"].outcome is BreakEvenOutcome.PAYS_EVERYWHERE


def spoil(
    cells: Sequence[CellStats], arm: str, loads: Sequence[int]
) -> list[CellStats]:
    """The same with void cells of this arm at these loads, whose figures are absurd."""
    return [
        cell_stats(
            arm, c.key.replicate, c.key.condition.concurrency,
            output_throughput=1e6, findings=VOID,
        )
        if c.key.arm == arm and c.key.condition.concurrency in loads
        else c
        for c in cells
    ]  # fmt: skip


@pytest.mark.parametrize("arm", [BASELINE, "eagle"])
def test_void_cells_take_no_part_and_are_listed(arm: str) -> None:
    """Without 16 the next measured load is the neighbour."""
    findings = conclude(spoil(CASES["one launch"], arm, [16]), [])
    (found,) = (
        b for b in findings.break_evens if b.curve.metric is SpeedupMetric.THROUGHPUT
    )
    assert neighbours(found) == (8, 32)
    point = found.curve.points[4]
    assert point.side is Side.UNKNOWN
    assert "void" in (point.speedup.missing or "")
    assert [c.key.condition.concurrency for c in findings.cells if c.is_void] == [16]
    text = report_markdown(findings, FACTS)
    assert "client-lag" in text


def test_where_all_cells_of_an_arm_are_void_there_is_no_answer_but_a_word() -> None:
    found = answer(spoil(CASES["three launches"], "eagle", LOADS))
    assert found.outcome is BreakEvenOutcome.UNDECIDED
    assert found.crossings == ()
    assert "no load has a speedup" in found.note


@settings(max_examples=60)
@given(st.sets(st.integers(0, 41), max_size=12))
def test_missing_cells_of_some_launches_leave_the_place_where_it_is(
    gone: set[int],
) -> None:
    """Any twelve of 42 cells may be missing: what is left names a neighbourhood of the
    truth, or is undecided; it never names another."""
    cells = cells_of(LOADS, RATIOS, launches=3, noise=0.002)
    left = [c for place, c in enumerate(cells) if place not in gone]
    found = answer(left)
    if found.outcome is BreakEvenOutcome.PAYS_UP_TO:
        low, high = neighbours(found)
        assert low <= 16
        assert high >= 32
        assert found.crossing is not None
        assert found.crossing.at is not None
        assert low <= found.crossing.at <= high
    for point in found.curve.points:
        if point.side in (Side.PAYS, Side.LOSES):
            is_over = point.condition.concurrency <= 16
            assert point.side is (Side.PAYS if is_over else Side.LOSES)


def test_a_launch_that_is_missing_whole_leaves_two_and_says_so() -> None:
    cells = cells_of(LOADS, RATIOS, launches=3, noise=0.002)
    left = [c for c in cells if (c.key.arm, c.key.replicate) != ("eagle", 2)]
    found = answer(left)
    assert neighbours(found) == (16, 32)
    assert "3 launches of the baseline and 2 of the arm" in found.note


@pytest.mark.parametrize("launches", [1, 3])
@pytest.mark.parametrize(
    "batches",
    [
        (1, 2, 4, 8, 16, 20, 20),
        (1, 2, 4, 8, 16, 16, 16),
        (1, 2, 4, 8, 20, 19, 18),
        (8, 8, 8, 8, 8, 8, 8),
    ],
)
def test_a_batch_that_does_not_rise_with_the_load_is_no_crash(
    batches: tuple[float, ...], launches: int
) -> None:
    """The engine's cap: the neighbours are the same, and the place lies between theirs
    on either axis."""
    cells = cells_of(LOADS, RATIOS, launches=launches, noise=0.004, batches=batches)
    found = answer(cells)
    assert found.outcome is BreakEvenOutcome.PAYS_UP_TO
    assert neighbours(found) == (16, 32)
    assert found.crossing is not None
    assert 16 < found.crossing.concurrency < 32
    at = found.crossing.at
    if at is not None:
        low, high = sorted(batches[4:6])
        assert low * (1 - 1e-9) <= at <= high * (1 + 1e-9)


def test_without_any_batch_the_place_is_a_concurrency() -> None:
    cells = [
        cell_stats(
            c.key.arm,
            c.key.replicate,
            c.key.condition.concurrency,
            output_throughput=c.output_throughput,
            running_batch=None,
        )
        for c in CASES["one launch"]
    ]
    found = answer(cells)
    assert neighbours(found) == (16, 32)
    assert found.crossing is not None
    assert found.crossing.at is None
    assert found.crossing.concurrency == pytest.approx(28.11, abs=0.01)
    assert "concurrency 28" in report_markdown(conclude(cells, []), FACTS)


@pytest.mark.parametrize(
    ("ratio", "outcome"),
    [
        (1.3, BreakEvenOutcome.PAYS_EVERYWHERE),
        (0.7, BreakEvenOutcome.NEVER_PAYS),
    ],
)
@pytest.mark.parametrize("launches", [1, 3])
def test_one_load_is_an_answer_for_that_load(
    ratio: float, outcome: BreakEvenOutcome, launches: int
) -> None:
    found = answer(cells_of((12,), (ratio,), launches=launches, noise=0.004))
    assert found.outcome is outcome
    assert found.crossings == ()
    assert found.first_slower_concurrency == (12 if ratio < 1 else None)


def test_no_load_and_no_arm_have_no_break_even() -> None:
    assert conclude([], []).break_evens == ()
    baseline_only = [c for c in CASES["one launch"] if c.key.arm == BASELINE]
    assert conclude(baseline_only, []).break_evens == ()


def test_an_arm_without_a_baseline_has_no_speedup() -> None:
    arm_only = [c for c in CASES["one launch"] if c.key.arm != BASELINE]
    found = answer(arm_only)
    assert found.outcome is BreakEvenOutcome.UNDECIDED
    assert all(p.speedup.value is None for p in found.curve.points)


@pytest.mark.parametrize("noise", [0.001, 0.01])
def test_noise_at_one_load_is_not_a_second_crossing(noise: float) -> None:
    """At the last load the arm is as fast as its baseline again, but for the noise: by
    its raw sign that would be one."""
    ratios = (1.8, 1.6, 1.4, 1.2, 1.1, 0.8, 0.999)
    found = answer(cells_of(LOADS, ratios, launches=3, noise=noise))
    assert found.outcome in (BreakEvenOutcome.UNDECIDED, BreakEvenOutcome.PAYS_UP_TO)
    raw = answer(cells_of(LOADS, (*ratios[:-1], 1.001)))
    assert raw.outcome is BreakEvenOutcome.SEVERAL
