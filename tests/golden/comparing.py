"""Findings of synthetic cells by the simplest rules there are: intervals of a given
width, sides by whether they hold 1. A report's look then does not hang on how the
analysis decides."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from specbench.schema.cell import Condition
from specbench.schema.comparison import (
    CLOSED_LOOP,
    ArmNoise,
    Component,
    LaunchNoise,
    Side,
    SpeedupCurve,
    SpeedupMetric,
    SpeedupPoint,
    StepNeed,
)
from specbench.schema.estimate import Estimate, absent
from specbench.schema.findings import CellStats, RunFindings
from tests.golden.deciding import answer, around

BASELINE = "baseline"
NOISE = 0.012
"""Of the log figure of one launch."""
ONE_LAUNCH = (
    "one launch of each arm, and how much launches differ on this machine is not known"
    " (`--aa` measures it)"
)


def compare(
    cells: Iterable[CellStats], failed: tuple[str, ...] = (), noise: float = NOISE
) -> RunFindings:
    """Everything that a report shows of these cells."""
    by_key = sorted(cells, key=lambda c: c.key)
    families: dict[tuple[str, str, int, float], list[CellStats]] = {}
    for cell in by_key:
        c = cell.key.condition
        place = (c.target, c.dataset, c.context, c.temperature)
        families.setdefault(place, []).append(cell)
    tables = [
        Pair(tuple(members), arm, metric, noise)
        for members in families.values()
        for arm in dict.fromkeys(c.key.arm for c in members)
        if arm != BASELINE
        for metric in CLOSED_LOOP
    ]
    curves = tuple(pair.curve() for pair in tables)
    return RunFindings(
        cells=tuple(by_key),
        curves=curves,
        break_evens=tuple(answer(curve, len(curves)) for curve in curves),
        noise=tuple(noise for pair in tables for noise in pair.noises()),
        prior=(),
        failed_launches=failed,
    )


@dataclass(frozen=True, slots=True)
class Pair:
    """An arm and its baseline by one metric."""

    cells: tuple[CellStats, ...]
    arm: str
    metric: SpeedupMetric
    noise: float

    def curve(self) -> SpeedupCurve:
        """Points at every load at which the arm has a cell."""
        loads = {c.key.condition for c in self.cells if c.key.arm == self.arm}
        one = next(iter(loads))
        return SpeedupCurve(
            target=one.target,
            dataset=one.dataset,
            context=one.context,
            temperature=one.temperature,
            arm=self.arm,
            metric=self.metric,
            points=tuple(map(self._point, sorted(loads))),
        )

    def noises(self) -> list[ArmNoise]:
        """Of both arms, where there is more than one launch."""
        c = self.cells[0].key.condition
        launches = max(cell.key.replicate for cell in self.cells)
        if launches < 2:
            return []
        found = LaunchNoise(
            metric=self.metric,
            launch=Component(self.noise**2, launches - 1),
            cell=Component((0.6 * self.noise) ** 2, 4 * (launches - 1)),
            launches=launches,
            loads=len({cell.key.condition for cell in self.cells}),
        )
        return [
            ArmNoise(c.target, c.dataset, c.context, c.temperature, arm, found)
            for arm in (BASELINE, self.arm)
        ]

    def _figures(self, condition: Condition, arm: str) -> list[float]:
        found = [
            self._figure(cell)
            for cell in self.cells
            if (cell.key.condition, cell.key.arm) == (condition, arm)
            if not cell.is_void
        ]
        return [figure for figure in found if figure is not None]

    def _figure(self, cell: CellStats) -> float | None:
        if self.metric is SpeedupMetric.THROUGHPUT:
            return cell.output_throughput
        if cell.tpot is None:
            return None
        is_median = self.metric is SpeedupMetric.TPOT
        return 1 / (cell.tpot.p50 if is_median else cell.tpot.p95)

    def _point(self, condition: Condition) -> SpeedupPoint:
        base, arm = (self._figures(condition, name) for name in (BASELINE, self.arm))
        batches = [
            c.running_batch
            for c in self.cells
            if (c.key.condition, c.key.arm) == (condition, BASELINE)
            if c.running_batch is not None
        ]
        batch = sum(batches) / len(batches) if batches else None
        if not base or not arm:
            name = "arm" if base else "baseline"
            missing = absent(f"the {name} was not measured")
            return SpeedupPoint(condition, missing, batch, batch)
        middle = _log_mean(arm) - _log_mean(base)
        n = min(len(base), len(arm))
        half = 3 * self.noise * math.sqrt(2 / n) if n > 1 else None
        value = math.exp(middle)
        ratios = [a / b for a, b in zip(arm, base, strict=False)]
        figure = Estimate(
            value=value,
            low=min(ratios),
            high=max(ratios),
            n=n,
            interval=around(value, half),
            no_interval=None if half else ONE_LAUNCH,
        )
        side = Side.PAYS if middle > 0 else Side.LOSES
        if half and abs(middle) <= half:
            side = Side.OPEN
        return SpeedupPoint(
            condition, figure, batch, batch, side, self._need(condition, value, half)
        )

    def _need(
        self, condition: Condition, speedup: float, half: float | None
    ) -> StepNeed | None:
        """By the formula of the step cost ratio, where prefill is known."""
        if self.metric is SpeedupMetric.TPOT_P95:
            return None
        here = [c for c in self.cells if c.key.condition == condition]
        arm = [c for c in here if c.key.arm == self.arm]
        gets = [c.tokens_per_step for c in arm if c.tokens_per_step]
        shares = [
            known.of_request
            if self.metric is SpeedupMetric.THROUGHPUT
            else known.of_decode
            for c in here
            if (known := c.prefill_share) is not None
        ]
        why = "the baseline's decode steps were not seen apart from prefill"
        share = Estimate(shares[0], n=len(shares)) if shares else absent(why)
        if not gets:
            missing = absent(arm[0].missing.get("tokens_per_step", "no step counts"))
            return StepNeed(missing, missing, share, is_apparent=False)
        tokens = math.exp(_log_mean(gets))
        f = share.value or 0.0
        needs = tokens * (1 / speedup - f) / (1 - f)
        note = "" if shares else why
        return StepNeed(
            _estimate(tokens, half and half / 3, len(gets)),
            _estimate(needs, half, len(gets)),
            share,
            is_apparent=not shares,
            note=note,
        )


def _estimate(value: float, half: float | None, n: int) -> Estimate:
    reason = None if half is not None else ONE_LAUNCH
    return Estimate(value, value, value, n, None, around(value, half), reason)


def _log_mean(values: Sequence[float]) -> float:
    return math.fsum(map(math.log, values)) / len(values)
