"""Tokens per step: what a request gets from the arm at each load, and what it would
need for the arm to be as fast as its baseline."""

from dataclasses import dataclass

from specbench.report import words
from specbench.report.blocks import Block, LoadRow
from specbench.report.remarks import Places, place_lines
from specbench.schema.cell import Condition
from specbench.schema.comparison import SpeedupMetric, StepNeed
from specbench.schema.estimate import Estimate, absent

NEED_METRICS = {SpeedupMetric.THROUGHPUT: "throughput", SpeedupMetric.TPOT: "TPOT"}
"""To which the formula applies, and what it is about: for TPOT the token-weighted mean,
not the median."""
APPARENT = "~"
NEEDS_NOTE = (
    "needs: tokens per step at which the arm is as fast as its baseline, by throughput"
    " and by token-weighted mean TPOT; it pays where it gets more. prefill: share of"
    " the baseline's time that plain decode steps do not explain."
    f" {APPARENT}: apparent, prefill not taken out."
)


@dataclass(frozen=True, slots=True)
class NeedRow:
    """One load of an arm."""

    condition: Condition
    batch: Estimate
    """The baseline's running batch."""
    gets: Estimate
    needs: dict[SpeedupMetric, StepNeed]
    """For each metric of NEED_METRICS that has one."""

    @property
    def load(self) -> float:
        """The concurrency, or the rate of an open loop."""
        return self.condition.asked

    @property
    def said_load(self) -> str:
        """The same, written."""
        return words.asked(self.load)

    def needed(self, metric: SpeedupMetric) -> str:
        """`1.31 [1.25, 1.38]`, with a mark where it is apparent."""
        need = self.needs.get(metric)
        if need is None or need.needs.value is None:
            return words.DASH
        mark = APPARENT if need.is_apparent else ""
        return mark + words.with_interval(need.needs, words.share)

    def prefill(self, metric: SpeedupMetric) -> str:
        """The prefill share."""
        need = self.needs.get(metric)
        return words.estimate(need.prefill_share, words.share) if need else words.DASH


def need_rows(block: Block) -> tuple[NeedRow, ...]:
    """By rising load; none where the arm has no such figure at any."""
    rows = tuple(_row(row) for row in block.rows)
    return rows if any(row.needs for row in rows) else ()


def explain_needs(block: Block) -> tuple[str, ...]:
    """Why figures are apparent or missing: one line a reason, with metric and loads."""
    places: Places = {}
    for row in need_rows(block):
        for metric, need in row.needs.items():
            for reason in _reasons(need):
                loads = places.setdefault(reason, {})
                loads.setdefault(NEED_METRICS[metric], []).append(row.said_load)
    return tuple(place_lines(places))


def _reasons(need: StepNeed) -> list[str]:
    """Each once, however many figures it spoils."""
    missing = (need.gets.missing, need.needs.missing, need.prefill_share.missing)
    found = [f"{words.DASH} {reason}" for reason in missing if reason]
    if need.note:
        mark = f"{APPARENT} " if need.is_apparent else ""
        found = [line for line in found if need.note not in line]
        found.append(mark + need.note)
    return list(dict.fromkeys(found))


def _row(row: LoadRow) -> NeedRow:
    needs = {m: need for m in NEED_METRICS if (need := row.need(m)) is not None}
    gets = [need.gets for need in needs.values()]
    known = [figure for figure in gets if figure.value is not None]
    return NeedRow(
        condition=row.condition,
        batch=row.baseline.running_batch,
        gets=(known or gets or [absent("not compared")])[0],
        needs=needs,
    )
