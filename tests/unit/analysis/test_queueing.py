"""Whether an arm loses its place in the KV cache: it waits or is preempted where its
baseline is not."""

from collections.abc import Sequence

import pytest

from specbench.analysis.queueing import only_arm_queues
from specbench.analysis.rules.load import QUEUE
from specbench.schema.findings import CellStats
from tests.factories import cell_stats


def cells(
    waiting: Sequence[float | None], preemptions: float | None = 0.0
) -> list[CellStats]:
    """One launch for each value of `waiting`."""
    return [
        cell_stats("ngram", i, 64, waiting=w, preemptions=preemptions)
        for i, w in enumerate(waiting, 1)
    ]


FREE = cells([0.0, 0.0, 0.0])
FULL = cells([20.0, 22.0, 21.0])
THROWN_OUT = cells([0.0, 0.0, 0.0], preemptions=7.0)


@pytest.mark.parametrize("arm", [FULL, THROWN_OUT])
def test_an_arm_that_waits_or_is_preempted_alone_queues_alone(
    arm: list[CellStats],
) -> None:
    assert only_arm_queues(FREE, arm)


@pytest.mark.parametrize("baseline", [FULL, THROWN_OUT])
@pytest.mark.parametrize("arm", [FULL, THROWN_OUT])
def test_where_both_queue_the_arm_is_not_alone(
    baseline: list[CellStats], arm: list[CellStats]
) -> None:
    assert not only_arm_queues(baseline, arm)


def test_a_baseline_that_queues_alone_says_nothing_of_the_arm() -> None:
    assert not only_arm_queues(FULL, FREE)
    assert not only_arm_queues(FREE, FREE)


def test_it_is_the_mean_over_launches_that_counts() -> None:
    assert only_arm_queues(FREE, cells([0.0, 0.0, 3 * QUEUE]))
    assert not only_arm_queues(FREE, cells([0.0, 0.0, 2.9 * QUEUE]))


def test_one_launch_with_preemptions_is_not_enough() -> None:
    mixed = [*THROWN_OUT[:1], *FREE[1:]]
    assert not only_arm_queues(FREE, mixed)


def test_unknown_figures_of_the_arm_are_not_held_against_it() -> None:
    assert not only_arm_queues(FREE, cells([None, None], preemptions=None))
    assert not only_arm_queues(FREE, [])
    # what is known still counts
    assert only_arm_queues(FREE, cells([None, 5.0], preemptions=None))


def test_a_baseline_of_which_nothing_is_known_is_not_held_against_the_arm() -> None:
    assert not only_arm_queues(cells([None, None], preemptions=None), FULL)
