"""Named outcomes: from the sides of the loads alone, and of whole curves with the words
that stand beside them."""

import itertools
import math
import re
from collections.abc import Sequence
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specbench.analysis.break_even import judge
from specbench.schema.comparison import (
    BreakEven,
    BreakEvenOutcome,
    Side,
    SpeedupPoint,
)
from tests.factories import speedup_point
from tests.unit.analysis.frames import (
    answer,
    exact,
    frame,
    over_contexts,
    raw,
    sides,
    simulated,
)

SIGNS = {"+": Side.PAYS, "-": Side.LOSES, "o": Side.OPEN}
UP_TO, FROM = BreakEvenOutcome.PAYS_UP_TO, BreakEvenOutcome.PAYS_FROM
EVERYWHERE, NEVER = BreakEvenOutcome.PAYS_EVERYWHERE, BreakEvenOutcome.NEVER_PAYS
SEVERAL, UNDECIDED = BreakEvenOutcome.SEVERAL, BreakEvenOutcome.UNDECIDED
CAPACITY = BreakEvenOutcome.LOSES_BY_CAPACITY

SPEEDUPS = st.lists(st.floats(0.3, 3), min_size=1, max_size=9)
PATTERNS = st.lists(st.sampled_from("+-o"), max_size=9).map("".join)


def points_of(pattern: str, queues_at: int | None = None) -> list[SpeedupPoint]:
    return [
        replace(speedup_point(2**i, 1.0), only_arm_queues=i == queues_at)
        for i in range(len(pattern))
    ]


def outcome(pattern: str, queues_at: int | None = None) -> BreakEvenOutcome:
    told = [SIGNS[sign] for sign in pattern]
    return judge(told, points_of(pattern, queues_at)).outcome


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("+", EVERYWHERE),
        ("+++", EVERYWHERE),
        ("---", NEVER),
        ("++-", UP_TO),
        ("+--", UP_TO),
        ("-++", FROM),
        ("+o-", UP_TO),
        ("+oo-", UP_TO),
        ("-o+", FROM),
        ("+-+", SEVERAL),
        ("-+-", SEVERAL),
        ("+-+-", SEVERAL),
        ("+o-o+", SEVERAL),
        ("o+-+", SEVERAL),
        ("", UNDECIDED),
        ("o", UNDECIDED),
        ("ooo", UNDECIDED),
        ("++o", UNDECIDED),
        ("o--", UNDECIDED),
        ("+o+", UNDECIDED),
        ("o+-", UNDECIDED),
        ("+-o", UNDECIDED),
        ("+o-o", UNDECIDED),
        ("+o+-", UP_TO),
        ("+o-o-", UP_TO),
        ("-o+o-o+", SEVERAL),
        ("o+o-", UNDECIDED),
    ],
)
def test_the_outcome_is_named_by_the_sides_of_the_loads(
    pattern: str, expected: BreakEvenOutcome
) -> None:
    assert outcome(pattern) is expected


@given(PATTERNS)
def test_patterns_turned_round_have_the_outcome_turned_round(pattern: str) -> None:
    """Loses for pays, or the loads the other way: up to becomes from, and the rest
    stays."""
    turned = {UP_TO: FROM, FROM: UP_TO}
    other_side = {**turned, EVERYWHERE: NEVER, NEVER: EVERYWHERE}
    here = outcome(pattern)
    assert outcome(pattern[::-1]) is turned.get(here, here)
    swapped = pattern.translate(str.maketrans("+-", "-+"))
    assert outcome(swapped) is other_side.get(here, here)


@given(PATTERNS)
def test_an_open_load_beside_the_change_of_side_decides_nothing_else(
    pattern: str,
) -> None:
    """What is open between two loads of different sides is part of the crossing."""
    for place, (a, b) in enumerate(itertools.pairwise(pattern)):
        if {a, b} == {"+", "-"}:
            wider = f"{pattern[: place + 1]}o{pattern[place + 1 :]}"
            assert outcome(wider) is outcome(pattern)


@given(PATTERNS)
def test_every_change_of_side_is_a_turn_between_loads_that_have_a_side(
    pattern: str,
) -> None:
    told = [SIGNS[sign] for sign in pattern]
    verdict = judge(told, points_of(pattern))
    for turn in verdict.turns:
        assert told[turn.left] is (Side.PAYS if turn.is_downward else Side.LOSES)
        assert told[turn.right] is (Side.LOSES if turn.is_downward else Side.PAYS)
        if verdict.outcome is SEVERAL:
            assert set(told[turn.left + 1 : turn.right]) <= {Side.OPEN}
    if verdict.outcome in (UP_TO, FROM):
        (turn,) = verdict.turns
        assert set(told[: turn.left + 1]) == {told[turn.left]}
        assert set(told[turn.right :]) == {told[turn.right]}
    if verdict.outcome in (EVERYWHERE, NEVER, UNDECIDED):
        assert verdict.turns == ()


def test_an_arm_that_first_loses_where_only_it_queues_loses_by_capacity() -> None:
    verdict = judge([SIGNS[s] for s in "++o--"], points_of("++o--", queues_at=3))
    assert verdict.outcome is CAPACITY
    assert verdict.capacity_from == 8


@pytest.mark.parametrize(
    ("pattern", "queues_at"), [("++--", 3), ("++--", 1), ("--++", 2), ("+-+", 1)]
)
def test_queueing_elsewhere_is_not_what_it_loses_by(
    pattern: str, queues_at: int
) -> None:
    """After it lost already, while it still pays, where it rises, or where there is
    more than one crossing."""
    verdict = judge([SIGNS[s] for s in pattern], points_of(pattern, queues_at))
    assert verdict.outcome is outcome(pattern)
    assert verdict.capacity_from is None


# whole curves, one launch of each arm: raw signs


def test_a_falling_curve_pays_up_to_its_crossing() -> None:
    found = raw([1.5, 1.25, 0.8])
    assert found.outcome is UP_TO
    assert found.crossing is not None
    assert found.crossing.is_downward
    assert found.crossing.at == pytest.approx(math.sqrt(2 * 4))
    assert found.first_slower_concurrency == 4


def test_a_rising_curve_pays_from_its_crossing() -> None:
    found = raw([0.8, 0.9, 1.2])
    assert found.outcome is FROM
    assert found.crossing is not None
    assert not found.crossing.is_downward
    assert found.first_slower_concurrency == 1


def test_a_curve_above_1_pays_everywhere_and_names_no_batch() -> None:
    found = raw([1.8, 1.5, 1.1])
    assert (found.outcome, found.crossing, found.crossings) == (EVERYWHERE, None, ())
    assert found.first_slower_concurrency is None


def test_a_curve_below_1_never_pays_and_names_no_batch() -> None:
    found = raw([0.9, 0.8, 0.7])
    assert (found.outcome, found.crossing, found.crossings) == (NEVER, None, ())
    assert found.first_slower_concurrency == 1


def test_several_crossings_are_all_named_and_none_is_picked() -> None:
    found = raw([1.3, 1.1, 0.9, 1.2, 0.5])
    assert (found.outcome, found.crossing) == (SEVERAL, None)
    assert [c.is_downward for c in found.crossings] == [True, False, True]
    assert [
        (c.below.condition.concurrency, c.above.condition.concurrency)
        for c in found.crossings
    ] == [(2, 4), (4, 8), (8, 16)]
    assert found.first_slower_concurrency == 4


def test_capacity_is_named_with_its_concurrency_and_its_crossing() -> None:
    tables = exact([1.5, 1.3, 0.7], 3)
    found = answer(tables, frame((1, 2, 4), only_arm_queues={4}))
    assert found.outcome is CAPACITY
    assert found.capacity_from == 4
    assert found.crossing is not None
    assert found.crossing.below.condition.concurrency == 2


@pytest.mark.parametrize("speedups", [[], [None], [None, None]])
def test_without_any_speedup_it_is_undecided_and_says_why(
    speedups: list[float | None],
) -> None:
    found = raw(speedups)
    assert found.outcome is UNDECIDED
    assert found.crossings == ()
    assert found.first_slower_concurrency is None
    assert "no load has a speedup" in found.note
    assert found.next_step == ""


def test_one_load_gives_an_outcome_for_what_was_measured() -> None:
    assert raw([1.2]).outcome is EVERYWHERE
    assert raw([0.8]).outcome is NEVER


def test_a_speedup_of_exactly_1_takes_no_side() -> None:
    equal = raw([1.0, 1.0])
    assert equal.outcome is UNDECIDED
    assert equal.first_slower_concurrency is None
    assert "exactly 1" in equal.note
    found = raw([1.5, 1.0, 0.5])
    assert found.outcome is UP_TO
    assert found.crossing is not None
    assert found.crossing.concurrency == pytest.approx(2.0)
    assert found.first_slower_concurrency == 4


def test_a_rise_through_exactly_1_crosses_there() -> None:
    found = raw([0.8, 1.0, 1.2])
    (crossing,) = found.crossings
    assert crossing.concurrency == pytest.approx(2.0)
    assert not crossing.is_downward


@pytest.mark.parametrize("speedups", [[0.8, 1.0], [1.2, 0.9, 1.0]])
def test_a_rise_to_exactly_1_at_the_end_is_undecided(speedups: list[float]) -> None:
    assert raw(speedups).outcome is UNDECIDED


@given(SPEEDUPS)
def test_raw_signs_name_the_outcome(speedups: list[float]) -> None:
    runs = [side for side, _ in itertools.groupby(s >= 1 for s in speedups)]
    expected = {
        (True,): EVERYWHERE,
        (False,): NEVER,
        (True, False): UP_TO,
        (False, True): FROM,
    }.get(tuple(runs), SEVERAL)
    assert raw([s + 1e-9 for s in speedups]).outcome is expected


@given(SPEEDUPS)
def test_the_first_slower_load_is_the_first_below_1(speedups: list[float]) -> None:
    slower = [2**i for i, s in enumerate(speedups) if s < 1]
    found = raw([s if s < 1 else s + 1e-9 for s in speedups])
    assert found.first_slower_concurrency == (slower[0] if slower else None)


def test_noise_at_one_load_is_not_a_crossing() -> None:
    """At 4 the mean is below 1, within the noise: the crossing stays where the sides
    change, and no second one is made of it."""
    logs = [0.35, 0.2, -0.004, 0.1, -0.2]
    found = answer(simulated(Random(3), logs, 0.01))
    assert sides(found)[2] is Side.OPEN
    assert found.outcome is not SEVERAL


# words


def note_of(signs: Sequence[float], noise: float = 0.01, launches: int = 3) -> str:
    return answer(simulated(Random(8), signs, noise, launches)).note


def test_the_note_says_what_the_answer_rests_on() -> None:
    assert note_of([0.5, -0.5]).startswith("from 3 launches of each arm")
    base, arm = simulated(Random(8), [0.5, -0.5], 0.01, 4)
    assert answer((base[:2], arm)).note.startswith(
        "from 2 launches of the baseline and 4 of the arm"
    )


def test_one_launch_is_said_in_the_singular() -> None:
    base, arm = exact([1.5, 0.5], 2)
    assert answer((base[:1], arm)).note.startswith(
        "from 1 launch of the baseline and 2 of the arm"
    )


def test_the_note_says_how_near_to_1_a_speedup_is_not_told_from_it() -> None:
    """All loads have one error here: what is open is nearer to 1 than that, what is
    decided is not."""
    found = answer(simulated(Random(8), [0.5, 0.1, 0.0, 0.03, 0.5], 0.01))
    said = re.search(r"between about ([\d.]+) and ([\d.]+) are not told", found.note)
    assert said is not None
    assert float(said[1]) == pytest.approx(1 / float(said[2]), abs=0.01)
    limit = math.log(float(said[2]))
    assert Side.OPEN in sides(found)
    for point in found.curve.points:
        distance = abs(math.log(point.speedup.value or 0.0))
        # printed in hundredths
        if point.side is Side.OPEN:
            assert distance <= limit + 0.005
        else:
            assert distance >= limit - 0.005


def test_where_every_load_is_told_nothing_is_said_of_what_is_not() -> None:
    assert "not told" not in note_of([0.5, 0.4, -0.4, -0.5])


def test_a_small_limit_is_not_printed_as_none() -> None:
    found = answer(simulated(Random(8), [0.5, 0.0, 0.5], 0.0007))
    assert Side.OPEN in sides(found)
    assert "between about 0.99" in found.note


def test_a_gap_of_open_loads_is_said_to_hold_at_least_one_crossing() -> None:
    found = answer(simulated(Random(8), [0.5, 0.0, 0.0, -0.5], 0.01))
    assert found.outcome is UP_TO
    assert sides(found) == [SIGNS[s] for s in "+oo-"]
    assert "at least one crossing between the two decided neighbours" in found.note


def test_neighbours_that_are_both_decided_hold_one_crossing_and_say_nothing() -> None:
    assert "at least" not in note_of([0.5, 0.4, -0.4, -0.5])


def test_on_a_curve_over_contexts_loads_are_named_by_their_context() -> None:
    found = answer(
        simulated(Random(8), [-0.4, 0.0, 0.0], 0.01), over_contexts((512, 1024, 4096))
    )
    assert found.outcome is UNDECIDED
    assert "context 1024" in found.next_step
    assert "4096" in found.next_step
    assert "concurrency" not in found.note + found.next_step


def sentences(found: BreakEven) -> list[str]:
    return [found.note, found.next_step]


@given(
    st.integers(0, 10**6),
    st.lists(st.floats(-0.5, 0.5).filter(lambda v: abs(v) > 1e-6), max_size=7),
    st.sampled_from([0.0, 0.01, 0.1]),
    st.integers(1, 4),
    st.floats(0, 0.4),
)
def test_any_curve_has_an_answer_that_fits_itself(
    seed: int, logs: list[float], noise: float, launches: int, absent: float
) -> None:
    found = answer(simulated(Random(seed), logs, noise, launches, absent))
    told = [side for side in sides(found) if side is not Side.UNKNOWN]
    assert found.outcome is judge(told, points_of("o" * len(told))).outcome
    for text in sentences(found):
        assert "  " not in text
        assert not text.endswith((";", ",", " "))
        assert "nan" not in text
        assert "None" not in text
    for crossing in found.crossings:
        below, above = (
            p.condition.concurrency for p in (crossing.below, crossing.above)
        )
        assert below < above
        assert below * (1 - 1e-9) <= crossing.concurrency <= above * (1 + 1e-9)
