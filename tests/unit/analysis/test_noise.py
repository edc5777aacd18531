"""What of an A/A run is kept for a machine."""

import pytest

from specbench.analysis.noise import noise_records
from specbench.schema.comparison import (
    ArmNoise,
    Component,
    LaunchNoise,
    NoiseKey,
    SpeedupMetric,
)
from specbench.schema.findings import RunFindings

KEY = NoiseKey("org/small", "vllm", "0.32.0", "1x GPU", "run", "2026-11-30T09:00:00")


def arm_noise(
    arm: str,
    launch: tuple[float, float],
    cell: tuple[float, float] = (1.0, 10.0),
    *,
    target: str = "small",
    context: int = 0,
    metric: SpeedupMetric = SpeedupMetric.THROUGHPUT,
    loads: int = 3,
) -> ArmNoise:
    noise = LaunchNoise(metric, Component(*launch), Component(*cell), 3, loads)
    return ArmNoise(target, "d", context, 0.0, arm, noise)


def findings(*noise: ArmNoise) -> RunFindings:
    return RunFindings(
        cells=(),
        curves=(),
        break_evens=(),
        noise=noise,
        prior=(),
        failed_launches=(),
    )


def test_both_arms_are_pooled_by_their_degrees_of_freedom() -> None:
    found = findings(
        arm_noise("baseline", (1.0, 2.0), (4.0, 6.0)),
        arm_noise("aa", (4.0, 1.0), (1.0, 2.0), loads=5),
    )
    (record,) = noise_records(found, {"small": KEY})
    (noise,) = record.noise
    assert noise.launch.variance == pytest.approx((2 * 1.0 + 1 * 4.0) / 3)
    assert noise.cell.variance == pytest.approx((6 * 4.0 + 2 * 1.0) / 8)
    assert (noise.launch.df, noise.cell.df) == (3.0, 8.0)
    assert (noise.launches, noise.loads) == (3, 5)
    assert (record.target, record.model, record.run_id) == ("small", "org/small", "run")
    assert record.engine_version == "0.32.0"


def test_metrics_and_targets_are_kept_apart_and_conditions_are_not() -> None:
    found = findings(
        arm_noise("baseline", (1.0, 2.0)),
        arm_noise("baseline", (3.0, 2.0), context=512),
        arm_noise("baseline", (7.0, 2.0), metric=SpeedupMetric.TPOT),
        arm_noise("baseline", (9.0, 2.0), target="large"),
    )
    small, large = noise_records(found, {"small": KEY, "large": KEY})
    assert {n.metric: n.launch.variance for n in small.noise} == {
        SpeedupMetric.THROUGHPUT: 2.0,
        SpeedupMetric.TPOT: 7.0,
    }
    assert [n.launch.variance for n in large.noise] == [9.0]


def test_conditions_of_the_same_launches_add_no_degrees_of_freedom() -> None:
    found = findings(
        arm_noise("baseline", (1.0, 2.0)),
        arm_noise("baseline", (3.0, 2.0), context=512),
        arm_noise("aa", (6.0, 2.0)),
        arm_noise("aa", (2.0, 2.0), context=512),
    )
    (record,) = noise_records(found, {"small": KEY})
    (noise,) = record.noise
    assert noise.launch.variance == pytest.approx((2.0 + 4.0) / 2)
    assert noise.launch.df == 4.0
    assert noise.cell.df == 40.0


def test_a_speculating_arm_says_nothing_of_equal_launches() -> None:
    found = findings(arm_noise("eagle", (1.0, 2.0)))
    assert noise_records(found, {"small": KEY}) == ()


def test_variances_without_degrees_of_freedom_are_no_knowledge() -> None:
    found = findings(arm_noise("baseline", (0.0, 0.0)))
    assert noise_records(found, {"small": KEY}) == ()
    one_sided = findings(arm_noise("baseline", (1.0, 2.0), (0.0, 0.0)))
    assert noise_records(one_sided, {"small": KEY}) == ()
