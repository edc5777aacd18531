"""Which GPUs an engine gets."""

from dataclasses import replace

import pytest

from specbench.errors import InputError
from specbench.host.gpu_choice import (
    GpuLimits,
    alike_gpus,
    check_order,
    describe_unlisted,
    find_gpu,
    named_gpus,
    select_gpus,
    share_gpus,
    visible_variables,
    without_gpus,
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
        processes=(),
    )


FOUR = tuple(make_gpu(index) for index in range(4))
SOMEBODY = (GpuProcess(5, None),)


def busy(gpu: GpuFacts) -> GpuFacts:
    return replace(gpu, processes=SOMEBODY)


def select(
    gpus: tuple[GpuFacts, ...],
    count: int,
    visible: str | None = None,
    *named: int | str,
    takes_busy: bool = False,
) -> tuple[str, ...]:
    limits = GpuLimits(visible, named_gpus(gpus, named or None))
    return select_gpus(gpus, count, limits, takes_busy=takes_busy)


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
    assert select(FOUR, count, visible, takes_busy=True) == chosen


def test_a_part_of_a_gpu_is_taken_where_the_variable_names_it() -> None:
    assert select(FOUR, 1, "MIG-7", takes_busy=True) == ("MIG-7",)


def test_gpu_that_does_not_tell_its_uuid_is_named_by_index() -> None:
    assert select((make_gpu(0, uuid=""),), 1) == ("0",)


@pytest.mark.parametrize("visible", [None, "0,1"])
def test_machine_without_gpu_gets_none(visible: str | None) -> None:
    assert select((), 2, visible) == ()


def test_too_few_gpus_name_the_key_and_the_number() -> None:
    with pytest.raises(
        InputError, match=r"target.tensor_parallel = 8, but this machine has 4 GPUs"
    ):
        select(FOUR, 8)


def test_too_few_visible_gpus_name_the_variable() -> None:
    with pytest.raises(InputError, match=r'CUDA_VISIBLE_DEVICES="3" leaves 1 GPU$'):
        select(FOUR, 2, "3")


def test_too_few_named_gpus_name_what_leaves_so_few() -> None:
    with pytest.raises(InputError, match=r"but measure\.gpus leaves 1 GPU$"):
        select(FOUR, 2, None, 3)
    both = r'but CUDA_VISIBLE_DEVICES="0,3" and measure\.gpus leave 1 GPU$'
    with pytest.raises(InputError, match=both):
        select(FOUR, 2, "0,3", 2, 3)


def test_named_gpus_are_taken_in_the_order_of_nvml() -> None:
    assert select(FOUR, 2, None, 3, "GPU-1", 2) == ("GPU-1", "GPU-2")


def test_only_what_is_both_named_and_visible_is_taken() -> None:
    assert select(FOUR, 1, "3,1", "GPU-1", 0) == ("1",)


def test_idle_gpus_of_one_model_come_first() -> None:
    gpus = (busy(FOUR[0]), replace(FOUR[1], name="Tesla T4"), *FOUR[2:])
    assert select(gpus, 1) == ("GPU-1",)
    assert select(gpus, 2) == ("GPU-2", "GPU-3")
    assert select(gpus, 3) == ("GPU-1", "GPU-2", "GPU-3")


def test_gpus_on_which_others_compute_are_not_taken_unless_somebody_chose_them() -> (
    None
):
    gpus = (busy(FOUR[0]), replace(FOUR[1], is_split=True))
    with pytest.raises(InputError) as caught:
        select(gpus, 1)
    assert caught.value.message == (
        "target.tensor_parallel = 1, but processes compute on GPU 0; split into parts"
        " (MIG) is GPU 1"
    )
    assert "measure.gpus" in caught.value.hint
    assert select(gpus, 1, takes_busy=True) == ("GPU-0",)


@pytest.mark.parametrize(
    ("named", "message"),
    [
        ((0, 7), "measure.gpus[1]: no GPU of this machine is 7"),
        (("GPU-x",), "measure.gpus[0]: no GPU of this machine is GPU-x"),
        (("GPU-",), "measure.gpus[0]: more than one GPU of this machine is GPU-"),
        (
            (1, "GPU-1"),
            "measure.gpus[1]: GPU-1 is GPU 1, which is there already, as"
            " measure.gpus[0]",
        ),
    ],
)
def test_a_gpu_that_is_not_there_or_twice_is_refused_by_its_place(
    named: tuple[int | str, ...], message: str
) -> None:
    with pytest.raises(InputError) as caught:
        named_gpus(FOUR, named)
    assert caught.value.message == message


def test_what_nvml_lists_is_told_with_a_gpu_that_is_not_there() -> None:
    with pytest.raises(InputError) as caught:
        named_gpus(FOUR[:1], [1])
    assert caught.value.hint == "NVML lists 0 (NVIDIA H200, GPU-0)"
    with pytest.raises(InputError) as caught:
        named_gpus((), [0])
    assert "no GPU that NVML lists" in caught.value.hint


def test_a_gpu_that_is_split_is_refused() -> None:
    with pytest.raises(InputError, match=r"GPU 0 .* is split into parts \(MIG\)"):
        named_gpus((replace(FOUR[0], is_split=True),), [0])


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


def test_only_idle_whole_gpus_of_one_model_can_stand_for_one_another() -> None:
    gpus = (
        FOUR[0],
        busy(FOUR[1]),
        replace(FOUR[2], name="Tesla T4"),
        replace(FOUR[3], processes=()),
        replace(make_gpu(4), is_split=True),
    )
    entries = ("0", "GPU-1", "2", "GPU-3", "MIG-4", "GPU-0", "4")
    assert alike_gpus(gpus, entries) == ("0", "GPU-3")
    assert alike_gpus(gpus, entries, 3) == ()
    assert alike_gpus(gpus, entries, 3, takes_busy=True) == ("0", "GPU-1", "GPU-3")


def test_a_model_of_which_there_are_enough_is_preferred_to_the_first() -> None:
    gpus = (replace(FOUR[0], name="Tesla T4"), *FOUR[1:])
    assert alike_gpus(gpus, ("0", "1", "2"), 2) == ("1", "2")


def test_a_gpu_is_taken_whatever_it_is_called() -> None:
    assert without_gpus(FOUR, ("0", "GPU-1", "2"), ("GPU-0", "1")) == ("2",)


def test_a_gpu_that_the_variable_names_twice_counts_once() -> None:
    assert select(FOUR, 2, "0,GPU-0,1") == ("0", "1")
    with pytest.raises(InputError, match="leaves 1 GPU"):
        select(FOUR, 2, "GPU-0,0", takes_busy=True)


def test_an_engine_counts_its_gpus_as_nvml_does_unless_somebody_said_otherwise() -> (
    None
):
    assert visible_variables(("1", "0"), None) == {
        "CUDA_VISIBLE_DEVICES": "1,0",
        "CUDA_DEVICE_ORDER": "PCI_BUS_ID",
    }
    kept = visible_variables(("GPU-1",), "FASTEST_FIRST")
    assert kept["CUDA_DEVICE_ORDER"] == "FASTEST_FIRST"
    assert visible_variables((), None) == {}


def test_numbers_are_refused_where_cuda_counts_otherwise() -> None:
    fastest = "FASTEST_FIRST"
    numbered = GpuLimits("GPU-0,1")
    with pytest.raises(InputError, match=r"GPUs \(1\) while .*FASTEST_FIRST") as caught:
        check_order(FOUR, numbered, fastest)
    assert "UUID" in (caught.value.hint or "")
    with pytest.raises(InputError, match="while"):
        check_order((make_gpu(0, uuid=""), make_gpu(1)), GpuLimits(), fastest)
    check_order(FOUR, numbered, "PCI_BUS_ID")
    check_order(FOUR, numbered, None)
    check_order(FOUR, GpuLimits("GPU-0,GPU-1"), fastest)
    check_order(FOUR, GpuLimits(), fastest)
    check_order(FOUR[:1], GpuLimits("0"), fastest)


def test_a_gpu_whose_processes_cannot_be_listed_is_not_called_idle() -> None:
    gpus = (replace(FOUR[0], processes=None), FOUR[1], busy(FOUR[2]))
    said = describe_unlisted(gpus, ("0", "GPU-1", "2"))
    assert said == "nobody can say whether others compute on GPU 0"
    assert describe_unlisted(gpus, ("GPU-1", "MIG-7")) == ""
