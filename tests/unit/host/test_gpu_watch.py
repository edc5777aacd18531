"""Readings of GPUs beside a cell, from a stand-in for NVML."""

from collections.abc import Sequence
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specbench.host.gpu_watch import GpuWatch, tell_foreign
from specbench.schema.record import GpuReading
from specbench.schema.snapshot import Phase
from tests.unit.host.test_gpu import fail, make_nvml

OWN = frozenset({42})


def watch(
    nvml: SimpleNamespace,
    devices: Sequence[str] = ("GPU-0",),
    own: frozenset[int] = OWN,
) -> GpuWatch:
    return GpuWatch(devices, lambda: own, nvml)


def nvml_with(**changes: object) -> SimpleNamespace:
    return make_nvml(**{"nvmlDeviceGetPowerUsage": lambda _: 651_000, **changes})


def processes(*pids: int) -> object:
    rows = [SimpleNamespace(pid=pid, usedGpuMemory=None) for pid in pids]
    return lambda _: rows


def test_a_reading_has_its_phase_units_and_strangers() -> None:
    (reading,) = watch(nvml_with()).read(Phase.INSIDE)
    assert reading.instant_ns > 0
    assert reading == GpuReading(
        phase=Phase.INSIDE,
        instant_ns=reading.instant_ns,
        index=0,
        uuid="GPU-0",
        temperature_c=31,
        sm_clock_mhz=345,
        power_w=651.0,
        slowdowns=("gpu_idle",),
        memory_used_bytes=7,
        foreign_pids=(43,),
    )


@pytest.mark.parametrize(
    ("devices", "found"),
    [
        (["GPU-1"], [1]),
        (["1"], [1]),
        (["GPU-1", "GPU-0"], [0, 1]),
        (["GPU-"], [0, 1]),
        (["GPU-7"], []),
        ([], []),
        ([""], []),
    ],
)
def test_the_engines_gpus_are_found_by_uuid_its_beginning_or_index(
    devices: list[str], found: list[int]
) -> None:
    readings = watch(nvml_with(), devices).read(Phase.BEFORE)
    assert [reading.index for reading in readings] == found


@pytest.mark.parametrize(
    ("function", "field"),
    [
        ("nvmlDeviceGetTemperature", "temperature_c"),
        ("nvmlDeviceGetClockInfo", "sm_clock_mhz"),
        ("nvmlDeviceGetPowerUsage", "power_w"),
        ("nvmlDeviceGetMemoryInfo", "memory_used_bytes"),
    ],
)
def test_what_fails_is_none_and_the_rest_stands(function: str, field: str) -> None:
    (reading,) = watch(nvml_with(**{function: fail})).read(Phase.INSIDE)
    assert getattr(reading, field) is None
    assert reading.foreign_pids == (43,)


def test_a_driver_that_names_no_reason_and_no_process_gives_none() -> None:
    silent = nvml_with(
        nvmlDeviceGetCurrentClocksEventReasons=fail,
        nvmlDeviceGetCurrentClocksThrottleReasons=fail,
        nvmlDeviceGetComputeRunningProcesses_v3=fail,
        nvmlDeviceGetComputeRunningProcesses_v2=fail,
    )
    (reading,) = watch(silent).read(Phase.INSIDE)
    assert (reading.slowdowns, reading.foreign_pids) == (None, None)


def test_a_gpu_without_a_uuid_is_still_found_by_its_index() -> None:
    (reading,) = watch(nvml_with(nvmlDeviceGetUUID=fail), ["0"]).read(Phase.INSIDE)
    assert (reading.index, reading.uuid) == (0, None)


@pytest.mark.parametrize(
    "changes",
    [
        {"nvmlInit": fail},
        {"nvmlDeviceGetCount": fail},
        {"nvmlDeviceGetHandleByIndex": fail},
    ],
)
def test_without_nvml_there_is_no_reading_and_no_error(
    changes: dict[str, object],
) -> None:
    with watch(nvml_with(**changes)) as seen:
        assert seen.read(Phase.INSIDE) == ()


def test_without_devices_nvml_is_not_even_opened() -> None:
    opened: list[bool] = []
    nvml = nvml_with(nvmlInit=lambda: opened.append(True))
    assert watch(nvml, []).read(Phase.INSIDE) == ()
    assert opened == []


def test_nvml_is_closed_once_and_gives_nothing_afterwards() -> None:
    closed: list[bool] = []
    seen = watch(nvml_with(nvmlShutdown=lambda: closed.append(True)))
    with seen:
        pass
    seen.close()
    assert closed == [True]
    assert seen.read(Phase.INSIDE) == ()


def test_in_a_container_only_newcomers_are_told_from_the_engine() -> None:
    # the engine's processes have other numbers outside; nothing matches
    nvml = nvml_with(nvmlDeviceGetComputeRunningProcesses_v3=processes(900, 901))
    seen = watch(nvml, own=frozenset({12, 13}))
    assert seen.read(Phase.BEFORE)[0].foreign_pids is None
    assert seen.read(Phase.INSIDE)[0].foreign_pids is None
    nvml.nvmlDeviceGetComputeRunningProcesses_v3 = processes(900, 901, 950)
    assert seen.read(Phase.INSIDE)[0].foreign_pids == (950,)


PIDS = st.frozensets(st.integers(1, 30), max_size=6)


@given(PIDS, PIDS, st.none() | PIDS)
def test_an_own_process_is_never_a_stranger(
    pids: frozenset[int], own: frozenset[int], first: frozenset[int] | None
) -> None:
    strangers = tell_foreign(pids, own, first)
    if strangers is not None:
        assert not set(strangers) & own
        assert set(strangers) <= pids
    if not pids:
        assert strangers == ()


@pytest.mark.gpu
def test_a_real_gpu_is_read() -> None:
    with GpuWatch(["0"], frozenset) as seen:
        readings = seen.read(Phase.INSIDE)
    if not readings:
        pytest.skip("no GPU")
    assert readings[0].temperature_c is not None
