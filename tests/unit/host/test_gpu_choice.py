"""Which GPUs an engine gets."""

from dataclasses import replace

import pytest

from specbench.errors import InputError
from specbench.host.gpu_choice import (
    alike_and_idle,
    find_gpu,
    select_gpus,
    share_gpus,
)
from specbench.schema.host import GpuFacts, GpuProcess


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


def test_no_gpu_belongs_to_two_places() -> None:
    shares = share_gpus(("a", "b", "c", "d", "e"), 2, 2)
    assert shares == (("a", "b"), ("c", "d"))


def test_a_gpu_is_found_by_number_by_uuid_and_by_its_beginning() -> None:
    assert find_gpu(FOUR, "2") is FOUR[2]
    assert find_gpu(FOUR, "GPU-3") is FOUR[3]
    assert find_gpu([make_gpu(0, "GPU-abc-def")], "GPU-abc") is not None


@pytest.mark.parametrize("entry", ["7", "MIG-12", ""])
def test_what_names_no_whole_gpu_is_none(entry: str) -> None:
    assert find_gpu(FOUR, entry) is None


def test_only_idle_gpus_of_one_model_can_stand_for_one_another() -> None:
    gpus = (
        FOUR[0],
        replace(FOUR[1], processes=(GpuProcess(5, None),)),
        replace(FOUR[2], name="Tesla T4"),
        replace(FOUR[3], processes=()),
    )
    entries = ("0", "GPU-1", "2", "GPU-3", "MIG-4", "GPU-0")
    assert alike_and_idle(gpus, entries) == ("0", "GPU-3")
