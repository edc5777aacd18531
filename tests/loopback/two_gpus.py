"""A machine with idle GPUs, as far as specbench can tell: a module that stands in for
NVML's, and sweeps that may use all of them at once."""

import os
from collections.abc import Mapping
from pathlib import Path

from tests.loopback.cli import write_sweep

NVML = """
class NVMLError(Exception):
    pass


def nvmlInit(): pass
def nvmlShutdown(): pass
def nvmlDeviceGetCount(): return {count}
def nvmlDeviceGetHandleByIndex(index): return index
def nvmlDeviceGetUUID(device): return f"GPU-{{device}}"
def nvmlDeviceGetName(device): return "NVIDIA H200"
def nvmlDeviceGetComputeRunningProcesses_v3(device): return []
"""


def with_two_gpus(folder: Path) -> Mapping[str, str]:
    """Variables for a process that is to see two of them."""
    return with_fake_gpus(folder, 2)


def with_fake_gpus(folder: Path, count: int) -> Mapping[str, str]:
    """Variables for a process that is to see so many."""
    stand_in = folder / "nvml"
    stand_in.mkdir()
    (stand_in / "pynvml.py").write_text(NVML.format(count=count))
    before = os.environ.get("PYTHONPATH")
    path = os.pathsep.join([str(stand_in), *([before] if before else [])])
    return {
        "PYTHONPATH": path,
        "CUDA_VISIBLE_DEVICES": ",".join(f"GPU-{index}" for index in range(count)),
        "XDG_STATE_HOME": str(folder / "state"),
    }


def write_auto_sweep(folder: Path, executable: Path, changes: str = "") -> None:
    """The small sweep, its launches placed as the machine allows."""
    auto = 'placement = "sequential" -> placement = "auto"'
    write_sweep(folder, executable, f"{auto}\n{changes}")
