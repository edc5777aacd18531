"""The curves of a speedup panel: one an arm and metric, with colour and answer."""

from collections.abc import Sequence
from dataclasses import dataclass

from specbench.report import words
from specbench.report.blocks import Block
from specbench.schema.estimate import Estimate
from specbench.schema.findings import BreakEven, RunFindings, SpeedupMetric


@dataclass(frozen=True, slots=True)
class Series:
    """One curve of a panel."""

    label: str
    """Arm, metric and the outcome in words."""
    loads: tuple[int, ...]
    values: tuple[Estimate, ...]
    metric: SpeedupMetric
    colour: str
    answer: BreakEven | None

    @property
    def crossing(self) -> float | None:
        """Concurrency of the break-even."""
        return self.answer.concurrency if self.answer else None

    def known(self) -> list[tuple[int, Estimate]]:
        """Loads that have a speedup."""
        pairs = zip(self.loads, self.values, strict=True)
        return [(load, value) for load, value in pairs if value.value is not None]


def make_series(
    panel: Sequence[Block],
    findings: RunFindings,
    colours: dict[str, tuple[str, str]],
) -> list[Series]:
    """Both metrics of each arm."""
    return [
        Series(
            label=_label(block, metric, answer),
            loads=tuple(row.concurrency for row in block.rows),
            values=tuple(
                row.throughput_speedup
                if metric is SpeedupMetric.THROUGHPUT
                else row.tpot_speedup
                for row in block.rows
            ),
            metric=metric,
            colour=colours[block.arm or ""][0],
            answer=answer,
        )
        for block in panel
        for metric in SpeedupMetric
        for answer in [_answer(block, metric, findings)]
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


def _label(block: Block, metric: SpeedupMetric, answer: BreakEven | None) -> str:
    outcome = words.outcome(answer) if answer else "no break-even was sought"
    return f"{block.arm}, {words.metric(metric)}: {outcome}"
