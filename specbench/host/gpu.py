"""Reads the GPUs through NVML (package nvidia-ml-py, module pynvml). Any single reading
may fail on any card or driver; it is then None and the rest stands. Nothing here
changes a GPU."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

from specbench.schema.host import GpuFacts, GpuProcess

T = TypeVar("T")

# NVML has no types; `Any` ends at this module's edge.
Nvml = Any

_SLOWDOWN_NAMES = {
    0x001: "gpu_idle",
    0x002: "applications_clocks_setting",
    0x004: "sw_power_cap",
    0x008: "hw_slowdown",
    0x010: "sync_boost",
    0x020: "sw_thermal_slowdown",
    0x040: "hw_thermal_slowdown",
    0x080: "hw_power_brake_slowdown",
    0x100: "display_clock_setting",
    0x200: "board_limit",
    0x400: "reliability",
}
"""Bits of nvmlClocksEventReason* (called nvmlClocksThrottleReason* before driver 535,
same values), from nvidia-ml-py 13.615.71."""

_MILLIWATT_PER_WATT = 1000


@dataclass(frozen=True, slots=True)
class GpuReading:
    """What NVML told."""

    gpus: tuple[GpuFacts, ...]
    driver: str | None
    note: str | None
    """Why there is no GPU in the list; None when there is one."""


def read_gpus(nvml: Nvml = None) -> GpuReading:
    """All GPUs of the machine, whatever CUDA_VISIBLE_DEVICES says. `nvml` is the pynvml
    module or a stand-in; None loads it."""
    if nvml is None:
        try:
            import pynvml
        except ImportError:
            return _no_gpu("the package nvidia-ml-py is not installed")
        nvml = pynvml
    try:
        nvml.nvmlInit()
    except nvml.NVMLError as error:
        return _no_gpu(f"NVML, NVIDIA's driver library, does not answer: {error}")
    try:
        return _read_all(nvml)
    except nvml.NVMLError as error:
        return _no_gpu(f"NVML does not list the GPUs: {error}")
    finally:
        _attempt(nvml, nvml.nvmlShutdown)


def name_slowdowns(bits: int) -> tuple[str, ...]:
    """Names of the reasons for which clocks are not at their highest. A bit that a
    newer driver has invented keeps its number."""
    return tuple(
        _SLOWDOWN_NAMES.get(1 << place, f"unknown_{1 << place:#x}")
        for place in range(bits.bit_length())
        if bits >> place & 1
    )


def _no_gpu(note: str) -> GpuReading:
    return GpuReading(gpus=(), driver=None, note=note)


def _read_all(nvml: Nvml) -> GpuReading:
    driver = _attempt(nvml, lambda: _as_text(nvml.nvmlSystemGetDriverVersion()))
    gpus = tuple(_read_gpu(nvml, index) for index in range(nvml.nvmlDeviceGetCount()))
    note = None if gpus else "NVML answers, but lists no GPU"
    return GpuReading(gpus=gpus, driver=driver, note=note)


def _read_gpu(nvml: Nvml, index: int) -> GpuFacts:
    device = nvml.nvmlDeviceGetHandleByIndex(index)
    memory = _attempt(nvml, lambda: nvml.nvmlDeviceGetMemoryInfo(device))
    power_mw = _attempt(nvml, lambda: nvml.nvmlDeviceGetEnforcedPowerLimit(device))
    return GpuFacts(
        index=index,
        uuid=_attempt(nvml, lambda: _as_text(nvml.nvmlDeviceGetUUID(device))) or "",
        name=_attempt(nvml, lambda: _as_text(nvml.nvmlDeviceGetName(device)))
        or "unknown GPU",
        memory_total_bytes=None if memory is None else int(memory.total),
        memory_used_bytes=None if memory is None else int(memory.used),
        sm_clock_mhz=_attempt(
            nvml, lambda: int(nvml.nvmlDeviceGetClockInfo(device, nvml.NVML_CLOCK_SM))
        ),
        sm_clock_max_mhz=_attempt(
            nvml,
            lambda: int(nvml.nvmlDeviceGetMaxClockInfo(device, nvml.NVML_CLOCK_SM)),
        ),
        memory_clock_mhz=_attempt(
            nvml, lambda: int(nvml.nvmlDeviceGetClockInfo(device, nvml.NVML_CLOCK_MEM))
        ),
        power_limit_w=None if power_mw is None else power_mw / _MILLIWATT_PER_WATT,
        temperature_c=_attempt(
            nvml,
            lambda: int(
                nvml.nvmlDeviceGetTemperature(device, nvml.NVML_TEMPERATURE_GPU)
            ),
        ),
        throttle_reasons=_read_slowdowns(nvml, device),
        processes=_read_processes(nvml, device),
    )


def _read_slowdowns(nvml: Nvml, device: object) -> tuple[str, ...] | None:
    bits = _first_answer(
        nvml,
        device,
        "nvmlDeviceGetCurrentClocksEventReasons",
        "nvmlDeviceGetCurrentClocksThrottleReasons",
    )
    return None if bits is None else name_slowdowns(int(bits))


def _read_processes(nvml: Nvml, device: object) -> tuple[GpuProcess, ...] | None:
    # The name without a version raises an error of its own on older drivers.
    rows = _first_answer(
        nvml,
        device,
        "nvmlDeviceGetComputeRunningProcesses_v3",
        "nvmlDeviceGetComputeRunningProcesses_v2",
    )
    if rows is None:
        return None
    return tuple(
        GpuProcess(pid=int(row.pid), memory_bytes=row.usedGpuMemory) for row in rows
    )


def _first_answer(nvml: Nvml, device: object, *functions: str) -> Any:
    """What the first function says that this module and this driver have."""
    for name in functions:
        answer = _attempt(nvml, partial(_call, nvml, name, device))
        if answer is not None:
            return answer
    return None


def _call(nvml: Nvml, name: str, device: object) -> Any:
    return getattr(nvml, name)(device)


def _attempt(nvml: Nvml, reading: Callable[[], T]) -> T | None:
    try:
        return reading()
    except (nvml.NVMLError, AttributeError):  # not supported; unknown to this pynvml
        return None


def _as_text(value: str | bytes) -> str:
    return value.decode() if isinstance(value, bytes) else value
