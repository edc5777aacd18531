"""Whether the GPUs ran at their usual pace and were the engine's own."""

from dataclasses import replace

import pytest

from specbench.analysis.rules.gpu import (
    SLOWDOWNS,
    clock_fell,
    gpu_shared,
    thermal_slowdown,
)
from specbench.schema.findings import GpuSummary
from tests.factories import cell_stats
from tests.unit.analysis.rules.verdicts import BASE, verdict

CALM = GpuSummary(
    temperature_max_c=71,
    power_mean_w=650.0,
    clock_ratio=1.0,
    slowdowns=("sw_power_cap",),
    foreign_pids=(),
)
SILENT = GpuSummary(None, None, None, None, None)


@pytest.mark.parametrize("gpu", [None, SILENT, CALM])
def test_a_gpu_at_its_power_limit_or_none_at_all_is_no_finding(
    gpu: GpuSummary | None,
) -> None:
    for rule in (thermal_slowdown, gpu_shared, clock_fell):
        assert verdict(rule, gpu=gpu) is None


@pytest.mark.parametrize("reason", SLOWDOWNS)
def test_heat_or_a_failing_supply_voids(reason: str) -> None:
    hot = replace(CALM, slowdowns=("sw_power_cap", reason))
    assert verdict(thermal_slowdown, gpu=hot) == "void thermal-slowdown"
    found = thermal_slowdown(cell_stats(gpu=hot), BASE)
    assert found is not None
    assert reason in found.message
    assert "71 degrees" in found.message
    assert "sw_power_cap" not in found.message


def test_the_reasons_are_names_that_nvml_gives() -> None:
    from specbench.host.nvml import name_slowdowns

    assert set(SLOWDOWNS) <= set(name_slowdowns((1 << 11) - 1))


def test_another_process_voids_and_is_named() -> None:
    shared = replace(CALM, foreign_pids=(42, 99))
    assert verdict(gpu_shared, gpu=shared) == "void gpu-in-use"
    found = gpu_shared(cell_stats(gpu=shared), BASE)
    assert found is not None
    assert "42, 99" in found.message


@pytest.mark.parametrize(
    ("ratio", "expected"), [(1.2, None), (0.9, None), (0.89, "flag clock-fell")]
)
def test_a_clock_that_ends_over_a_tenth_lower_is_flagged(
    ratio: float, expected: str | None
) -> None:
    assert verdict(clock_fell, gpu=replace(CALM, clock_ratio=ratio)) == expected
