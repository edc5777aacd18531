"""What all readers of NVML share (package nvidia-ml-py, module pynvml): single
questions that any card or driver may refuse, and the names of its numbers."""

from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

from specbench.schema.host import GpuProcess

T = TypeVar("T")

# NVML has no types; `Any` ends at this package's edge.
Nvml = Any

MILLIWATT_PER_WATT = 1000

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


def load_nvml() -> Nvml:
    """The module; None where it is not installed."""
    try:
        import pynvml
    except ImportError:
        return None
    return pynvml


def name_slowdowns(bits: int) -> tuple[str, ...]:
    """Names of the reasons for which clocks are not at their highest. A bit that a
    newer driver has invented keeps its number."""
    return tuple(
        _SLOWDOWN_NAMES.get(1 << place, f"unknown_{1 << place:#x}")
        for place in range(bits.bit_length())
        if bits >> place & 1
    )


def read_slowdowns(nvml: Nvml, device: object) -> tuple[str, ...] | None:
    """Why clocks are not at their highest; None = it does not say."""
    bits = _first_answer(
        nvml,
        device,
        "nvmlDeviceGetCurrentClocksEventReasons",
        "nvmlDeviceGetCurrentClocksThrottleReasons",
    )
    return None if bits is None else name_slowdowns(int(bits))


def read_processes(nvml: Nvml, device: object) -> tuple[GpuProcess, ...] | None:
    """Processes that compute on it; None = they cannot be listed."""
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
        answer = attempt(nvml, partial(_call, nvml, name, device))
        if answer is not None:
            return answer
    return None


def _call(nvml: Nvml, name: str, device: object) -> Any:
    return getattr(nvml, name)(device)


def attempt(nvml: Nvml, reading: Callable[[], T]) -> T | None:
    """What one question brings; None where it is refused or unknown."""
    try:
        return reading()
    except (nvml.NVMLError, AttributeError):  # not supported; unknown to this pynvml
        return None


def as_text(value: str | bytes) -> str:
    """Older modules answer with bytes."""
    return value.decode() if isinstance(value, bytes) else value
