"""Reads what the machine is and how busy it is: CPU, memory, system, and the GPUs
through a reader that is passed in. What a system does not tell is None."""

import os
import platform
from collections.abc import Callable
from pathlib import Path

from specbench.host.gpu import GpuListing, read_gpus
from specbench.schema.host import HostFacts

_BYTES_PER_KIB = 1024


def read_host(
    gpu_reader: Callable[[], GpuListing] = read_gpus, proc: Path = Path("/proc")
) -> HostFacts:
    """The machine at this moment."""
    gpu = gpu_reader()
    cpu_text = _read_text(proc / "cpuinfo")
    cpus = usable_cpus()
    return HostFacts(
        hostname=platform.node(),
        os=_os_name(),
        kernel=platform.release(),
        python=platform.python_version(),
        cpu_model=find_cpu_model(cpu_text) or platform.processor() or None,
        cpu_count=len(cpus) if cpus else os.cpu_count(),
        memory_bytes=find_memory(_read_text(proc / "meminfo")),
        load_average_1m=_load_average(),
        gpu_driver=gpu.driver,
        gpus=gpu.gpus,
        gpu_note=gpu.note,
    )


def usable_cpus() -> tuple[int, ...]:
    """Numbers of the CPUs that this process may use, ascending; empty where the system
    does not tell (macOS)."""
    if not hasattr(os, "sched_getaffinity"):
        return ()
    return tuple(sorted(os.sched_getaffinity(0)))


def find_cpu_model(cpuinfo: str) -> str | None:
    """The model in a /proc/cpuinfo; None when it does not say (most ARM kernels)."""
    for line in cpuinfo.splitlines():
        key, _, value = line.partition(":")
        if key.strip() in ("model name", "Model") and value.strip():
            return value.strip()
    return None


def find_memory(meminfo: str) -> int | None:
    """Bytes of memory in a /proc/meminfo."""
    for line in meminfo.splitlines():
        fields = line.split()
        if len(fields) == 3 and fields[0] == "MemTotal:" and fields[1].isdecimal():
            return int(fields[1]) * _BYTES_PER_KIB
    return None


def _os_name() -> str:
    try:
        return platform.freedesktop_os_release().get("PRETTY_NAME", platform.system())
    except OSError:
        return platform.system()


def _load_average() -> float | None:
    try:
        return os.getloadavg()[0]
    except (OSError, AttributeError):
        return None


def _read_text(path: Path) -> str:
    try:
        return path.read_text(errors="replace")
    except OSError:
        return ""
