"""What to measure next: in numbers that come true, about loads that were measured, and
nothing where nothing would help."""

import math
import re
from random import Random
from statistics import median

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specbench.schema.comparison import BreakEvenOutcome, Side
from tests.unit.analysis.frames import (
    answer,
    exact,
    frame,
    over_contexts,
    prior,
    raw,
    sides,
    simulated,
)


def launches_said(text: str) -> int | None:
    found = re.search(r"about (\d+) launches of each arm would decide", text)
    return int(found[1]) if found else None


@pytest.mark.parametrize("speedups", [[1.5, 0.5], [1.5], [0.5], [1.5, 0.5, 1.5]])
def test_without_any_noise_known_the_next_step_is_to_know_it(
    speedups: list[float],
) -> None:
    step = raw(speedups).next_step
    assert "more launches" in step
    assert "measure.replicates" in step
    assert "--aa" in step


def test_with_a_prior_nobody_is_told_to_measure_it() -> None:
    step = answer(exact([1.5, 0.5]), prior=prior(columns=2)).next_step
    assert "--aa" not in step


def test_an_arm_that_pays_everywhere_is_to_be_loaded_further() -> None:
    found = answer(exact([1.5, 1.4, 1.3], 3), frame((1, 8, 96)))
    assert found.outcome is BreakEvenOutcome.PAYS_EVERYWHERE
    assert found.next_step == "to find where it stops, go beyond concurrency 96"


def test_an_arm_that_never_pays_needs_no_more() -> None:
    assert answer(exact([0.7, 0.6, 0.5], 3)).next_step == ""


def test_a_crossing_between_octaves_needs_no_more() -> None:
    found = answer(exact([1.5, 1.2, 0.8, 0.6], 3))
    assert found.outcome is BreakEvenOutcome.PAYS_UP_TO
    assert found.next_step == ""


@given(st.integers(1, 50), st.integers(3, 100))
def test_neighbours_that_lie_far_apart_get_a_load_between_them(
    low: int, factor: int
) -> None:
    high = low * factor
    found = answer(exact([1.5, 0.5], 3), frame((low, high)))
    said = re.search(r"measure (\d+) too$", found.next_step)
    assert said is not None
    assert low < int(said[1]) < high
    assert f"between concurrency {low} and {high}" in found.next_step


def test_over_contexts_the_load_between_is_a_context() -> None:
    found = answer(exact([0.8, 1.2], 3), over_contexts((1024, 16384)))
    assert found.next_step.endswith("measure 4096 too")
    assert "between context 1024 and 16384" in found.next_step


def test_of_several_crossings_the_widest_bracket_is_named() -> None:
    found = answer(exact([1.5, 0.5, 1.5], 3), frame((1, 4, 400)))
    assert "between concurrency 4 and 400" in found.next_step


def undecided(seed: int, log: float, launches: int = 3) -> str:
    """Four loads far above 1 and one near it, at a noise of 2 %."""
    logs = [0.5, 0.5, log, 0.5, 0.5]
    found = answer(simulated(Random(seed), logs, 0.02, launches))
    if [side is Side.OPEN for side in sides(found)] != [False] * 2 + [True] + [
        False
    ] * 2:
        return ""
    return found.next_step


def test_the_launches_that_are_said_decide_the_load_in_most_repetitions() -> None:
    """A true difference of 3 %: what is said after three launches, then that many."""
    said = [launches_said(undecided(seed, 0.03)) for seed in range(60)]
    launches = int(median([n for n in said if n is not None]))
    assert 4 <= launches <= 12

    def share_decided(launches: int) -> float:
        random = Random(31)
        logs = [0.5, 0.5, 0.03, 0.5, 0.5]
        decided = sum(
            sides(answer(simulated(random, logs, 0.02, launches)))[2] is Side.PAYS
            for _ in range(100)
        )
        return decided / 100

    assert share_decided(launches) >= 0.7
    assert share_decided(3) <= 0.5


def test_only_open_loads_are_named() -> None:
    step = next(text for seed in range(20) if (text := undecided(seed, 0.03)))
    assert re.search(r"would decide concurrency 4, if", step)


def test_a_load_that_no_launches_would_decide_is_said_to_be_within_the_noise() -> None:
    step = next(
        text
        for seed in range(40)
        if (text := undecided(seed, 0.0)) and launches_said(text) is None
    )
    assert step.startswith("at concurrency 4 the arm is within the noise")
    assert launches_said(step) is None


def test_an_arm_that_equals_its_baseline_is_decided_by_no_launches() -> None:
    """Three equal launches of each arm, speedup exactly 1: `about 4 launches of each
    arm would decide concurrency 1`."""
    step = answer(exact([1.0], 3)).next_step
    assert launches_said(step) is None


def test_advice_on_noise_is_a_sentence() -> None:
    step = next(
        text
        for seed in range(40)
        if (text := undecided(seed, 0.0)) and launches_said(text) is None
    )
    assert "or less noise" not in step


@given(
    st.integers(0, 10**6),
    st.lists(st.floats(-0.3, 0.3).filter(bool), min_size=1, max_size=6),
    st.integers(2, 4),
)
def test_advice_never_names_fewer_launches_than_there_are(
    seed: int, logs: list[float], launches: int
) -> None:
    found = answer(simulated(Random(seed), logs, 0.02, launches))
    said = launches_said(found.next_step)
    assert said is None or launches < said <= 24
    if found.outcome is BreakEvenOutcome.UNDECIDED:
        assert found.next_step
        for load in re.findall(r"concurrency ([\d, ]+\d)", found.next_step):
            for one in load.split(", "):
                place = int(math.log2(int(one)))
                assert sides(found)[place] is Side.OPEN
