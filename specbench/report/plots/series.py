"""The curves of a speedup panel: one an arm and metric, with colour and answer."""

from collections.abc import Sequence
from dataclasses import dataclass

from specbench.report import words
from specbench.report.blocks import Block
from specbench.report.facts import RunFacts
from specbench.schema.comparison import BreakEven, SpeedupMetric
from specbench.schema.estimate import Estimate
from specbench.schema.findings import RunFindings

SHORT_METRICS = {SpeedupMetric.THROUGHPUT: "throughput", SpeedupMetric.TPOT: "TPOT"}


@dataclass(frozen=True, slots=True)
class Series:
    """One curve of a panel."""

    arm: str
    loads: tuple[int, ...]
    values: tuple[Estimate, ...]
    metric: SpeedupMetric
    colour: str
    answer: BreakEven | None

    @property
    def crossing(self) -> float | None:
        """Concurrency of the break-even."""
        return self.answer.concurrency if self.answer else None

    def points(self) -> list[tuple[int, float]]:
        """Loads that have a speedup, with its value."""
        pairs = zip(self.loads, self.values, strict=True)
        return [(load, v.value) for load, v in pairs if v.value is not None]


def make_series(
    panel: Sequence[Block],
    findings: RunFindings,
    colours: dict[str, tuple[str, str]],
) -> list[Series]:
    """Both metrics of each arm."""
    return [
        Series(
            arm=block.arm or "",
            loads=tuple(row.concurrency for row in block.rows),
            values=tuple(
                row.throughput_speedup
                if metric is SpeedupMetric.THROUGHPUT
                else row.tpot_speedup
                for row in block.rows
            ),
            metric=metric,
            colour=colours[block.arm or ""][0],
            answer=_answer(block, metric, findings),
        )
        for block in panel
        for metric in SpeedupMetric
    ]


def _answer(
    block: Block, metric: SpeedupMetric, findings: RunFindings
) -> BreakEven | None:
    shared = block.condition
    place = (shared.target, shared.dataset, shared.context, shared.temperature)
    for answer in findings.break_evens:
        c = answer.curve
        if (c.target, c.dataset, c.context, c.temperature) == place and (
            c.arm == block.arm and c.metric is metric
        ):
            return answer
    return None


def answer_lines(
    panel: Sequence[Block], series: Sequence[Series], facts: RunFacts
) -> list[tuple[str, str]]:
    """For each arm the outcomes of both metrics in words, and its colour."""
    lines = []
    for block in panel:
        own = [one for one in series if one.arm == block.arm]
        said = ", ".join(
            f"{SHORT_METRICS[one.metric]} {words.outcome_in_short(one.answer)}"
            for one in own
            if one.answer
        )
        name = facts.arm_name(block.condition.target, block.arm or "")
        lines.append((f"{name} pays: {said or 'unknown'}", own[0].colour))
    return lines
