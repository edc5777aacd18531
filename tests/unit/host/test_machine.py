"""Facts about the machine. Excerpts of /proc/cpuinfo as Linux 6 writes it on x86, on
an ARM server (which does not name its model) and on a Raspberry Pi."""

import os
from pathlib import Path

import pytest

from specbench.host.gpu import GpuListing
from specbench.host.machine import find_cpu_model, find_memory, read_host, usable_cpus

X86 = (
    "processor\t: 0\nmodel\t\t: 143\n"
    "model name\t: Intel(R) Xeon(R) Platinum 8480+\nstepping\t: 8\n\n"
    "processor\t: 1\nmodel name\t: another one\n"
)
ARM = "processor\t: 0\nBogoMIPS\t: 2000.00\nCPU part\t: 0xd4f\n"
PI = "processor\t: 0\n\nRevision\t: c03114\nModel\t\t: Raspberry Pi 4 Model B\n"
MEMORY = "MemTotal:       16384256 kB\nMemFree:         1024000 kB\n"


def no_gpu() -> GpuListing:
    return GpuListing(gpus=(), driver=None, note="there is none")


@pytest.mark.parametrize(
    ("text", "model"),
    [
        (X86, "Intel(R) Xeon(R) Platinum 8480+"),
        (PI, "Raspberry Pi 4 Model B"),
        (ARM, None),
        ("", None),
        ("model name\t:\n", None),
    ],
)
def test_cpu_model_is_the_first_that_is_named(text: str, model: str | None) -> None:
    assert find_cpu_model(text) == model


@pytest.mark.parametrize(
    ("text", "size"),
    [(MEMORY, 16384256 * 1024), ("", None), ("MemTotal: many kB\n", None)],
)
def test_memory_is_in_bytes(text: str, size: int | None) -> None:
    assert find_memory(text) == size


def test_host_takes_what_the_files_and_the_gpu_reader_tell(tmp_path: Path) -> None:
    (tmp_path / "cpuinfo").write_text(X86)
    (tmp_path / "meminfo").write_text(MEMORY)
    host = read_host(no_gpu, tmp_path)
    assert host.device == "Intel(R) Xeon(R) Platinum 8480+"
    assert host.memory_bytes == 16384256 * 1024
    assert host.gpu_note == "there is none"
    assert host.cpu_count == len(os.sched_getaffinity(0))


def test_what_cannot_be_read_is_none(tmp_path: Path) -> None:
    host = read_host(no_gpu, tmp_path)
    assert host.memory_bytes is None
    assert host.python.startswith("3.")


def test_usable_cpus_ascend() -> None:
    cpus = usable_cpus()
    assert list(cpus) == sorted(os.sched_getaffinity(0))
