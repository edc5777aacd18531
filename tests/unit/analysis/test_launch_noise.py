"""How much the launches of a run differ: once for each arm, condition and metric, and
only where launches can be told from cells."""

import math
from random import Random

import pytest

from specbench.analysis.launch_noise import find_noise, noise_of
from specbench.analysis.speedup import find_comparisons
from specbench.schema.comparison import CLOSED_LOOP, ArmNoise, SpeedupMetric
from specbench.schema.findings import CellStats
from specbench.schema.sweep import BASELINE
from specbench.stats.mean_squares import mean_squares
from tests.factories import cell_stats, latency
from tests.unit.stats.simulated import Table, noisy_table

THROUGHPUT = SpeedupMetric.THROUGHPUT


def test_it_is_the_variance_components_of_the_table() -> None:
    table = noisy_table(Random(4), [5.0, 6.0, 7.0, 8.0], 5, (0.05, 0.02))
    squares, found = mean_squares(table), noise_of(table, THROUGHPUT)
    assert found is not None
    assert found.metric is THROUGHPUT
    assert (found.launch.variance, found.launch.df) == (squares.row_variance, 4)
    assert (found.cell.variance, found.cell.df) == (squares.cell, 12)
    assert (found.launches, found.loads) == (5, 4)


def test_on_average_it_is_what_the_launches_were_made_with() -> None:
    random = Random(5)
    launch = cell = 0.0
    for _ in range(800):
        found = noise_of(noisy_table(random, [0.0] * 6, 5, (0.05, 0.02)), THROUGHPUT)
        assert found is not None
        launch += found.launch.variance / 800
        cell += found.cell.variance / 800
    assert math.sqrt(launch) == pytest.approx(0.05, rel=0.05)
    assert math.sqrt(cell) == pytest.approx(0.02, rel=0.03)


@pytest.mark.parametrize(
    "table",
    [
        (),
        ((1.0, 2.0, 3.0),),
        ((1.0,), (2.0,), (3.0,)),
        ((1.0, None), (None, 2.0)),
        ((1.0, 2.0), (None, None)),
    ],
)
def test_one_launch_or_one_load_tells_nothing(table: Table) -> None:
    assert noise_of(table, THROUGHPUT) is None


def test_launches_and_loads_without_a_figure_are_not_counted() -> None:
    table: Table = ((1.0, 2.0, None), (1.1, 2.2, None), (None, None, None))
    found = noise_of(table, THROUGHPUT)
    assert found is not None
    assert (found.launches, found.loads) == (2, 2)


def cells(arms: tuple[str, ...], launches: int = 3) -> list[CellStats]:
    random = Random(6)
    made = []
    for arm in arms:
        rates, paces = (
            noisy_table(random, [0.0] * 3, launches, (0.05, 0.02)) for _ in range(2)
        )
        made += [
            cell_stats(
                arm,
                replicate + 1,
                2**place,
                output_throughput=100 * math.exp(rates[replicate][place] or 0.0),
                tpot=latency(0.01 * math.exp(paces[replicate][place] or 0.0)),
            )
            for replicate in range(launches)
            for place in range(3)
        ]
    return made


def found_in(made: list[CellStats]) -> tuple[ArmNoise, ...]:
    return find_noise(find_comparisons(made))


def test_every_arm_and_the_baseline_stand_once_for_each_metric() -> None:
    found = found_in(cells((BASELINE, "eagle", "ngram")))
    keys = [(each.arm, each.noise.metric) for each in found]
    assert len(set(keys)) == len(keys) == 3 * len(CLOSED_LOOP)
    assert {arm for arm, _ in keys} == {BASELINE, "eagle", "ngram"}


def test_the_noise_of_a_metric_is_of_its_own_figures() -> None:
    found = {(n.arm, n.noise.metric): n.noise for n in found_in(cells((BASELINE, "a")))}
    by_throughput = found[BASELINE, THROUGHPUT].cell.variance
    by_pace = found[BASELINE, SpeedupMetric.TPOT].cell.variance
    assert by_throughput != by_pace
    # p95 is a fixed multiple of the median in these cells
    assert found[BASELINE, SpeedupMetric.TPOT_P95].cell.variance == pytest.approx(
        by_pace
    )


def test_single_launches_have_no_noise() -> None:
    assert found_in(cells((BASELINE, "ngram"), launches=1)) == ()


def test_no_comparison_has_no_noise() -> None:
    assert find_noise(()) == ()
