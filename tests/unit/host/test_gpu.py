"""GPU facts from a stand-in for NVML, with the names of nvidia-ml-py 13.615.71."""

from types import SimpleNamespace

import pytest

from specbench.host.gpu import read_gpus
from specbench.host.nvml import name_slowdowns
from specbench.schema.host import GpuFacts, GpuProcess


class FakeError(Exception):
    """Stands in for pynvml.NVMLError."""


def fail(*_: object) -> None:
    raise FakeError("Not Supported")


def make_nvml(**changes: object) -> SimpleNamespace:
    """A machine with two idle GPUs, changed as asked."""
    functions: dict[str, object] = {
        "NVMLError": FakeError,
        "NVML_CLOCK_SM": "sm",
        "NVML_CLOCK_MEM": "mem",
        "NVML_TEMPERATURE_GPU": "gpu",
        "nvmlInit": lambda: None,
        "nvmlShutdown": lambda: None,
        "nvmlSystemGetDriverVersion": lambda: "570.10",
        "nvmlDeviceGetCount": lambda: 2,
        "nvmlDeviceGetHandleByIndex": lambda index: index,
        "nvmlDeviceGetUUID": lambda device: f"GPU-{device}",
        "nvmlDeviceGetName": lambda _: "NVIDIA H200",
        "nvmlDeviceGetMemoryInfo": lambda _: SimpleNamespace(total=150, used=7),
        "nvmlDeviceGetClockInfo": lambda _, kind: {"sm": 345, "mem": 3201}[kind],
        "nvmlDeviceGetMaxClockInfo": lambda _, kind: {"sm": 1980}[kind],
        "nvmlDeviceGetEnforcedPowerLimit": lambda _: 700_000,
        "nvmlDeviceGetTemperature": lambda _, sensor: {"gpu": 31}[sensor],
        "nvmlDeviceGetCurrentClocksEventReasons": lambda _: 0x1,
        "nvmlDeviceGetCurrentClocksThrottleReasons": lambda _: 0x1,
        "nvmlDeviceGetComputeRunningProcesses_v3": lambda _: [
            SimpleNamespace(pid=42, usedGpuMemory=5),
            SimpleNamespace(pid=43, usedGpuMemory=None),
        ],
        "nvmlDeviceGetComputeRunningProcesses_v2": lambda _: [],
    }
    return SimpleNamespace(**{**functions, **changes})


def read_first(**changes: object) -> GpuFacts:
    return read_gpus(make_nvml(**changes)).gpus[0]


def test_all_gpus_are_read_with_their_units() -> None:
    reading = read_gpus(make_nvml())
    assert reading.driver == "570.10"
    assert reading.note is None
    assert [gpu.uuid for gpu in reading.gpus] == ["GPU-0", "GPU-1"]
    assert reading.gpus[0] == GpuFacts(
        index=0,
        uuid="GPU-0",
        name="NVIDIA H200",
        memory_total_bytes=150,
        memory_used_bytes=7,
        sm_clock_mhz=345,
        sm_clock_max_mhz=1980,
        memory_clock_mhz=3201,
        power_limit_w=700.0,
        temperature_c=31,
        throttle_reasons=("gpu_idle",),
        processes=(GpuProcess(42, 5), GpuProcess(43, None)),
    )


@pytest.mark.parametrize(
    ("function", "field"),
    [
        ("nvmlDeviceGetMemoryInfo", "memory_total_bytes"),
        ("nvmlDeviceGetMemoryInfo", "memory_used_bytes"),
        ("nvmlDeviceGetClockInfo", "sm_clock_mhz"),
        ("nvmlDeviceGetClockInfo", "memory_clock_mhz"),
        ("nvmlDeviceGetMaxClockInfo", "sm_clock_max_mhz"),
        ("nvmlDeviceGetEnforcedPowerLimit", "power_limit_w"),
        ("nvmlDeviceGetTemperature", "temperature_c"),
    ],
)
def test_reading_that_fails_is_none_and_the_rest_stands(
    function: str, field: str
) -> None:
    gpu = read_first(**{function: fail})
    assert getattr(gpu, field) is None
    assert gpu.name == "NVIDIA H200"
    assert gpu.processes is not None


def test_missing_process_list_is_not_an_empty_one() -> None:
    name = "nvmlDeviceGetComputeRunningProcesses"
    gpu = read_first(**{f"{name}_v3": fail, f"{name}_v2": fail})
    assert gpu.processes is None


def test_older_driver_and_older_module_answer_through_the_older_names() -> None:
    nvml = make_nvml(nvmlDeviceGetComputeRunningProcesses_v3=fail)
    del nvml.nvmlDeviceGetCurrentClocksEventReasons
    gpu = read_gpus(nvml).gpus[0]
    assert gpu.throttle_reasons == ("gpu_idle",)
    assert gpu.processes == ()


def test_names_may_come_as_bytes() -> None:
    gpu = read_first(nvmlDeviceGetName=lambda _: b"Tesla T4")
    assert gpu.name == "Tesla T4"


@pytest.mark.parametrize(
    ("bits", "names"),
    [
        (0, ()),
        (0x20 | 0x40, ("sw_thermal_slowdown", "hw_thermal_slowdown")),
        (0x4 | 1 << 40, ("sw_power_cap", "unknown_0x10000000000")),
    ],
)
def test_slowdowns_are_named_bit_by_bit(bits: int, names: tuple[str, ...]) -> None:
    assert name_slowdowns(bits) == names


@pytest.mark.parametrize(
    ("changes", "note"),
    [
        ({"nvmlInit": fail}, "does not answer: Not Supported"),
        ({"nvmlDeviceGetCount": fail}, "does not list the GPUs: Not Supported"),
        ({"nvmlDeviceGetHandleByIndex": fail}, "does not list the GPUs"),
        ({"nvmlDeviceGetCount": lambda: 0}, "lists no GPU"),
    ],
)
def test_no_gpu_comes_with_its_reason(changes: dict[str, object], note: str) -> None:
    reading = read_gpus(make_nvml(**changes))
    assert reading.gpus == ()
    assert note in (reading.note or "")


def test_nvml_is_shut_down_also_after_a_failure() -> None:
    shut_down: list[bool] = []
    read_gpus(
        make_nvml(nvmlDeviceGetCount=fail, nvmlShutdown=lambda: shut_down.append(True))
    )
    assert shut_down == [True]


@pytest.mark.gpu
def test_real_nvml_gives_names_and_memory() -> None:
    reading = read_gpus()
    if not reading.gpus:
        pytest.skip(reading.note or "no GPU")
    assert all(gpu.uuid.startswith("GPU-") for gpu in reading.gpus)
    assert all((gpu.memory_total_bytes or 0) > 0 for gpu in reading.gpus)


def test_machine_of_this_test_gives_gpus_or_a_reason() -> None:
    reading = read_gpus()
    assert bool(reading.gpus) == (reading.note is None)


def test_a_gpu_whose_mig_mode_is_on_is_split() -> None:
    def mode(current: int) -> object:
        return lambda _: [current, 1]

    enabled = {"NVML_DEVICE_MIG_ENABLE": 1}
    assert read_first(nvmlDeviceGetMigMode=mode(1), **enabled).is_split is True
    assert read_first(nvmlDeviceGetMigMode=mode(0), **enabled).is_split is False
    assert read_first(nvmlDeviceGetMigMode=fail, **enabled).is_split is None
