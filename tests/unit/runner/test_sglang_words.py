"""What a sweep over SGLang says of its arms and its cache."""

import pytest

from specbench.runner.arm_traits import traits_of_arms
from specbench.runner.prompts import is_caching_wanted
from specbench.schema.sweep import Arm, Load, Scalar, SweepSpec, Target, Workload


def target(**more: object) -> Target:
    return Target.model_validate({"model": "m", "engine": "sglang", **more})


@pytest.mark.parametrize(
    ("args", "wanted"),
    [
        ({}, False),
        ({"disable-radix-cache": True}, False),
        ({"disable_radix_cache": False}, True),
        ({"enable-prefix-caching": True}, True),
        ({"enable-prefix-caching": False}, False),
    ],
)
def test_prefix_caching_is_wanted_where_its_flag_is_taken_back(
    args: dict[str, Scalar], wanted: bool
) -> None:
    assert is_caching_wanted(target(args=args)) is wanted


def test_a_setting_of_the_environment_can_make_an_arm_lossy() -> None:
    forced = {"SGLANG_SIMULATE_ACC_LEN": "2.5"}
    spec = SweepSpec(
        targets=[target(env=forced)],
        arms=[Arm(name="k3", speculative={"algorithm": "EAGLE3"})],
        workload=Workload(datasets=["mt-bench-style"]),
        load=Load(concurrency=[1]),
    )
    (traits,) = traits_of_arms(spec).values()
    assert traits.lossy == ("SGLANG_SIMULATE_ACC_LEN = 2.5",)
