"""Where launches run, given what the machine has."""

from dataclasses import replace
from typing import Any

import pytest

from specbench.errors import InputError
from specbench.runner.placement import (
    Placement,
    find_placement,
    on_gpu,
    place_urls,
    with_gpus,
)
from specbench.schema.host import GpuProcess, HostFacts
from specbench.schema.sweep import SweepSpec
from tests.unit.host.test_gpu_choice import FOUR

NO_GPU = HostFacts(
    *("box", "Linux", "6", "3.11", "Xeon", 8, None, None, None),
    gpus=(),
    gpu_note="none",
)
GPUS = replace(NO_GPU, gpus=FOUR, gpu_note=None)
CPUS = tuple(range(8))


@pytest.fixture(autouse=True)
def no_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER"):
        monkeypatch.delenv(name, raising=False)


def spec(placement: str = "auto", **target: Any) -> SweepSpec:
    return SweepSpec.model_validate(
        {
            "targets": [{"model": "m", "engine": "vllm", **target}],
            "arms": [{"name": "fast", "speculative": {"method": "ngram"}}],
            "workload": {"datasets": ["d"]},
            "load": {"concurrency": [1]},
            "measure": {"placement": placement},
        }
    )


def find(
    sweep: SweepSpec, host: HostFacts, *, arms: int = 2, cpus: tuple[int, ...] = CPUS
) -> Placement:
    each = dict.fromkeys((target.label for target in sweep.targets), arms)
    return find_placement(sweep, each, host, cpus, "x.toml")


def gpus(placement: Placement) -> list[tuple[str, ...]]:
    return [place.gpus for place in placement.places["m"]]


def refusal(sweep: SweepSpec, host: HostFacts, **more: Any) -> str:
    with pytest.raises(InputError) as caught:
        find(sweep, host, **more)
    assert "sequential" in caught.value.hint
    return caught.value.message


def test_gpus_enough_for_all_arms_are_used_side_by_side() -> None:
    assert gpus(find(spec(), GPUS)) == [("GPU-0",), ("GPU-1",)]
    assert gpus(find(spec(), GPUS, arms=4)) == [(f"GPU-{i}",) for i in range(4)]
    pairs = find(spec(tensor_parallel=2), GPUS)
    assert gpus(pairs) == [("GPU-0", "GPU-1"), ("GPU-2", "GPU-3")]
    assert pairs.counts == {"m": 2}
    assert pairs.client_cpus is None


@pytest.mark.parametrize(
    ("target", "arms"), [({}, 5), ({"tensor_parallel": 2}, 3), ({"port": 8123}, 2)]
)
def test_launches_follow_one_another_where_not_all_arms_fit(
    target: dict[str, Any], arms: int
) -> None:
    placement = find(spec(**target), GPUS, arms=arms)
    assert placement.counts == {"m": 1}
    assert placement.places["m"][0].gpus[0] == "GPU-0"


def test_sequential_is_obeyed_whatever_the_machine_has() -> None:
    assert gpus(find(spec("sequential"), GPUS)) == [("GPU-0",)]


def test_visible_devices_are_all_there_are() -> None:
    env = {"CUDA_VISIBLE_DEVICES": "2,3"}
    assert gpus(find(spec(env=env), GPUS)) == [("2",), ("3",)]
    env = {"CUDA_VISIBLE_DEVICES": "3"}
    assert gpus(find(spec(env=env), GPUS)) == [("3",)]


def test_gpus_that_differ_or_are_busy_are_not_used_side_by_side_unasked() -> None:
    busy = replace(FOUR[1], processes=(GpuProcess(7, None),))
    other = replace(FOUR[2], name="Tesla T4")
    host = replace(GPUS, gpus=(FOUR[0], busy, other))
    assert gpus(find(spec(), host)) == [("GPU-0",)]
    asked = find(spec("side-by-side"), host)
    assert gpus(asked) == [("GPU-0",), ("GPU-1",)]
    assert "differ" in asked.notes[0]
    four = replace(GPUS, gpus=(FOUR[0], busy, FOUR[2], FOUR[3]))
    assert gpus(find(spec(), four)) == [("GPU-0",), ("GPU-2",)]


def test_asked_for_as_many_places_are_made_as_there_are_gpus_for() -> None:
    host = replace(GPUS, gpus=FOUR[:2])
    assert gpus(find(spec("side-by-side"), host, arms=3)) == [("GPU-0",), ("GPU-1",)]


def test_asked_for_too_few_gpus_are_named() -> None:
    one = replace(GPUS, gpus=FOUR[:1])
    assert refusal(spec("side-by-side"), one) == (
        "x.toml: measure.placement: two launches of m side by side need 2 GPUs"
        " (target.tensor_parallel = 1), and this machine has 1 GPU"
    )
    assert "this machine has no GPUs" in refusal(
        spec("side-by-side", device="gpu"), NO_GPU
    )


def test_without_gpu_engine_and_client_are_apart_and_one_launch_runs_at_a_time() -> (
    None
):
    placement = find(spec(), NO_GPU)
    (place,) = placement.places["m"]
    assert place.gpus == ()
    assert place.engine_cpus == tuple(range(7))
    assert place.usable_cpus == CPUS
    assert placement.client_cpus == (7,)


def test_the_simulated_engine_does_not_take_gpus_for_places() -> None:
    assert find(spec(engine="sim"), GPUS).counts == {"m": 1}


def test_asked_for_engines_on_the_cpu_run_side_by_side_on_cpus_of_their_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("specbench.host.affinity.read_core", lambda cpu: (0, cpu))
    placement = find(spec("side-by-side"), NO_GPU)
    shares = [place.engine_cpus for place in placement.places["m"]]
    assert shares == [(0, 1, 2), (3, 4, 5)]
    assert [place.usable_cpus for place in placement.places["m"]] == shares
    assert placement.client_cpus == (6, 7)
    assert placement.cpu_count == 2
    assert placement.most_places == 2


def test_asked_for_too_few_cpus_are_named() -> None:
    message = refusal(spec("side-by-side", device="cpu"), GPUS, cpus=(0, 1))
    assert message.startswith("x.toml: measure.placement: two launches side by side")
    assert message.endswith("need 3 CPUs, one for each engine and one for the load"
                            " generator; specbench may use 2")  # fmt: skip


def test_too_few_gpus_for_one_launch_are_refused_as_ever() -> None:
    words = r"^x\.toml: m: target\.tensor_parallel = 8, but this machine has 4 GPUs"
    with pytest.raises(InputError, match=words):
        find(spec(tensor_parallel=8), GPUS)


def test_targets_of_two_kinds_do_not_run_side_by_side() -> None:
    both = spec("side-by-side").model_copy(
        update={
            "targets": [
                *spec().targets,
                *spec(name="c", device="cpu").targets,
            ]
        }
    )
    assert "c computes on the CPU" in refusal(both, GPUS)
    auto = both.model_copy(update={"measure": spec().measure})
    assert find(auto, GPUS).counts == {"m": 2, "c": 1}


def test_servers_that_already_run_have_one_place() -> None:
    assert place_urls(spec(), GPUS, CPUS, "x.toml").counts == {"m": 1}
    with pytest.raises(InputError, match="not for servers that already run"):
        place_urls(spec("side-by-side"), GPUS, CPUS, "x.toml")


def test_a_place_is_described_by_its_own_gpus() -> None:
    assert with_gpus(GPUS, ("GPU-1", "2")).device == "2x NVIDIA H200"
    assert with_gpus(GPUS, ("MIG-1",)).gpus == ()
    assert on_gpu(spec(), GPUS)
    assert not on_gpu(spec(device="cpu"), GPUS)


def test_gpus_of_the_sweep_are_refused_for_servers_that_already_run() -> None:
    with pytest.raises(InputError, match=r"measure\.gpus is for engines"):
        place_urls(naming(spec(), [0]), GPUS, CPUS, "x.toml")


def naming(sweep: SweepSpec, gpus: list[int | str]) -> SweepSpec:
    measure = sweep.measure.model_copy(update={"gpus": gpus})
    return sweep.model_copy(update={"measure": measure})


def test_launches_keep_to_the_gpus_that_the_sweep_names() -> None:
    assert gpus(find(naming(spec(), [3, "GPU-1"]), GPUS)) == [("GPU-1",), ("GPU-3",)]
    assert gpus(find(naming(spec(), [2]), GPUS)) == [("GPU-2",)]
    hidden = naming(spec(env={"CUDA_VISIBLE_DEVICES": "0,1"}), [2, 3])
    with pytest.raises(InputError) as caught:
        find(hidden, GPUS)
    assert caught.value.message == (
        'x.toml: measure.gpus: m may use none of them: CUDA_VISIBLE_DEVICES="0,1"'
        " and measure.gpus leave no GPUs"
    )


def test_a_gpu_that_the_machine_has_not_got_is_named_with_its_place() -> None:
    with pytest.raises(InputError, match=r"^x\.toml: measure\.gpus\[1\]: no GPU"):
        find(naming(spec(), [0, 9]), GPUS)
    with pytest.raises(InputError, match=r"measure\.gpus\[0\]: no GPU"):
        find(naming(spec(), [0]), NO_GPU)


def test_named_gpus_are_used_whoever_computes_on_them_and_that_is_told() -> None:
    crowded = replace(FOUR[1], processes=(GpuProcess(7, None),))
    host = replace(GPUS, gpus=(FOUR[0], crowded))
    assert gpus(find(spec(), host)) == [("GPU-0",)]
    named = find(naming(spec(), [0, 1]), host)
    assert gpus(named) == [("GPU-0",), ("GPU-1",)]
    assert named.notes == ("m: processes compute on GPU 1, where its launches run",)


def test_on_a_machine_where_others_compute_nothing_is_launched_unasked() -> None:
    crowded = replace(FOUR[0], processes=(GpuProcess(7, None),))
    host = replace(GPUS, gpus=(crowded,))
    with pytest.raises(InputError, match="processes compute on GPU 0"):
        find(spec(), host)
    assert gpus(find(spec(engine="sim"), host)) == [("GPU-0",)]
    assert gpus(find(spec(env={"CUDA_VISIBLE_DEVICES": "0"}), host)) == [("0",)]


def test_the_report_says_that_nobody_knows_who_computes_on_a_gpu() -> None:
    host = replace(GPUS, gpus=tuple(replace(gpu, processes=None) for gpu in FOUR))
    notes = find(spec("sequential"), host).notes
    assert notes == (
        "m: nobody can say whether others compute on GPU 0, where its launches run",
    )
    assert find(spec("sequential"), GPUS).notes == ()


def test_numbers_of_gpus_need_an_order_that_nvml_shares(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("CUDA_DEVICE_ORDER", "FASTEST_FIRST")
    numbered = {"CUDA_VISIBLE_DEVICES": "2,3"}
    with pytest.raises(InputError, match=r"x\.toml: m: .*FASTEST_FIRST"):
        find(spec(env=numbered), GPUS)
    own = {**numbered, "CUDA_DEVICE_ORDER": "PCI_BUS_ID"}
    assert gpus(find(spec(env=own), GPUS)) == [("2",), ("3",)]
