"""The curves of a speedup panel: one an arm and metric, with colour and answer."""

from collections.abc import Sequence
from dataclasses import dataclass

from specbench.report import words
from specbench.report.answer_words import outcome_in_short
from specbench.report.blocks import Block
from specbench.report.facts import RunFacts
from specbench.schema.comparison import (
    Axis,
    BreakEven,
    BreakEvenOutcome,
    Crossing,
    Side,
    SpeedupMetric,
)
from specbench.schema.estimate import Estimate
from specbench.schema.findings import RunFindings

SHORT_METRICS = {
    SpeedupMetric.THROUGHPUT: "throughput",
    SpeedupMetric.TPOT: "TPOT",
    SpeedupMetric.TPOT_P95: "p95 TPOT",
    SpeedupMetric.E2E: "end-to-end",
    SpeedupMetric.E2E_P95: "p95 end-to-end",
    SpeedupMetric.TTFT: "TTFT",
    SpeedupMetric.GOODPUT: "goodput",
}


@dataclass(frozen=True, slots=True)
class Series:
    """One curve of a panel."""

    arm: str
    loads: tuple[float, ...]
    values: tuple[Estimate, ...]
    sides: tuple[Side, ...]
    metric: SpeedupMetric
    colour: str
    answer: BreakEven | None

    def crossings(self) -> tuple[Crossing, ...]:
        """Where it crosses 1; nothing that is merely possible."""
        if not self.answer or self.answer.outcome is BreakEvenOutcome.UNDECIDED:
            return ()
        return self.answer.crossings

    def points(self) -> list[tuple[float, float]]:
        """Loads that have a speedup, with its value."""
        pairs = zip(self.loads, self.values, strict=True)
        return [(load, v.value) for load, v in pairs if v.value is not None]

    def lines(self) -> list[list[tuple[float, float]]]:
        """What is drawn of it, where labels had better not be: the curve, the edges of
        its intervals, the bars on the line at 1."""
        spans = [
            (load, v.interval.low, v.interval.high)
            for load, v in zip(self.loads, self.values, strict=True)
            if v.interval
        ]
        bars = [c.concurrency_interval for c in self.crossings()]
        return [
            self.points(),
            [(load, low) for load, low, _ in spans if low is not None],
            [(load, high) for load, _, high in spans if high is not None],
            *[
                [(bar.low or self.loads[0], 1.0), (bar.high or self.loads[-1], 1.0)]
                for bar in bars
                if bar
            ],
        ]


def make_series(
    panel: Sequence[Block],
    metrics: Sequence[SpeedupMetric],
    findings: RunFindings,
    colours: dict[str, tuple[str, str]],
) -> list[Series]:
    """Each arm by each of these metrics."""
    return [
        Series(
            arm=block.arm or "",
            loads=tuple(row.load for row in block.rows),
            values=tuple(row.speedup(metric) for row in block.rows),
            sides=tuple(row.side(metric) for row in block.rows),
            metric=metric,
            colour=colours[block.arm or ""][0],
            answer=_answer(block, metric, findings),
        )
        for block in panel
        for metric in metrics
    ]


def _answer(
    block: Block, metric: SpeedupMetric, findings: RunFindings
) -> BreakEven | None:
    shared = block.condition
    place = (shared.target, shared.dataset, shared.context, shared.temperature)
    for answer in findings.break_evens:
        c = answer.curve
        if answer.axis is Axis.CONTEXT:
            continue  # the panel's axis is the load
        if (c.target, c.dataset, c.context, c.temperature) == place and (
            c.arm == block.arm and c.metric is metric
        ):
            return answer
    return None


def answer_lines(
    panel: Sequence[Block], series: Sequence[Series], facts: RunFacts
) -> list[tuple[str, str]]:
    """For each arm the outcomes by each metric in words, and its colour."""
    lines = []
    for block in panel:
        own = [one for one in series if one.arm == block.arm]
        said = words.listed(
            [
                f"{SHORT_METRICS[one.metric]} {outcome_in_short(one.answer)}"
                for one in own
                if one.answer
            ]
        )
        name = facts.arm_name(block.condition.target, block.arm or "")
        lines.append((f"{name} pays: {said or 'unknown'}", own[0].colour))
    return lines
