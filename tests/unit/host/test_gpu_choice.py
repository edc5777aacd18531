"""Which GPUs an engine gets."""

import pytest

from specbench.errors import InputError
from specbench.host.gpu_choice import select_gpus
from specbench.schema.host import GpuFacts


def make_gpu(index: int, uuid: str | None = None) -> GpuFacts:
    return GpuFacts(
        index=index,
        uuid=f"GPU-{index}" if uuid is None else uuid,
        name="NVIDIA H200",
        memory_total_bytes=None,
        memory_used_bytes=None,
        sm_clock_mhz=None,
        sm_clock_max_mhz=None,
        memory_clock_mhz=None,
        power_limit_w=None,
        temperature_c=None,
        throttle_reasons=None,
        processes=None,
    )


FOUR = tuple(make_gpu(index) for index in range(4))


@pytest.mark.parametrize(
    ("count", "visible", "chosen"),
    [
        (1, None, ("GPU-0",)),
        (2, None, ("GPU-0", "GPU-1")),
        (1, "2,3", ("2",)),
        (2, " GPU-3 , GPU-1", ("GPU-3", "GPU-1")),
        (2, "3,1,-1,0", ("3", "1")),
        (1, "", ()),
        (1, "-1", ()),
    ],
)
def test_first_ones_are_taken_of_those_that_may_be_used(
    count: int, visible: str | None, chosen: tuple[str, ...]
) -> None:
    assert select_gpus(FOUR, count, visible) == chosen


def test_gpu_that_does_not_tell_its_uuid_is_named_by_index() -> None:
    assert select_gpus([make_gpu(0, uuid="")], 1, None) == ("0",)


@pytest.mark.parametrize("visible", [None, "0,1"])
def test_machine_without_gpu_gets_none(visible: str | None) -> None:
    assert select_gpus([], 2, visible) == ()


def test_too_few_gpus_name_the_key_and_the_number() -> None:
    with pytest.raises(
        InputError, match=r"target.tensor_parallel = 8, but this machine has 4 GPUs"
    ):
        select_gpus(FOUR, 8, None)


def test_too_few_visible_gpus_name_the_variable() -> None:
    with pytest.raises(InputError, match=r'CUDA_VISIBLE_DEVICES="3" leaves 1 GPU$'):
        select_gpus(FOUR, 2, "3")
