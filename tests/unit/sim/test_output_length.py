"""Output lengths: seeded by the prompt, spread as asked."""

from statistics import fmean, pstdev

import pytest

from specbench.sim.output_length import OutputLength


def test_without_spread_every_output_has_the_mean() -> None:
    assert {OutputLength(200).of(f"p{i}") for i in range(20)} == {200}


def test_a_prompt_always_has_the_same_length() -> None:
    length = OutputLength(200, 0.5)
    lengths = [length.of(f"p{i}") for i in range(50)]
    assert lengths == [length.of(f"p{i}") for i in range(50)]
    assert len(set(lengths)) > 30


@pytest.mark.parametrize("spread", [0.1, 0.5, 1.0])
def test_mean_and_spread_are_those_asked_for(spread: float) -> None:
    length = OutputLength(1000, spread)
    lengths = [length.of(f"prompt {i}") for i in range(20_000)]
    # Standard error of the mean is spread / sqrt(20,000) = 0.7 % at most.
    assert fmean(lengths) == pytest.approx(1000, rel=0.03)
    assert pstdev(lengths) / 1000 == pytest.approx(spread, rel=0.08)


def test_no_output_is_empty() -> None:
    assert min(OutputLength(1, 2.0).of(f"p{i}") for i in range(500)) == 1
