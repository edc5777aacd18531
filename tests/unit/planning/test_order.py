"""Orders of launches: balanced in time, and over the places."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specbench.planning.order import (
    balanced_replicates,
    first_places,
    launch_order,
    wave_order,
)

shared = st.integers(2, 5).flatmap(
    lambda arms: st.tuples(
        st.just([f"arm{i}" for i in range(arms)]),
        st.integers(1, 7),
        st.integers(2, arms),
    )
)


@given(st.integers(2, 5), st.integers(1, 6))
def test_every_arm_is_launched_once_in_each_replicate(arms: int, reps: int) -> None:
    names = [f"arm{i}" for i in range(arms)]
    order = launch_order(names, reps)
    assert sorted(order) == sorted((n, r) for n in names for r in range(1, reps + 1))


@given(st.integers(2, 5), st.sampled_from([2, 4, 6]))
def test_steady_drift_falls_on_all_arms_alike(arms: int, replicates: int) -> None:
    names = [f"arm{i}" for i in range(arms)]
    order = launch_order(names, replicates)
    drift = dict.fromkeys(names, 0)
    for moment, (arm, _) in enumerate(order):
        drift[arm] += moment
    assert len(set(drift.values())) == 1


@given(st.integers(2, 5), st.integers(1, 6))
def test_one_place_is_the_order_one_at_a_time(arms: int, replicates: int) -> None:
    names = [f"arm{i}" for i in range(arms)]
    waves = wave_order(names, replicates, 1)
    assert [launch for (launch,) in waves] == launch_order(names, replicates)


def test_two_arms_swap_their_places_from_wave_to_wave() -> None:
    assert wave_order(["baseline", "arm"], 4, 2) == [
        (("baseline", 1), ("arm", 1)),
        (("arm", 2), ("baseline", 2)),
        (("arm", 3), ("baseline", 3)),
        (("baseline", 4), ("arm", 4)),
    ]


def test_arms_that_do_not_all_fit_side_by_side_move_on_by_one_place() -> None:
    waves = wave_order(["a", "b", "c"], 2, 2)
    assert [[arm for arm, _ in wave] for wave in waves] == [
        ["a", "b"],
        ["b", "c"],
        ["c", "a"],
    ]


@given(shared)
def test_each_place_serves_every_arm_equally_often(
    case: tuple[list[str], int, int],
) -> None:
    arms, replicates, places = case
    waves = wave_order(arms, replicates, places)
    served = Counter(
        (place, arm) for wave in waves for place, (arm, _) in enumerate(wave)
    )
    assert len(served) == places * len(arms)
    assert len(set(served.values())) == 1


@given(shared)
def test_every_launch_side_by_side_has_a_number_of_its_own(
    case: tuple[list[str], int, int],
) -> None:
    arms, replicates, places = case
    launches = [launch for wave in wave_order(*case) for launch in wave]
    each = balanced_replicates(replicates, places)
    assert sorted(launches) == sorted((a, r) for a in arms for r in range(1, each + 1))


@given(shared)
def test_no_arm_runs_beside_itself(case: tuple[list[str], int, int]) -> None:
    for wave in wave_order(*case):
        assert len({arm for arm, _ in wave}) == len(wave)


@given(shared)
def test_steady_drift_falls_on_all_arms_alike_after_two_rounds(
    case: tuple[list[str], int, int],
) -> None:
    arms, _, places = case
    drift = dict.fromkeys(arms, 0)
    for moment, wave in enumerate(wave_order(arms, 2 * places, places)):
        for arm, _ in wave:
            drift[arm] += moment
    assert len(set(drift.values())) == 1


@pytest.mark.parametrize(
    ("replicates", "places", "balanced"), [(3, 1, 3), (3, 2, 4), (4, 2, 4), (1, 3, 3)]
)
def test_launches_are_raised_to_a_multiple_of_the_places(
    replicates: int, places: int, balanced: int
) -> None:
    assert balanced_replicates(replicates, places) == balanced


def test_more_places_than_arms_cannot_be_served() -> None:
    with pytest.raises(ValueError, match="2 arms cannot share 3 places"):
        wave_order(["a", "b"], 3, 3)


@given(st.dictionaries(st.sampled_from("abcdef"), st.integers(1, 4)), st.data())
def test_targets_that_run_at_the_same_time_share_no_place(
    places: dict[str, int], data: st.DataObject
) -> None:
    labels = data.draw(st.permutations(sorted(places)))
    cut = data.draw(st.integers(0, len(labels)))
    groups = [labels[:cut], labels[cut:]]
    first = first_places(places, groups)
    for group in groups:
        used = [
            number
            for label in group
            for number in range(first[label], first[label] + places[label])
        ]
        assert sorted(used) == list(range(len(used)))
