"""Facts about the machine. None = could not be read."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class GpuProcess:
    """A process that holds memory on a GPU."""

    pid: int
    memory_bytes: int | None


@dataclass(frozen=True, slots=True)
class GpuFacts:
    """One GPU as NVML describes it."""

    index: int
    uuid: str
    name: str
    memory_total_bytes: int | None
    memory_used_bytes: int | None
    sm_clock_mhz: int | None
    sm_clock_max_mhz: int | None
    memory_clock_mhz: int | None
    power_limit_w: float | None
    temperature_c: int | None
    throttle_reasons: tuple[str, ...] | None
    """Names of the active ones; empty = none."""
    processes: tuple[GpuProcess, ...] | None
    is_split: bool | None = None
    """Whether its MIG mode is on, so that engines get parts of it."""


@dataclass(frozen=True, slots=True)
class HostFacts:
    """The machine at one moment."""

    hostname: str
    os: str
    kernel: str
    python: str
    cpu_model: str | None
    cpu_count: int | None
    """Logical CPUs that this process may use."""
    memory_bytes: int | None
    load_average_1m: float | None
    gpu_driver: str | None
    gpus: tuple[GpuFacts, ...]
    """Empty when there is none or NVML is not there; `gpu_note` says which."""
    gpu_note: str | None

    @property
    def device(self) -> str:
        """Short name of what computes: the GPUs, else the CPU."""
        if self.gpus:
            names = [gpu.name for gpu in self.gpus]
            if len(set(names)) == 1:
                return f"{len(names)}x {names[0]}"
            return ", ".join(names)
        return self.cpu_model or "unknown CPU"
