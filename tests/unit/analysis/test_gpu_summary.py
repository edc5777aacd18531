"""What the GPUs did at load: idle readings say nothing about clocks."""

from dataclasses import replace

import pytest

from specbench.analysis.cell import summarise_cell
from specbench.analysis.gpu_summary import summarise_gpus
from specbench.schema.record import GpuReading
from specbench.schema.snapshot import Phase
from tests.factories import closed_loop, observations

READING = GpuReading(
    phase=Phase.INSIDE,
    instant_ns=0,
    index=0,
    uuid="GPU-0",
    temperature_c=60,
    sm_clock_mhz=1980,
    power_w=600.0,
    slowdowns=(),
    memory_used_bytes=1,
    foreign_pids=(),
)
SILENT = replace(
    READING,
    temperature_c=None,
    sm_clock_mhz=None,
    power_w=None,
    slowdowns=None,
    foreign_pids=None,
)


def at(second: int, **changes: object) -> GpuReading:
    return replace(READING, instant_ns=second, **changes)  # type: ignore[arg-type]


def test_a_cell_without_a_gpu_reading_has_none_and_a_reason() -> None:
    stats = summarise_cell(observations(closed_loop([[100, 200, 300]])))
    assert stats.gpu is None
    assert stats.missing["gpu"] == "no GPU was read in this cell"


def test_readings_reach_the_summary_and_the_verdict() -> None:
    hot = at(1, slowdowns=("hw_thermal_slowdown",))
    seen = observations(closed_loop([[100, 200, 300]]), gpu=(hot,))
    stats = summarise_cell(seen)
    assert stats.gpu is not None
    assert "thermal-slowdown" in {f.code for f in stats.findings}
    assert stats.is_void


def test_clocks_and_slowdowns_of_an_idle_gpu_do_not_count() -> None:
    summary = summarise_gpus(
        [
            at(0, phase=Phase.BEFORE, sm_clock_mhz=345, slowdowns=("gpu_idle",)),
            at(1, sm_clock_mhz=2000, slowdowns=("sw_power_cap",)),
            at(2, sm_clock_mhz=1500, temperature_c=82),
            at(3, phase=Phase.AFTER, sm_clock_mhz=345, temperature_c=90),
        ]
    )
    assert summary is not None
    assert summary.clock_ratio == pytest.approx(0.75)
    assert summary.slowdowns == ("sw_power_cap",)
    assert summary.temperature_max_c == 82


def test_another_process_counts_also_before_and_after() -> None:
    summary = summarise_gpus(
        [
            at(0, phase=Phase.BEFORE, foreign_pids=(7,)),
            at(1, foreign_pids=(7, 9)),
            at(2, phase=Phase.AFTER, foreign_pids=None),
        ]
    )
    assert summary is not None
    assert summary.foreign_pids == (7, 9)


def test_the_clock_is_of_the_gpu_that_fell_most_and_power_of_all() -> None:
    summary = summarise_gpus(
        [
            at(2, index=1, sm_clock_mhz=1000, power_w=300.0),
            at(1, index=0, sm_clock_mhz=2000, power_w=500.0),
            at(1, index=1, sm_clock_mhz=2000, power_w=100.0),
            at(2, index=0, sm_clock_mhz=1900, power_w=700.0),
        ]
    )
    assert summary is not None
    assert summary.clock_ratio == pytest.approx(0.5)
    assert summary.power_mean_w == pytest.approx(600.0 + 200.0)


def test_one_reading_is_no_course_of_the_clock() -> None:
    summary = summarise_gpus([READING])
    assert summary is not None
    assert summary.clock_ratio is None


def test_what_nvml_does_not_say_is_unknown_and_not_calm() -> None:
    summary = summarise_gpus([SILENT, replace(SILENT, instant_ns=1)])
    assert summary is not None
    assert summary.slowdowns is None
    assert summary.foreign_pids is None
    assert (summary.clock_ratio, summary.power_mean_w) == (None, None)
    part = summarise_gpus([READING, replace(SILENT, index=1)])
    assert part is not None
    assert part.power_mean_w is None
