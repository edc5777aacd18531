"""What an A/A run knew of launches: whose it is, when it is used, and when the launches
of a sweep contradict it."""

import math
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specbench.analysis.prior import find_prior, squares_of, with_prior
from specbench.schema.comparison import (
    Component,
    LaunchNoise,
    NoiseRecord,
    SpeedupMetric,
)
from specbench.stats.mean_squares import MeanSquares, mean_squares
from tests.unit.stats.simulated import noisy_table

THROUGHPUT, TPOT = SpeedupMetric.THROUGHPUT, SpeedupMetric.TPOT
NOTHING = MeanSquares(0.0, 0, 0.0, 0, 0)
"""Of one launch."""


def noise(
    metric: SpeedupMetric = THROUGHPUT, launch: float = 2e-4, df: float = 10
) -> LaunchNoise:
    return LaunchNoise(
        metric, Component(launch, df), Component(1e-4, 80), launches=6, loads=9
    )


def record(
    *of: LaunchNoise,
    run_id: str = "aa1",
    target: str = "llama",
    at: str = "2026-01-02T10:00:00Z",
) -> NoiseRecord:
    return NoiseRecord(
        target=target,
        model="m",
        engine="vllm",
        engine_version="1",
        device="GPU",
        run_id=run_id,
        measured_utc=at,
        noise=of or (noise(),),
    )


KNOWN = squares_of(noise(), 1.0)


def test_the_mean_squares_are_those_of_a_table_with_such_variances() -> None:
    assert pytest.approx(1e-4 + 9 * 2e-4) == KNOWN.row
    assert KNOWN.cell == 1e-4
    assert (KNOWN.row_df, KNOWN.cell_df, KNOWN.per_row) == (10, 80, 9)
    assert KNOWN.row_variance == pytest.approx(2e-4)


def test_they_come_back_from_the_table_that_they_were_taken_of() -> None:
    table = noisy_table(Random(3), [0.0] * 9, 6, (0.02, 0.01))
    own = mean_squares(table)
    seen = LaunchNoise(
        THROUGHPUT,
        Component(own.row_variance, own.row_df),
        Component(own.cell, own.cell_df),
        launches=6,
        loads=9,
    )
    back = squares_of(seen, 1.0)
    assert (back.row, back.cell) == pytest.approx((own.row, own.cell))
    assert (back.row_df, back.cell_df, back.per_row) == (5, 40, 9)


@given(st.floats(1, 5))
def test_an_arm_differs_by_the_ratio_in_deviations(ratio: float) -> None:
    found = squares_of(noise(), ratio)
    assert found.row_variance == pytest.approx(ratio**2 * KNOWN.row_variance)
    assert found.cell == pytest.approx(ratio**2 * KNOWN.cell)


def test_the_arm_is_taken_to_differ_more_than_its_baseline() -> None:
    found = find_prior([record()], "llama", THROUGHPUT)
    assert found is not None
    assert found.baseline == KNOWN
    assert found.arm.row > found.baseline.row
    assert found.arm.row_df == found.baseline.row_df


def test_the_newest_record_of_the_target_is_used_and_named() -> None:
    records = [
        record(run_id="older", at="2026-01-02T10:00:00Z"),
        record(run_id="newest", at="2026-03-04T10:00:00Z"),
        record(run_id="middle", at="2026-02-02T10:00:00Z"),
        record(run_id="strange", target="other", at="2026-05-05T10:00:00Z"),
    ]
    found = find_prior(records, "llama", THROUGHPUT)
    assert found is not None
    assert "2026-03-04" in found.source
    assert "newest" in found.source


def test_a_record_without_the_metric_gives_way_to_an_older_one_that_has_it() -> None:
    records = [
        record(noise(TPOT), run_id="old", at="2026-01-01T00:00:00Z"),
        record(noise(THROUGHPUT), run_id="new", at="2026-02-01T00:00:00Z"),
    ]
    found = find_prior(records, "llama", TPOT)
    assert found is not None
    assert "old" in found.source


@pytest.mark.parametrize(
    "records",
    [[], [record(target="other")], [record(noise(TPOT))], [record(noise(df=0))]],
)
def test_what_is_not_known_is_no_prior(records: list[NoiseRecord]) -> None:
    assert find_prior(records, "llama", THROUGHPUT) is None


def own(row: float, row_df: float, cell: float = 1e-4) -> MeanSquares:
    return MeanSquares(row, row_df, cell, 8 * row_df, 9)


def test_one_launch_takes_all_from_the_prior() -> None:
    assert with_prior(NOTHING, KNOWN) == (KNOWN, True)


def test_two_launches_that_agree_are_joined_with_it() -> None:
    found, was = with_prior(own(KNOWN.row, 1), KNOWN)
    assert was
    assert found.row == pytest.approx(KNOWN.row)
    assert (found.row_df, found.cell_df) == (11, 88)


@pytest.mark.parametrize("row", [1e-9, KNOWN.row, 1.0])
def test_three_launches_are_left_to_themselves(row: float) -> None:
    mine = own(row, 2)
    assert with_prior(mine, KNOWN) == (mine, False)


def test_launches_that_differ_by_far_more_than_known_are_left_to_themselves() -> None:
    mine = own(100 * KNOWN.row, 1)
    assert with_prior(mine, KNOWN) == (mine, False)


def test_launches_that_differ_by_less_than_known_keep_its_caution() -> None:
    found, was = with_prior(own(0.0, 1), KNOWN)
    assert was
    assert found.row == pytest.approx(KNOWN.row * 10 / 11)


def test_a_prior_without_any_noise_yields_to_launches_that_have_some() -> None:
    silent = MeanSquares(0.0, 10, 0.0, 80, 9)
    mine = own(1e-6, 1)
    assert with_prior(mine, silent) == (mine, False)
    assert with_prior(own(0.0, 1, 0.0), silent)[1]


def test_a_prior_that_is_right_is_refused_in_about_1_percent() -> None:
    """2,000 pairs of launches and A/A runs of one truth; 9 to 35 is 1 % give or take
    three deviations."""
    random = Random(9)
    refused = 0
    for _ in range(2_000):
        seen = mean_squares(noisy_table(random, [0.0] * 4, 8, (0.02, 0.01)))
        mine = mean_squares(noisy_table(random, [0.0] * 4, 2, (0.02, 0.01)))
        refused += not with_prior(mine, seen)[1]
    assert 7 <= refused <= 35


def test_other_numbers_of_loads_are_compared_by_the_launches_own_variance() -> None:
    """One load of a sweep against nine of the A/A run: expected is launch + cell."""
    expected = 2e-4 + 1e-4
    one_load = MeanSquares(expected, 1, 0.0, 0, 1)
    found, was = with_prior(one_load, KNOWN)
    assert was
    assert found.row == pytest.approx(expected)
    assert found.per_row == 1
    assert math.isclose(found.row_variance, 2e-4)
    # twenty times what one load is expected to vary, three times what nine are
    wild = MeanSquares(20 * expected, 1, 0.0, 0, 1)
    assert with_prior(wild, KNOWN) == (wild, False)


def test_cells_that_differ_by_far_more_than_known_are_left_to_themselves() -> None:
    """Eight degrees of freedom say 1e-2, a hundred times the prior's 1e-4: chance does
    that never. Joined they say 1e-3."""
    mine = own(KNOWN.row, 1, cell=100 * KNOWN.cell)
    found, _ = with_prior(mine, KNOWN)
    assert found.cell >= 0.5 * mine.cell
