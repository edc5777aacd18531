"""Points for tests, from rows in words."""

from dataclasses import replace

from specbench.schema.comparison import SpeedupMetric
from specbench.schema.point import (
    BASELINE_ARM,
    Point,
    PointArm,
    PointForm,
    PointTable,
    Setting,
)

SETTING = Setting(
    source="a report",
    gpu="A100",
    engine="vllm",
    engine_version="0.32.0",
    model="target",
    weights="bf16",
    kv_cache="",
    dataset="questions",
    context=1024,
    note="",
)
EAGLE = PointArm(drafter="eagle3", k="3", label="")


def throughputs(
    arm: PointArm,
    by_load: dict[int, float],
    replicate: int = 0,
    setting: Setting = SETTING,
) -> list[Point]:
    """Points of one arm in one replicate."""
    return [
        Point(setting, arm, load, replicate, {SpeedupMetric.THROUGHPUT: value})
        for load, value in by_load.items()
    ]


def tpots(points: list[Point], values: list[float]) -> list[Point]:
    """The same points with a median TPOT in ms."""
    return [
        replace(point, figures={**point.figures, SpeedupMetric.TPOT: value})
        for point, value in zip(points, values, strict=True)
    ]


def table(*groups: list[Point], form: PointForm = PointForm.MEASURED) -> PointTable:
    """A file of them."""
    return PointTable("points.csv", form, tuple(p for group in groups for p in group))


def paired(
    by_load: dict[int, float], replicate: int = 0, setting: Setting = SETTING
) -> list[Point]:
    """An arm with these speedups over a baseline of 100 tokens/s."""
    return [
        *throughputs(BASELINE_ARM, dict.fromkeys(by_load, 100.0), replicate, setting),
        *throughputs(
            EAGLE, {k: 100 * v for k, v in by_load.items()}, replicate, setting
        ),
    ]
