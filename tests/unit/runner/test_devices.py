"""What each target of a run was, as its launches tell it."""

from dataclasses import replace

from specbench.runner.devices import launch_device, target_facts
from specbench.schema.record import EngineFacts, LaunchRecord
from specbench.schema.sweep import SweepSpec
from tests.unit.runner.test_placement import GPUS, NO_GPU, spec

FACTS = EngineFacts("vllm", "0.32.0", "m", 4096, None, None, 256, 8192, False)


def two_targets() -> SweepSpec:
    one, other = (
        spec(model="org/Llama-8B", name=name, engine=engine).targets[0]
        for name, engine in (("on-vllm", "vllm"), ("on-sglang", "sglang"))
    )
    return spec().model_copy(update={"targets": [one, other]})


def launch(target: str, *gpus: str, facts: EngineFacts | None = FACTS) -> LaunchRecord:
    return LaunchRecord(1, target, "baseline", 1, ("engine",), facts=facts, gpus=gpus)


def test_a_target_is_its_model_the_gpus_of_a_launch_and_the_engine_that_answered() -> (
    None
):
    sglang = replace(FACTS, engine="sglang", version="0.5.23")
    launches = [
        launch("on-vllm", "GPU-0"),
        launch("on-vllm", "GPU-1"),
        launch("on-sglang", "GPU-2", "GPU-3", facts=sglang),
    ]
    found = [
        (one.label, one.model, one.device, one.engine)
        for one in target_facts(two_targets(), launches, GPUS)
    ]
    assert found == [
        ("on-vllm", "Llama-8B", "1x NVIDIA H200", "vllm 0.32.0"),
        ("on-sglang", "Llama-8B", "2x NVIDIA H200", "sglang 0.5.23"),
    ]


def test_places_that_differ_are_both_named() -> None:
    host = replace(GPUS, gpus=(GPUS.gpus[0], replace(GPUS.gpus[1], name="Tesla T4")))
    launches = [launch("on-vllm", "GPU-0"), launch("on-vllm", "GPU-1")]
    (one, _) = target_facts(two_targets(), launches, host)
    assert one.device == "1x NVIDIA H200 or 1x Tesla T4"


def test_an_engine_that_never_got_ready_has_no_version() -> None:
    (_, other) = target_facts(two_targets(), [launch("on-sglang", facts=None)], GPUS)
    assert other.engine == "sglang"


def test_without_gpus_the_cpu_computes_and_of_running_servers_nobody_knows() -> None:
    (one, _) = target_facts(two_targets(), [launch("on-vllm")], NO_GPU)
    assert one.device == "8 cores of Xeon"
    (one, _) = target_facts(two_targets(), [launch("on-vllm")], None)
    assert "not known" in one.device


def test_what_a_launch_computes_on_is_told_by_its_gpus() -> None:
    assert launch_device(GPUS, ("GPU-2", "GPU-3")) == "2x NVIDIA H200"
    assert launch_device(GPUS, ()) == "8 cores of Xeon"
    assert launch_device(NO_GPU, ()) == "8 cores of Xeon"
    assert launch_device(GPUS, ("MIG-1",)) == "1 GPU of an unknown kind"
