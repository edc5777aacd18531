"""The noise floor in words: how much equal launches differ in this run, and what A/A
runs of this machine found. Standard deviations of log figures, in percent."""

from collections.abc import Sequence
from dataclasses import dataclass

from specbench.report import words
from specbench.report.naming import name_conditions
from specbench.schema.cell import Condition
from specbench.schema.comparison import (
    CLOSED_LOOP,
    OPEN_LOOP,
    ArmNoise,
    LaunchNoise,
    NoiseRecord,
    SpeedupMetric,
)
from specbench.schema.findings import RunFindings

NOISE_NOTE = (
    "launch / cell: standard deviation in percent of what all cells of a launch share,"
    " and of the cells beyond that. No comparison of few launches can go below it."
)
NO_NOISE = (
    "Launch noise is not known: it takes two launches of an arm or more, and two loads,"
    " with cells that are not void."
)


@dataclass(frozen=True, slots=True)
class NoiseRow:
    """One arm under one condition."""

    condition: str
    arm: str
    deviations: dict[SpeedupMetric, str]
    """`0.31 / 0.52`: launch / cell."""
    launches: int
    loads: int


def noise_rows(findings: RunFindings) -> tuple[NoiseRow, ...]:
    """Launch noise of this run, in the order in which the analysis found it."""
    naming = name_conditions(findings)
    arms: dict[tuple[Condition, str], list[ArmNoise]] = {}
    for one in findings.noise:
        place = Condition(one.target, one.dataset, one.context, one.temperature, 0)
        arms.setdefault((place, one.arm), []).append(one)
    return tuple(
        NoiseRow(
            condition=naming.condition(condition),
            arm=arm,
            deviations={one.noise.metric: _deviations(one.noise) for one in found},
            launches=max(one.noise.launches for one in found),
            loads=max(one.noise.loads for one in found),
        )
        for (condition, arm), found in arms.items()
    )


def noise_metrics(rows: Sequence[NoiseRow]) -> tuple[SpeedupMetric, ...]:
    """What these rows can have noise of: an open loop is compared by other metrics
    than a closed one."""
    found = {metric for row in rows for metric in row.deviations}
    if found <= set(CLOSED_LOOP):
        return CLOSED_LOOP
    return tuple(metric for metric in OPEN_LOOP if metric in found)


def prior_lines(findings: RunFindings) -> tuple[str, ...]:
    """A line for each A/A run whose launch noise is known."""
    return tuple(map(_prior_line, findings.prior))


def _prior_line(record: NoiseRecord) -> str:
    engine = " ".join(filter(None, (record.engine, record.engine_version)))
    return (
        f"A/A run of {words.day(record.measured_utc)} ({record.run_id}):"
        f" {record.target} on {engine}, {record.device}: {_metrics(record.noise)}"
    )


def _metrics(noise: Sequence[LaunchNoise]) -> str:
    if not noise:
        return "no launch noise was found"
    parts = [f"{words.metric(one.metric)} {_deviations(one)} %" for one in noise]
    launches = words.counted(max(n.launches for n in noise), "launch", "launches")
    loads = words.counted(max(n.loads for n in noise), "load")
    return f"launch / cell {words.listed(parts)} ({launches}, {loads})"


def _deviations(noise: LaunchNoise) -> str:
    launch, cell = (words.deviation(c.variance) for c in (noise.launch, noise.cell))
    return f"{launch} / {cell}"
