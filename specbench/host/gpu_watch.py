"""Reads the engine's GPUs while a cell runs: heat, clocks, power, and who else computes
on them. A reading takes a few milliseconds and never raises; it belongs into a thread
or process that stamps nothing."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

from specbench.clock import monotonic_ns
from specbench.host.nvml import (
    MILLIWATT_PER_WATT,
    Nvml,
    as_text,
    attempt,
    load_nvml,
    read_processes,
    read_slowdowns,
)
from specbench.schema.record import GpuReading
from specbench.schema.snapshot import Phase


@dataclass(slots=True)
class _Device:
    """One GPU that is watched."""

    handle: object
    index: int
    uuid: str | None
    first_pids: frozenset[int] | None = field(default=None)
    """Seen on it at the first reading."""


class GpuWatch:
    """NVML, open for as long as the engine is measured."""

    def __init__(
        self,
        devices: Sequence[str],
        own_pids: Callable[[], frozenset[int]],
        nvml: Nvml = None,
    ) -> None:
        """`devices` are entries of CUDA_VISIBLE_DEVICES: UUIDs, beginnings of them, or
        indices; empty = nothing to watch. `own_pids` gives the processes of the engine
        and of specbench; it must not raise. `nvml` is the pynvml module or a stand-in;
        None loads it."""
        self._own_pids = own_pids
        self._nvml: Nvml = (nvml or load_nvml()) if devices else None
        self._is_open = False
        self._devices: list[_Device] = []
        if self._nvml is not None:
            self._is_open = _succeeds(self._nvml, self._nvml.nvmlInit)
        if self._is_open:
            self._devices = _find_devices(self._nvml, devices)

    def __enter__(self) -> Self:
        """Itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Close it."""
        self.close()

    def read(self, phase: Phase) -> tuple[GpuReading, ...]:
        """One reading of each GPU; none where there is no GPU or no NVML."""
        if not self._devices:
            return ()
        own = self._own_pids()
        return tuple(self._read(device, phase, own) for device in self._devices)

    def close(self) -> None:
        """Let go of NVML; later readings are empty."""
        if self._is_open:
            attempt(self._nvml, self._nvml.nvmlShutdown)
        self._is_open = False
        self._devices = []

    def _read(self, device: _Device, phase: Phase, own: frozenset[int]) -> GpuReading:
        nvml, handle = self._nvml, device.handle
        instant_ns = monotonic_ns()
        memory = attempt(nvml, lambda: nvml.nvmlDeviceGetMemoryInfo(handle))
        power_mw = attempt(nvml, lambda: nvml.nvmlDeviceGetPowerUsage(handle))
        rows = read_processes(nvml, handle)
        pids = None if rows is None else frozenset(row.pid for row in rows)
        foreign = None if pids is None else tell_foreign(pids, own, device.first_pids)
        if device.first_pids is None:
            device.first_pids = pids
        return GpuReading(
            phase=phase,
            instant_ns=instant_ns,
            index=device.index,
            uuid=device.uuid,
            temperature_c=attempt(
                nvml,
                lambda: int(
                    nvml.nvmlDeviceGetTemperature(handle, nvml.NVML_TEMPERATURE_GPU)
                ),
            ),
            sm_clock_mhz=attempt(
                nvml,
                lambda: int(nvml.nvmlDeviceGetClockInfo(handle, nvml.NVML_CLOCK_SM)),
            ),
            power_w=None if power_mw is None else power_mw / MILLIWATT_PER_WATT,
            slowdowns=read_slowdowns(nvml, handle),
            memory_used_bytes=None if memory is None else int(memory.used),
            foreign_pids=foreign,
        )


def tell_foreign(
    pids: frozenset[int], own: frozenset[int], first: frozenset[int] | None
) -> tuple[int, ...] | None:
    """Those of a GPU's `pids` that are not `own`, ascending.

    In a container NVML may give the numbers that the processes have outside, among
    which the engine cannot be found. Then only what was not there at the `first`
    reading is surely a stranger; without one nothing can be said (None).
    """
    if not pids or pids & own:
        return tuple(sorted(pids - own))
    if first is None:
        return None
    return tuple(sorted(pids - first)) or None


def _find_devices(nvml: Nvml, wanted: Sequence[str]) -> list[_Device]:
    """Those of the machine's GPUs that `wanted` names, in the machine's order."""
    count = attempt(nvml, lambda: int(nvml.nvmlDeviceGetCount())) or 0
    found = []
    for index in range(count):
        device = _open_device(nvml, index)
        if device is not None and any(
            entry == str(index) or (device.uuid or "").startswith(entry)
            for entry in wanted
            if entry
        ):
            found.append(device)
    return found


def _open_device(nvml: Nvml, index: int) -> _Device | None:
    handle = attempt(nvml, lambda: nvml.nvmlDeviceGetHandleByIndex(index))
    if handle is None:
        return None
    uuid = attempt(nvml, lambda: as_text(nvml.nvmlDeviceGetUUID(handle)))
    return _Device(handle, index, uuid)


def _succeeds(nvml: Nvml, action: Callable[[], object]) -> bool:
    def run() -> bool:
        action()
        return True

    return attempt(nvml, run) or False
