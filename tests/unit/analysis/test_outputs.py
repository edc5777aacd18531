"""Answers of two cells, paired by prompt: what differs by more than baselines do."""

import random
from collections.abc import Sequence

import pytest

from specbench.analysis.outputs import (
    ENOUGH_PAIRS,
    Output,
    Outputs,
    outputs_of,
    unlike_outputs,
)
from specbench.schema.sample import Role
from tests.factories import chunks_of, failed_sample, sample


def outputs(lengths: Sequence[int | None], reason: str = "stop") -> Outputs:
    return {
        place: Output(f"q/{place}", tokens, reason)
        for place, tokens in enumerate(lengths)
    }


def ended(*reasons: str) -> Outputs:
    return {place: Output(f"q/{place}", 100, r) for place, r in enumerate(reasons)}


LENGTHS = [40, 80, 120, 200, 60, 100, 150, 90, 110, 50]
BASE = outputs(LENGTHS)


def longer(factor: float) -> Outputs:
    return outputs([round(n * factor) for n in LENGTHS])


def test_equal_answers_differ_in_nothing() -> None:
    assert unlike_outputs(BASE, BASE, [BASE]) == ()


@pytest.mark.parametrize(("more", "is_found"), [(4, False), (6, True)])
def test_one_baseline_launch_allows_five_percent_of_the_mean_length(
    more: int, is_found: bool
) -> None:
    # 100 tokens in the mean; every answer grows alike, so chance has no part in it
    arm = outputs([n + more for n in LENGTHS])
    assert bool(unlike_outputs(arm, BASE, [BASE])) is is_found


def test_two_baselines_allow_what_they_differ_by_themselves() -> None:
    other = outputs([n + 8 for n in LENGTHS])
    within, beyond = (outputs([n - d for n in LENGTHS]) for d in (7, 9))
    assert unlike_outputs(within, BASE, [BASE, other]) == ()
    (said,) = unlike_outputs(beyond, BASE, [BASE, other])
    assert "-9%" in said
    assert "100 tokens" in said


def test_uneven_differences_are_left_to_chance() -> None:
    # +10 in the mean, from one answer alone
    one = outputs([LENGTHS[0] + 100, *LENGTHS[1:]])
    assert unlike_outputs(one, BASE, [BASE]) == ()
    assert unlike_outputs(longer(1.5), BASE, [BASE])


def test_another_way_of_ending_is_found() -> None:
    stopped = ended(*["stop"] * 10)
    cut = ended(*["length"] * 9, "stop")
    said = unlike_outputs(cut, stopped, [stopped])
    assert said == (
        "90% end by `length`, of the baseline's 0%",
        "10% end by `stop`, of the baseline's 100%",
    )


def test_a_few_other_endings_are_left_to_chance() -> None:
    stopped = ended(*["stop"] * 10)
    assert unlike_outputs(ended("length", *["stop"] * 9), stopped, [stopped]) == ()


def test_two_baselines_that_end_differently_allow_an_arm_to() -> None:
    stopped, cut = ended(*["stop"] * 20), ended(*["length"] * 20)
    assert unlike_outputs(cut, stopped, [stopped]) != ()
    assert unlike_outputs(cut, stopped, [stopped, cut]) == ()


def test_few_pairs_say_nothing() -> None:
    few, much = [100] * (ENOUGH_PAIRS - 1), [300] * (ENOUGH_PAIRS - 1)
    assert unlike_outputs(outputs(much), outputs(few), []) == ()
    assert unlike_outputs(outputs([*much, 300]), outputs([*few, 100]), []) != ()


def test_only_answers_to_the_same_prompt_are_paired() -> None:
    elsewhere = {place: Output("other", 999, "length") for place in range(10)}
    assert unlike_outputs(elsewhere, BASE, [BASE]) == ()
    moved = {place + 50: out for place, out in longer(3.0).items()}
    assert unlike_outputs(moved, BASE, [BASE]) == ()


def test_lengths_that_are_not_counted_are_no_zeros() -> None:
    uncounted = outputs([None] * 10)
    assert unlike_outputs(uncounted, BASE, [BASE]) == ()
    assert unlike_outputs(BASE, uncounted, [uncounted]) == ()


def test_only_measured_requests_that_ended_well_are_answers() -> None:
    text = chunks_of([10, 20], [1, 1], counted=True)
    seen = outputs_of(
        [
            sample(text, index=0, role=Role.WARMUP),
            sample(text, index=1, prompt_id="q/7"),
            failed_sample(index=2),
            sample(text, index=3, finish_reason=None, output_tokens=None),
        ]
    )
    assert seen == {
        1: Output("q/7", 2, "stop"),
        3: Output("q/1", None, "unknown"),
    }


def drawn(rng: random.Random) -> Outputs:
    return {
        place: Output(
            f"q/{place}",
            min(256, round(rng.lognormvariate(4.5, 0.7))),
            "length" if rng.random() < 0.2 else "stop",
        )
        for place in range(32)
    }


def test_answers_that_vary_by_chance_alone_are_hardly_ever_called_unlike() -> None:
    rng = random.Random(3)
    alarms = 0
    for _ in range(300):
        first, arm = drawn(rng), drawn(rng)
        alarms += bool(unlike_outputs(arm, first, [first]))
    assert alarms <= 3
