from hypothesis import given
from hypothesis import strategies as st

from specbench.planning.order import launch_order


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
