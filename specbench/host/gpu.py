"""Reads the GPUs through NVML (package nvidia-ml-py, module pynvml). Any single reading
may fail on any card or driver; it is then None and the rest stands. Nothing here
changes a GPU."""

from dataclasses import dataclass

from specbench.host.nvml import (
    MILLIWATT_PER_WATT,
    Nvml,
    as_text,
    attempt,
    load_nvml,
    read_processes,
    read_slowdowns,
)
from specbench.schema.host import GpuFacts


@dataclass(frozen=True, slots=True)
class GpuListing:
    """What NVML told."""

    gpus: tuple[GpuFacts, ...]
    driver: str | None
    note: str | None
    """Why there is no GPU in the list; None when there is one."""


def read_gpus(nvml: Nvml = None) -> GpuListing:
    """All GPUs of the machine, whatever CUDA_VISIBLE_DEVICES says. `nvml` is the pynvml
    module or a stand-in; None loads it."""
    nvml = nvml or load_nvml()
    if nvml is None:
        return _no_gpu("the package nvidia-ml-py is not installed")
    try:
        nvml.nvmlInit()
    except nvml.NVMLError as error:
        return _no_gpu(f"NVML, NVIDIA's driver library, does not answer: {error}")
    try:
        return _read_all(nvml)
    except nvml.NVMLError as error:
        return _no_gpu(f"NVML does not list the GPUs: {error}")
    finally:
        attempt(nvml, nvml.nvmlShutdown)


def _no_gpu(note: str) -> GpuListing:
    return GpuListing(gpus=(), driver=None, note=note)


def _read_all(nvml: Nvml) -> GpuListing:
    driver = attempt(nvml, lambda: as_text(nvml.nvmlSystemGetDriverVersion()))
    gpus = tuple(_read_gpu(nvml, index) for index in range(nvml.nvmlDeviceGetCount()))
    note = None if gpus else "NVML answers, but lists no GPU"
    return GpuListing(gpus=gpus, driver=driver, note=note)


def _read_gpu(nvml: Nvml, index: int) -> GpuFacts:
    device = nvml.nvmlDeviceGetHandleByIndex(index)
    memory = attempt(nvml, lambda: nvml.nvmlDeviceGetMemoryInfo(device))
    power_mw = attempt(nvml, lambda: nvml.nvmlDeviceGetEnforcedPowerLimit(device))
    return GpuFacts(
        index=index,
        uuid=attempt(nvml, lambda: as_text(nvml.nvmlDeviceGetUUID(device))) or "",
        name=attempt(nvml, lambda: as_text(nvml.nvmlDeviceGetName(device)))
        or "unknown GPU",
        memory_total_bytes=None if memory is None else int(memory.total),
        memory_used_bytes=None if memory is None else int(memory.used),
        sm_clock_mhz=attempt(
            nvml, lambda: int(nvml.nvmlDeviceGetClockInfo(device, nvml.NVML_CLOCK_SM))
        ),
        sm_clock_max_mhz=attempt(
            nvml,
            lambda: int(nvml.nvmlDeviceGetMaxClockInfo(device, nvml.NVML_CLOCK_SM)),
        ),
        memory_clock_mhz=attempt(
            nvml, lambda: int(nvml.nvmlDeviceGetClockInfo(device, nvml.NVML_CLOCK_MEM))
        ),
        power_limit_w=None if power_mw is None else power_mw / MILLIWATT_PER_WATT,
        temperature_c=attempt(
            nvml,
            lambda: int(
                nvml.nvmlDeviceGetTemperature(device, nvml.NVML_TEMPERATURE_GPU)
            ),
        ),
        throttle_reasons=read_slowdowns(nvml, device),
        processes=read_processes(nvml, device),
        is_split=attempt(
            nvml,
            lambda: nvml.nvmlDeviceGetMigMode(device)[0] == nvml.NVML_DEVICE_MIG_ENABLE,
        ),
    )
