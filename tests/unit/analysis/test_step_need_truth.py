"""The needed tokens per step of cells in virtual time is the step cost ratio that the
engine was programmed with: the cost of a speculative step over a plain one at that
batch."""

from dataclasses import dataclass, replace
from functools import cache

import pytest

from specbench.analysis.step_need import step_need
from specbench.schema.comparison import SpeedupMetric, StepNeed
from specbench.schema.findings import CellStats
from specbench.sim.config import (
    SimConfig,
    SimSpeculation,
    StepCost,
    StepLoad,
    step_seconds,
)
from tests.unit.sim.virtual_cells import prompts, run_cell, summarise

DRAFTER = SimSpeculation(3, (0.8, 0.6, 0.4), draft_step_s=0.001)
METRICS = pytest.mark.parametrize(
    "metric", [SpeedupMetric.THROUGHPUT, SpeedupMetric.TPOT]
)
STEEP = StepCost(0.010, 0.0001, 0.0002, 0.0)
"""It stops paying near a batch of 64."""
FLAT = StepCost(0.010, 0.00001, 0.00001, 0.0)
"""Bound by memory: it pays everywhere."""


@dataclass(frozen=True)
class Pair:
    """Both arms at one load."""

    baseline: CellStats
    arm: CellStats
    cost_ratio: float
    """The truth."""

    def need(self, metric: SpeedupMetric) -> StepNeed:
        found = step_need(metric, [self.baseline], [self.arm])
        assert found is not None
        return found

    def speedup(self, metric: SpeedupMetric) -> float:
        base, arm = self.baseline, self.arm
        if metric is SpeedupMetric.THROUGHPUT:
            return (arm.output_throughput or 0) / (base.output_throughput or 1)
        return (base.mean_tpot_by_token or 0) / (arm.mean_tpot_by_token or 1)


def plain_engine(cost: StepCost, prefill_s: float) -> SimConfig:
    return SimConfig(
        max_num_seqs=512,
        max_model_len=8192,
        cost=replace(cost, prefill_per_token_s=prefill_s),
        speculation=None,
    )


@cache
def measure(
    cost: StepCost, prefill_s: float, load: int, output: int = 300, rounds: int = 6
) -> Pair:
    """Answers of 3/4 to 5/4 of `output` tokens."""
    plain = plain_engine(cost, prefill_s)
    arm = replace(plain, speculation=DRAFTER)
    asked = prompts(rounds * load + 6, output, output // 4)
    baseline, speculating = (
        summarise(run_cell(config, load, asked, request_s=output * 0.012), load)
        for config in (plain, arm)
    )
    k = DRAFTER.num_speculative_tokens
    plain_s = step_seconds(plain, StepLoad(load, load, 0, 0))
    arm_s = step_seconds(arm, StepLoad(load, load * (k + 1), 0, k, 0, load))
    return Pair(baseline, speculating, arm_s / plain_s)


@pytest.mark.parametrize("load", [1, 8, 64])
@pytest.mark.parametrize(
    ("cost", "prefill_s"),
    [(STEEP, 0.0), (STEEP, 2e-5), (STEEP, 1e-3), (FLAT, 2e-5), (FLAT, 5e-4)],
    ids=["no prefill cost", "usual", "long prompts", "flat, usual", "flat, long"],
)
@METRICS
def test_the_need_is_the_programmed_step_cost_ratio(
    metric: SpeedupMetric, cost: StepCost, prefill_s: float, load: int
) -> None:
    pair = measure(cost, prefill_s, load)
    found = pair.need(metric)
    assert not found.is_apparent, found.note
    assert found.needs.value == pytest.approx(pair.cost_ratio, rel=0.02)


@pytest.mark.parametrize(("load", "prefill_s"), [(8, 4e-3), (64, 5e-4)])
@METRICS
def test_the_apparent_need_errs_where_prefill_is_large_and_the_arm_much_faster(
    metric: SpeedupMetric, load: int, prefill_s: float
) -> None:
    pair = measure(FLAT, prefill_s, load)
    assert pair.speedup(metric) > 1.3
    found = pair.need(metric)
    assert (found.prefill_share.value or 0) > 0.2
    assert found.needs.value == pytest.approx(pair.cost_ratio, rel=0.02)
    without = replace(pair.baseline, prefill_share=None)
    apparent = Pair(without, pair.arm, pair.cost_ratio).need(metric)
    assert apparent.is_apparent
    assert (apparent.needs.value or 0) > 1.15 * pair.cost_ratio


@pytest.mark.parametrize("prefill_s", [0.0, 1e-3])
@METRICS
def test_the_arm_pays_exactly_where_it_gets_more_than_it_needs(
    metric: SpeedupMetric, prefill_s: float
) -> None:
    sides = set()
    for load in (2, 16, 48, 96):
        pair = measure(STEEP, prefill_s, load, rounds=4)
        found = pair.need(metric)
        gets, needs = found.gets.value, found.needs.value
        assert gets is not None
        assert needs is not None
        pays = pair.speedup(metric) > 1
        assert (gets > needs) is pays
        # the truth agrees wherever it is not nearer than the measurement can tell
        if abs(gets / pair.cost_ratio - 1) > 0.02:
            assert (gets > pair.cost_ratio) is pays
        sides.add(pays)
    assert sides == {True, False}


def test_where_somebody_is_always_in_prefill_the_need_is_apparent() -> None:
    pair = measure(STEEP, 2e-5, 128, output=32)
    found = pair.need(SpeedupMetric.THROUGHPUT)
    assert found.is_apparent
    assert "while no request was in prefill" in found.note


def test_where_the_batch_is_capped_below_the_load_the_need_is_apparent() -> None:
    plain = replace(plain_engine(STEEP, 2e-5), max_num_seqs=8)
    asked = prompts(96, 200, 50)
    baseline, arm = (
        summarise(run_cell(config, 16, asked, request_s=2.0), 16)
        for config in (plain, replace(plain, speculation=DRAFTER))
    )
    found = step_need(SpeedupMetric.THROUGHPUT, [baseline], [arm])
    assert found is not None
    assert found.is_apparent
    assert "waited for admission" in found.note
