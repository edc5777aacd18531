"""The published files, read twice: by the product, and by a plain reader here whose
ratios the product's answers are held against."""

import csv
import math
import statistics
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from specbench.analysis.point_answers import conclude_points
from specbench.schema.comparison import SpeedupMetric
from specbench.schema.point import PointAnswer, PointFindings
from specbench.store.points_file import read_points

FOLDER = Path(__file__).parents[2] / "published"
GPU_POINTS = FOLDER / "gpu-points.csv"
PAPERS = FOLDER / "papers.csv"
FORMATS = (
    ("fp16", "fp16"),
    ("fp16", "fp8"),
    ("w4a16", "fp16"),
    ("w4a16", "fp8"),
)
"""Weights and KV cache of the rows in triplicate."""

Fields = dict[str, str]


@cache
def conclusions(path: Path) -> PointFindings:
    """What the product makes of a file."""
    return conclude_points(read_points(path))


@cache
def rows(path: Path) -> tuple[Fields, ...]:
    """A file as it stands there."""
    with path.open(encoding="utf-8", newline="") as file:
        return tuple(csv.DictReader(file))


def chosen(path: Path, **wanted: str) -> list[Fields]:
    """Rows whose fields are these."""
    return [
        row
        for row in rows(path)
        if all(row[name] == value for name, value in wanted.items())
    ]


def throughput_ratios(**wanted: str) -> dict[int, float]:
    """Geometric mean of an arm's throughputs over that of the baseline's, by load; the
    rows that are wanted hold one arm and its baseline."""
    logs: dict[tuple[bool, int], list[float]] = {}
    for row in chosen(GPU_POINTS, **wanted):
        key = (row["drafter"] == "none", int(row["concurrency"]))
        logs.setdefault(key, []).append(math.log(float(row["output_tok_s"])))
    loads = sorted({load for _, load in logs})
    return {
        load: math.exp(
            statistics.fmean(logs[False, load]) - statistics.fmean(logs[True, load])
        )
        for load in loads
    }


def bracket(ratios: dict[int, float]) -> tuple[int, int]:
    """The loads between which a ratio falls under 1, once and for all."""
    loads = sorted(ratios)
    last = max(load for load in loads if ratios[load] >= 1)
    first = min(load for load in loads if ratios[load] < 1)
    assert loads.index(first) == loads.index(last) + 1
    return last, first


def found(
    answers: Sequence[PointAnswer],
    metric: SpeedupMetric = SpeedupMetric.THROUGHPUT,
    **wanted: object,
) -> PointAnswer:
    """The one answer whose setting and arm are these; `arm` is the arm's name."""
    arm = wanted.pop("arm", None)
    (one,) = [
        answer
        for answer in answers
        if answer.break_even.curve.metric is metric
        and arm in (None, answer.arm.name)
        and all(getattr(answer.setting, k) == v for k, v in wanted.items())
    ]
    return one
