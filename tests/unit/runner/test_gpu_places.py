"""GPUs of several targets: who runs beside whom, and on what."""

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specbench.errors import InputError
from specbench.planning.arms import count_arms
from specbench.planning.expand import plan_sweep
from specbench.runner.placement import Placement, find_placement
from specbench.schema.host import GpuFacts, GpuProcess
from specbench.schema.plan import SweepPlan
from specbench.schema.sweep import SweepSpec
from tests.unit.host.test_gpu_choice import make_gpu
from tests.unit.runner.test_placement import GPUS

MANY_CPUS = tuple(range(64))


@pytest.fixture(autouse=True, scope="module")
def no_variable() -> Any:
    with pytest.MonkeyPatch.context() as patch:
        for name in ("CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER"):
            patch.delenv(name, raising=False)
        yield


def sweep(
    *targets: dict[str, Any], arms: int = 1, placement: str = "auto", **more: Any
) -> SweepSpec:
    """Targets `a`, `b`, ... with so many speculating arms each."""
    return SweepSpec.model_validate(
        {
            "targets": [
                {"model": "m", "engine": "vllm", "name": name, **target}
                for name, target in zip("abcdefg", targets, strict=False)
            ],
            "arms": [
                {"name": f"arm{number}", "speculative": {"method": "ngram"}}
                for number in range(arms)
            ],
            "workload": {"datasets": ["d"]},
            "load": {"concurrency": [1, 2]},
            "measure": {"placement": placement, "replicates": 2},
            **more,
        }
    )


def place(
    spec: SweepSpec,
    gpus: int | tuple[GpuFacts, ...] = 4,
    cpus: tuple[int, ...] = MANY_CPUS,
) -> Placement:
    if isinstance(gpus, int):
        gpus = tuple(make_gpu(index) for index in range(gpus))
    host = replace(GPUS, gpus=gpus)
    return find_placement(spec, count_arms(spec), host, cpus, "x.toml")


def plan(spec: SweepSpec, placement: Placement) -> SweepPlan:
    return plan_sweep(spec, places=placement.counts, together=placement.together)


def shares(placement: Placement) -> dict[str, list[tuple[str, ...]]]:
    return {
        label: [one.gpus for one in places]
        for label, places in placement.places.items()
    }


def test_targets_run_at_once_where_there_are_gpus_for_the_arms_of_each() -> None:
    placement = place(sweep({}, {}))
    assert placement.together == (("a", "b"),)
    assert shares(placement) == {
        "a": [("GPU-0",), ("GPU-1",)],
        "b": [("GPU-2",), ("GPU-3",)],
    }
    assert list(placement.numbered("b")) == [2, 3]
    assert placement.most_places == 4
    assert placement.notes == (
        "a and b are measured at the same time, each on GPUs of its own",
    )


def test_targets_follow_one_another_where_there_are_not() -> None:
    placement = place(sweep({}, {}, {}), 3)
    assert placement.together == (("a",), ("b",), ("c",))
    assert shares(placement) == {label: [("GPU-0",), ("GPU-1",)] for label in "abc"}
    assert placement.most_places == 2


def test_a_group_is_followed_by_the_next() -> None:
    placement = place(sweep({}, {}, {}))
    assert placement.together == (("a", "b"), ("c",))
    assert list(placement.numbered("c")) == [0, 1]


def test_targets_with_one_launch_at_a_time_run_beside_one_another() -> None:
    pairs = {"tensor_parallel": 2}
    placement = place(sweep(pairs, pairs, arms=2))
    assert shares(placement) == {"a": [("GPU-0", "GPU-1")], "b": [("GPU-2", "GPU-3")]}
    waves = plan(sweep(pairs, pairs, arms=2), placement).waves
    assert [[(x.target.label, x.arm, x.place) for x in wave] for wave in waves[:2]] == [
        [("a", "baseline", 0), ("b", "baseline", 1)],
        [("a", "arm0", 0), ("b", "arm0", 1)],
    ]


@pytest.mark.parametrize(
    ("targets", "changes"),
    [
        (({"port": 8001}, {"port": 8002}), {}),
        (({"engine": "sim"}, {"engine": "sim"}), {}),
        (({}, {"device": "cpu"}), {}),
        (({}, {}), {"search": {"mode": "adaptive"}}),
        (({}, {}), {"placement": "sequential"}),
    ],
)
def test_nothing_runs_beside_another_target_that_cannot_or_was_not_asked_to(
    targets: tuple[dict[str, Any], ...], changes: dict[str, Any]
) -> None:
    assert place(sweep(*targets, **changes)).together == (("a",), ("b",))


def test_few_cpus_keep_targets_apart_unless_that_is_asked_for() -> None:
    assert place(sweep({}, {}), cpus=(0, 1)).together == (("a",), ("b",))
    asked = sweep({}, {}, placement="side-by-side")
    assert place(asked, cpus=(0, 1)).together == (("a", "b"),)


def test_a_target_does_not_go_to_another_kind_of_gpu_to_run_beside_others() -> None:
    gpus = tuple(
        replace(make_gpu(index), name="Tesla T4" if index > 1 else "NVIDIA H200")
        for index in range(4)
    )
    placement = place(sweep({}, {}), gpus)
    assert placement.together == (("a",), ("b",))
    assert shares(placement)["b"] == [("GPU-0",), ("GPU-1",)]


def test_each_target_keeps_to_its_own_visible_devices() -> None:
    one = {"env": {"CUDA_VISIBLE_DEVICES": "0,1"}}
    other = {"env": {"CUDA_VISIBLE_DEVICES": "2,3"}}
    placement = place(sweep(one, other))
    assert placement.together == (("a", "b"),)
    assert shares(placement) == {"a": [("0",), ("1",)], "b": [("2",), ("3",)]}
    assert place(sweep(one, one)).together == (("a",), ("b",))


machines = st.lists(
    st.tuples(st.sampled_from(["H200", "T4"]), st.sampled_from([True, False, False])),
    min_size=1,
    max_size=8,
)
sweeps = st.builds(
    lambda targets, arms, placement: sweep(*targets, arms=arms, placement=placement),
    st.lists(
        st.fixed_dictionaries({"tensor_parallel": st.integers(1, 3)}),
        min_size=1,
        max_size=4,
    ),
    st.integers(1, 3),
    st.sampled_from(["auto", "sequential", "side-by-side"]),
)


def machine(kinds: list[tuple[str, bool]]) -> tuple[GpuFacts, ...]:
    return tuple(
        replace(
            make_gpu(index),
            name=name,
            processes=(GpuProcess(9, None),) if is_busy else (),
        )
        for index, (name, is_busy) in enumerate(kinds)
    )


def planned(
    kinds: list[tuple[str, bool]], spec: SweepSpec
) -> tuple[Placement, SweepPlan] | None:
    """None where the machine has not got what the sweep needs."""
    try:
        placement = place(spec, machine(kinds))
    except InputError:
        return None
    return placement, plan(spec, placement)


@given(machines, sweeps)
def test_no_gpu_ever_serves_two_launches_at_once(
    kinds: list[tuple[str, bool]], spec: SweepSpec
) -> None:
    found = planned(kinds, spec)
    if found is None:
        return
    placement, plan_ = found
    for wave in plan_.waves:
        used = [
            gpu
            for launch in wave
            for gpu in placement.numbered(launch.target.label)[launch.place].gpus
        ]
        assert len(used) == len(set(used))
        assert len({launch.place for launch in wave}) == len(wave)


@given(machines, sweeps)
def test_every_launch_has_as_many_gpus_as_its_target_asks_for(
    kinds: list[tuple[str, bool]], spec: SweepSpec
) -> None:
    found = planned(kinds, spec)
    if found is None:
        return
    placement, plan_ = found
    for launch in plan_.launches:
        gpus = placement.numbered(launch.target.label)[launch.place].gpus
        assert len(gpus) == launch.target.tensor_parallel


@given(machines, sweeps)
def test_each_arm_runs_in_each_place_of_its_target_equally_often(
    kinds: list[tuple[str, bool]], spec: SweepSpec
) -> None:
    found = planned(kinds, spec)
    if found is None:
        return
    placement, plan_ = found
    for target in spec.targets:
        served = Counter(
            (launch.arm, launch.place)
            for launch in plan_.launches
            if launch.target.label == target.label
        )
        arms = len(spec.arms) + 1
        assert len(set(served.values())) == 1
        assert len(served) == arms * placement.counts[target.label]


@given(machines, sweeps)
def test_unasked_no_target_gets_busy_gpus_or_places_that_differ(
    kinds: list[tuple[str, bool]], spec: SweepSpec
) -> None:
    found = planned(kinds, spec)
    if found is None or spec.measure.placement == "side-by-side":
        return
    gpus = {gpu.uuid: gpu for gpu in machine(kinds)}
    for places in found[0].places.values():
        used = [gpus[entry] for one in places for entry in one.gpus]
        assert not any(gpu.processes for gpu in used)
        if len(places) > 1:
            assert len({gpu.name for gpu in used}) == 1


@given(machines, sweeps)
def test_as_many_launches_run_at_once_as_the_load_has_crews_for(
    kinds: list[tuple[str, bool]], spec: SweepSpec
) -> None:
    found = planned(kinds, spec)
    if found is not None:
        highest = max(launch.place for launch in found[1].launches)
        assert highest + 1 == found[0].most_places
