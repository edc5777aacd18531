"""Seeded noise on the cost of a step."""

import math
import statistics

import pytest

from specbench.sim.config import SimSpeculation
from specbench.sim.step_noise import StepNoise, noisy
from tests.unit.sim.virtual_cells import engine

DRAFTER = SimSpeculation(2, (0.8, 0.6), 0.001, draft_per_sequence_s=0.0002)


def factor(noise: StepNoise, launch: str, cell: str) -> float:
    plain = engine()
    return noisy(plain, noise, launch, cell).cost.base_s / plain.cost.base_s


def test_without_noise_an_engine_is_what_it_was() -> None:
    assert noisy(engine(DRAFTER), StepNoise(), "1", "c8") == engine(DRAFTER)


def test_a_launch_is_equally_slow_in_all_of_its_cells() -> None:
    noise = StepNoise(launch=0.1)
    assert factor(noise, "1", "c8") == factor(noise, "1", "c16")
    assert factor(noise, "1", "c8") != factor(noise, "2", "c8")


def test_a_cell_has_noise_of_its_own_and_repeats_it() -> None:
    noise = StepNoise(cell=0.1)
    assert factor(noise, "1", "c8") == factor(noise, "1", "c8")
    assert len({factor(noise, launch, "c8") for launch in "123"}) == 3
    assert factor(noise, "1", "c8") != factor(noise, "1", "c16")


def test_all_costs_are_slowed_alike_and_the_acceptance_is_not_touched() -> None:
    slow = noisy(engine(DRAFTER), StepNoise(launch=0.3), "1", "c8")
    by = factor(StepNoise(launch=0.3), "1", "c8")
    assert slow.speculation is not None
    assert slow.speculation.acceptance == DRAFTER.acceptance
    assert slow.speculation.draft_step_s == pytest.approx(by * 0.001)
    assert slow.speculation.draft_per_sequence_s == pytest.approx(by * 0.0002)
    assert slow.cost.per_token_s == pytest.approx(by * engine().cost.per_token_s)


def test_the_logarithms_have_the_stated_spread_around_zero() -> None:
    noise = StepNoise(launch=0.03, cell=0.04)
    logs = [math.log(factor(noise, str(i), "c8")) for i in range(4000)]
    assert statistics.fmean(logs) == pytest.approx(0.0, abs=0.003)
    assert statistics.stdev(logs) == pytest.approx(0.05, rel=0.05)
