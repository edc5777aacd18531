"""How numbers are written for people."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specbench.report import words
from specbench.schema.cell import Condition
from specbench.schema.comparison import (
    BreakEven,
    BreakEvenOutcome,
    SpeedupCurve,
    SpeedupMetric,
    SpeedupPoint,
)
from specbench.schema.estimate import Estimate, absent

REASONABLE = st.floats(1e-6, 1e9)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (19.46, "19.5"),
        (0.0456, "0.0456"),
        (9.996, "10.0"),
        (99.96, "100"),
        (999.6, "1000"),
        (12345.6, "12346"),
        (-2.5, "-2.50"),
    ],
)
def test_three_digits_count_and_whole_digits_stay(value: float, text: str) -> None:
    assert words.significant(value) == text


@given(REASONABLE)
def test_written_number_is_within_half_a_unit_of_its_last_digit(value: float) -> None:
    text = words.significant(value)
    assert "e" not in text
    assert math.isclose(float(text), value, rel_tol=0.0051)


@given(st.floats(0.01, 100))
def test_speedup_off_one_is_never_written_as_one(value: float) -> None:
    text = words.speedup(value)
    if abs(value - 1) > 1e-5:
        assert (float(text) < 1) == (value < 1)


@pytest.mark.parametrize(
    ("value", "text"),
    [(1.0, "1.00"), (0.9996, "0.9996"), (1.004, "1.004"), (0.79, "0.79")],
)
def test_speedup_near_one_gets_the_digits_that_it_needs(
    value: float, text: str
) -> None:
    assert words.speedup(value) == text


def test_missing_number_is_a_dash_and_not_a_zero() -> None:
    assert words.shown(None, words.batch) == words.DASH
    assert words.with_spread(absent("void"), words.speedup) == words.DASH


def test_spread_names_both_ends_and_one_launch_has_none() -> None:
    three = Estimate(1.25, 1.2, 1.31, n=3)
    one = Estimate(1.25, 1.25, 1.25, n=1)
    assert words.with_spread(three, words.speedup) == "1.25 [1.20, 1.31]"
    assert words.with_spread(one, words.speedup) == "1.25 (1 launch)"


@pytest.mark.parametrize(
    ("value", "text"), [(4.0, "4"), (6.28, "6.3"), (96.34, "96.3"), (167.2, "167")]
)
def test_measured_loads_are_whole_and_interpolated_ones_need_not_be(
    value: float, text: str
) -> None:
    assert words.load(value) == text


def curve(*speedups: float | None) -> SpeedupCurve:
    """A curve over loads 1, 2, 4, ..."""
    points = tuple(
        SpeedupPoint(
            Condition("t", "d", 0, 0.0, 2**place),
            absent("void") if value is None else Estimate(value, value, value, 1),
            running_batch=0.98 * 2**place,
            arm_running_batch=None,
        )
        for place, value in enumerate(speedups)
    )
    return SpeedupCurve("t", "d", 0, 0.0, "a", SpeedupMetric.THROUGHPUT, points)


def answer(
    outcome: BreakEvenOutcome,
    *speedups: float | None,
    batch: float | None = None,
    concurrency: float | None = None,
    first_slower: int | None = None,
) -> BreakEven:
    """A break-even without neighbours."""
    return BreakEven(
        curve=curve(*speedups),
        outcome=outcome,
        batch=batch,
        concurrency=concurrency,
        below=None,
        above=None,
        first_slower_concurrency=first_slower,
        note="",
    )


def test_crossing_is_said_on_the_batch_with_the_concurrency_beside_it() -> None:
    found = answer(BreakEvenOutcome.PAYS_UP_TO, 1.2, 0.9, batch=6.13, concurrency=6.28)
    assert words.outcome(found) == "pays up to batch 6.1 (concurrency 6.3)"
    assert words.outcome_in_short(found) == "to batch 6.1 (c 6.3)"


def test_crossing_without_a_batch_says_that_the_batch_is_unknown() -> None:
    found = answer(BreakEvenOutcome.PAYS_FROM, 0.9, 1.2, concurrency=1.5)
    assert words.outcome(found) == ("pays from concurrency 1.5 (running batch unknown)")


@pytest.mark.parametrize(
    ("outcome", "speedups", "text", "short"),
    [
        (
            BreakEvenOutcome.PAYS_EVERYWHERE,
            (1.5, 1.4, 1.3),
            "pays everywhere measured (concurrency 1 to 4)",
            "everywhere (c 1 to 4)",
        ),
        (
            BreakEvenOutcome.PAYS_EVERYWHERE,
            (None, 1.4, None),
            "pays everywhere measured (concurrency 2)",
            "everywhere (c 2)",
        ),
        (
            BreakEvenOutcome.NEVER_PAYS,
            (0.9, 0.8),
            "never pays (from concurrency 1)",
            "never (from c 1)",
        ),
        (BreakEvenOutcome.SEVERAL, (1.1, 0.9, 1.1), "several crossings", None),
        (BreakEvenOutcome.UNDECIDED, (None,), "undecided", None),
    ],
)
def test_outcome_without_a_crossing_says_what_was_measured(
    outcome: BreakEvenOutcome,
    speedups: tuple[float | None, ...],
    text: str,
    short: str | None,
) -> None:
    assert words.outcome(answer(outcome, *speedups)) == text
    assert words.outcome_in_short(answer(outcome, *speedups)) == (short or text)


def test_nowhere_slower_differs_from_nothing_measured() -> None:
    everywhere = answer(BreakEvenOutcome.PAYS_EVERYWHERE, 1.5, 1.2)
    nothing = answer(BreakEvenOutcome.UNDECIDED, None, None)
    slower = answer(BreakEvenOutcome.PAYS_UP_TO, 1.5, 0.9, first_slower=2)
    assert words.first_slower(everywhere) == "none"
    assert words.first_slower(nothing) == words.DASH
    assert words.first_slower(slower) == "2"


def test_neighbour_without_a_running_batch_names_its_concurrency() -> None:
    point = SpeedupPoint(
        Condition("t", "d", 0, 0.0, 8), Estimate(0.9, 0.8, 1.0, 2), None, None
    )
    assert words.neighbour(point) == "0.90 [0.80, 1.00] at concurrency 8"
