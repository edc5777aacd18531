"""What a request gets from an arm a step, and what it would need."""

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specbench.analysis.step_need import step_need
from specbench.schema.comparison import SpeedupMetric, StepNeed
from specbench.schema.findings import CellStats, Finding, Severity
from specbench.schema.sweep import BASELINE
from specbench.stats.students_t import t_quantile
from tests.factories import cell_stats, prefill_share

THROUGHPUT, TPOT = SpeedupMetric.THROUGHPUT, SpeedupMetric.TPOT
BOTH = pytest.mark.parametrize("metric", [THROUGHPUT, TPOT])


def base(replicate: int = 1, share: float | None = 0.2, **changes: object) -> CellStats:
    """A baseline of which a part of the request's time is prefill, and half of that
    part of the time between tokens."""
    found = None if share is None else prefill_share(share, share / 2)
    made = cell_stats(BASELINE, replicate, prefill_share=found)
    if found is None:
        made = replace(made, missing={"prefill_share": "requests waited"})
    return replace(made, **changes)  # type: ignore[arg-type]


def arm(
    replicate: int = 1,
    speedup: float = 1.5,
    tokens: float | None = 2.5,
    **changes: object,
) -> CellStats:
    """An arm as much faster by both metrics."""
    made = cell_stats(
        "eagle3",
        replicate,
        output_throughput=100.0 * speedup,
        mean_tpot_by_token=0.01 / speedup,
        tokens_per_step=tokens,
    )
    if tokens is None:
        made = replace(made, missing={"tokens_per_step": "no acceptance per request"})
    return replace(made, **changes)  # type: ignore[arg-type]


def need(
    metric: SpeedupMetric, bases: list[CellStats], arms: list[CellStats]
) -> StepNeed:
    found = step_need(metric, bases, arms)
    assert found is not None
    return found


VOID = Finding(Severity.VOID, "client-lag", "late", "more CPUs")

# -- the formula -------------------------------------------------------------


def test_the_prefill_of_the_whole_request_is_taken_out_of_throughput() -> None:
    found = need(THROUGHPUT, [base()], [arm()])
    assert found.gets.value == 2.5
    assert found.needs.value == pytest.approx(2.5 * (1 / 1.5 - 0.2) / 0.8)
    assert found.prefill_share.value == 0.2
    assert not found.is_apparent
    assert found.note == ""


def test_interleaved_prefill_is_taken_out_of_tpot() -> None:
    found = need(TPOT, [base()], [arm()])
    assert found.needs.value == pytest.approx(2.5 * (1 / 1.5 - 0.1) / 0.9)
    assert found.prefill_share.value == 0.1


def test_tpot_is_compared_by_token_and_not_by_the_median() -> None:
    slower_median = replace(arm(), tpot=base().tpot)
    assert need(TPOT, [base()], [slower_median]) == need(TPOT, [base()], [arm()])


def test_the_formula_does_not_apply_to_the_95th_percentile() -> None:
    assert step_need(SpeedupMetric.TPOT_P95, [base()], [arm()]) is None


@given(
    tokens=st.floats(1.0, 8.0),
    share=st.floats(0.0, 0.9),
    cost=st.floats(0.5, 10.0),
)
def test_the_cost_that_went_in_comes_out_and_more_tokens_than_that_pay(
    tokens: float, share: float, cost: float
) -> None:
    time = share + (1 - share) * cost / tokens
    found = need(THROUGHPUT, [base(share=share)], [arm(1, 1 / time, tokens)])
    assert found.needs.value is not None
    assert found.gets.value is not None
    assert found.needs.value == pytest.approx(cost)
    if abs(cost / tokens - 1) > 1e-6:
        assert (found.gets.value > found.needs.value) == (time < 1)


@BOTH
@pytest.mark.parametrize("share", [0.0, 0.3, None])
def test_at_break_even_it_needs_what_it_gets_whatever_the_prefill(
    metric: SpeedupMetric, share: float | None
) -> None:
    found = need(metric, [base(share=share)], [arm(speedup=1.0)])
    assert found.needs.value == pytest.approx(2.5)


# -- apparent ----------------------------------------------------------------


@BOTH
def test_without_a_share_the_cost_is_apparent_and_says_why(
    metric: SpeedupMetric,
) -> None:
    found = need(metric, [base(share=None)], [arm()])
    assert found.is_apparent
    assert found.needs.value == pytest.approx(2.5 / 1.5)
    assert found.prefill_share.missing == "requests waited"
    assert found.note == "requests waited"


@pytest.mark.parametrize(("batch", "is_apparent"), [(104.9, False), (105.1, True)])
def test_batches_that_differ_by_more_than_5_percent_make_it_apparent(
    batch: float, is_apparent: bool
) -> None:
    found = need(THROUGHPUT, [base(running_batch=100.0)], [arm(running_batch=batch)])
    assert found.is_apparent is is_apparent
    assert found.prefill_share.value == 0.2
    if is_apparent:
        assert found.needs.value == pytest.approx(2.5 / 1.5)
        assert "baseline 100, arm 105" in found.note


def test_an_unknown_batch_makes_it_apparent() -> None:
    for bases, arms in (
        ([base(running_batch=None)], [arm()]),
        ([base()], [arm(running_batch=None)]),
    ):
        found = need(THROUGHPUT, bases, arms)
        assert found.is_apparent
        assert "batch is unknown" in found.note


def test_an_arm_faster_than_prefill_alone_makes_it_apparent() -> None:
    found = need(THROUGHPUT, [base(share=0.5)], [arm(speedup=2.1)])
    assert found.is_apparent
    assert found.needs.value == pytest.approx(2.5 / 2.1)
    assert "prefill alone" in found.note


# -- what there is not -------------------------------------------------------


def test_without_tokens_per_step_there_is_neither_and_the_reason() -> None:
    found = need(THROUGHPUT, [base()], [arm(tokens=None)])
    assert found.gets.missing == "no acceptance per request"
    assert found.needs.missing == "no acceptance per request"
    assert found.prefill_share.value == 0.2


def test_without_a_figure_to_compare_it_gets_what_it_gets() -> None:
    found = need(THROUGHPUT, [base()], [arm(output_throughput=None)])
    assert found.gets.value == 2.5
    assert "throughput" in (found.needs.missing or "")


def test_launches_without_a_partner_are_not_compared() -> None:
    found = need(THROUGHPUT, [base(1)], [arm(2)])
    assert found.gets.value == 2.5
    assert "same number" in (found.needs.missing or "")


def test_a_void_cell_takes_part_in_nothing() -> None:
    bad = arm(2, 9.0, 9.0, findings=(VOID,))
    assert need(THROUGHPUT, [base(1), base(2)], [arm(1), bad]) == need(
        THROUGHPUT, [base(1)], [arm(1)]
    )
    assert step_need(THROUGHPUT, [base()], [bad]) is None
    assert step_need(THROUGHPUT, [base(findings=(VOID,))], [arm()]) is None


# -- over launches -----------------------------------------------------------


def test_launches_are_paired_by_number_and_meet_in_the_geometric_mean() -> None:
    bases = [
        base(n, 0.0, output_throughput=rate) for n, rate in ((2, 80.0), (1, 100.0))
    ]
    arms = [arm(1, 1.25), arm(2, 1.6)]  # ratios of 1.25 and 2
    found = need(THROUGHPUT, bases, arms)
    assert found.needs.value == pytest.approx(2.5 / math.sqrt(1.25 * 2.0))
    assert found.needs.low == pytest.approx(1.25)
    assert found.needs.high == pytest.approx(2.0)
    assert found.needs.n == 2


def test_the_interval_is_that_of_t_on_the_logs_of_the_launches() -> None:
    speedups = (1.4, 1.5, 1.6)
    found = need(
        THROUGHPUT,
        [base(n, 0.0) for n in (1, 2, 3)],
        [arm(n, s) for n, s in enumerate(speedups, 1)],
    )
    logs = [math.log(2.5 / s) for s in speedups]
    mean = sum(logs) / 3
    error = math.sqrt(sum((x - mean) ** 2 for x in logs) / 2 / 3)
    half = t_quantile(0.025, 2) * error
    interval = found.needs.interval
    assert interval is not None
    assert interval.low == pytest.approx(math.exp(mean - half))
    assert interval.high == pytest.approx(math.exp(mean + half))


def test_one_launch_has_no_interval_and_says_so() -> None:
    found = need(THROUGHPUT, [base()], [arm()])
    for figure in (found.gets, found.needs):
        assert figure.interval is None
        assert "one launch" in (figure.no_interval or "")


def test_a_launch_without_a_share_takes_the_mean_of_the_others() -> None:
    bases = [base(1, 0.2), base(2, None), base(3, 0.3)]
    found = need(THROUGHPUT, bases, [arm(n) for n in (1, 2, 3)])
    shares = (0.2, 0.25, 0.3)
    logs = [math.log(2.5 * (1 / 1.5 - f) / (1 - f)) for f in shares]
    assert found.needs.value == pytest.approx(math.exp(sum(logs) / 3))
    assert not found.is_apparent
    assert "in 2 of 3 launches" in found.note
    assert found.prefill_share.n == 2


def test_a_launch_without_tokens_per_step_costs_that_launch() -> None:
    found = need(
        THROUGHPUT, [base(n) for n in (1, 2, 3)], [arm(1), arm(2, tokens=None), arm(3)]
    )
    assert (found.gets.n, found.needs.n) == (2, 2)
