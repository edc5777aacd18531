"""Cells of an open loop to a break-even: stated on the rate, by the latencies that a
user meets, with the batches beside it."""

from dataclasses import replace

import pytest

from specbench.analysis.run import conclude
from specbench.schema.comparison import (
    OPEN_LOOP,
    Axis,
    BreakEven,
    BreakEvenOutcome,
    Side,
    SpeedupMetric,
)
from specbench.schema.findings import (
    CellStats,
    Finding,
    Goodput,
    RunFindings,
    Severity,
)
from tests.factories import latency, open_cell_stats, open_load

RATES = (0.5, 0.7, 1.0, 1.4, 2.0)
FALLING = (2.0, 1.6, 1.25, 0.9, 0.6)
NOISE = (1.0, 1.01, 0.99)


def cells(
    speedups: tuple[float, ...] = FALLING, goodput: bool = True, launches: int = 3
) -> list[CellStats]:
    made = []
    load = open_load() if goodput else open_load(goodput=None)
    for replicate in range(1, launches + 1):
        for rate, speedup in zip(RATES, speedups, strict=True):
            base = 1.0 + rate
            noise = NOISE[replicate - 1]
            shared = {"open_load": load, "running_batch": 4 * rate}
            made += [
                open_cell_stats(
                    "baseline",
                    replicate,
                    rate,
                    e2e_latency=latency(base / noise),
                    **shared,
                ),
                open_cell_stats(
                    "k3",
                    replicate,
                    rate,
                    e2e_latency=latency(base / speedup * noise),
                    **{**shared, "running_batch": 4 * rate / speedup},
                ),
            ]
    return made


def answer_of(findings: RunFindings, metric: SpeedupMetric) -> BreakEven:
    (found,) = (a for a in findings.break_evens if a.curve.metric is metric)
    return found


def test_an_open_loop_is_compared_by_the_latencies_of_its_users() -> None:
    found = conclude(cells(), ())
    assert tuple(c.metric for c in found.curves) == OPEN_LOOP


def test_without_an_slo_goodput_is_no_metric_of_the_run() -> None:
    found = conclude(cells(goodput=False), ())
    metrics = {c.metric for c in found.curves}
    assert metrics == set(OPEN_LOOP) - {SpeedupMetric.GOODPUT}


def test_the_break_even_is_stated_on_the_rate() -> None:
    answer = answer_of(conclude(cells(), ()), SpeedupMetric.E2E)
    assert answer.outcome is BreakEvenOutcome.PAYS_UP_TO
    assert answer.axis is Axis.RATE
    crossing = answer.crossing
    assert crossing is not None
    assert crossing.at is not None
    # log 1.25 and log 0.9 on log2 of 1.0 and 1.4
    assert crossing.at == pytest.approx(1.257, abs=0.002)
    assert crossing.concurrency == pytest.approx(crossing.at)
    assert crossing.interval is not None
    assert crossing.interval.low is not None
    assert crossing.interval.high is not None
    assert 1.0 <= crossing.interval.low <= crossing.at <= crossing.interval.high <= 1.4


def test_both_running_batches_stand_beside_it() -> None:
    crossing = answer_of(conclude(cells(), ()), SpeedupMetric.E2E).crossing
    assert crossing is not None
    assert crossing.at is not None
    assert crossing.running_batch == pytest.approx(4 * crossing.at)
    # at the break-even itself the two arms would run the same batch
    assert crossing.arm_batch == pytest.approx(4 * crossing.at, rel=0.01)


def test_loads_are_named_by_their_rate() -> None:
    answer = answer_of(conclude(cells(), ()), SpeedupMetric.E2E)
    assert answer.first_slower_concurrency == 1.4
    assert answer.loads(Side.PAYS) == (0.5, 0.7, 1.0)
    assert answer.loads(Side.LOSES) == (1.4, 2.0)


def test_advice_speaks_of_rates() -> None:
    found = conclude(cells((2.0, 1.9, 1.8, 1.7, 1.6)), ())
    answer = answer_of(found, SpeedupMetric.E2E)
    assert answer.outcome is BreakEvenOutcome.PAYS_EVERYWHERE
    assert answer.next_step.endswith("go beyond request rate 2")


def test_a_void_cell_takes_part_in_nothing() -> None:
    late = Finding(Severity.VOID, "client-late", "late", "do less")
    spoilt = [
        open_cell_stats(
            c.key.arm, c.key.replicate, 2.0, e2e_latency=latency(9.0), findings=(late,)
        )
        if c.key.condition.request_rate == 2.0
        else c
        for c in cells()
    ]
    answer = answer_of(conclude(spoilt, ()), SpeedupMetric.E2E)
    assert [p.speedup.value is None for p in answer.curve.points] == 4 * [False] + [
        True
    ]


def test_goodput_of_zero_is_no_speedup_and_the_reason_says_so() -> None:
    nothing = open_load(goodput=Goodput(rate=0.0, good=0, due=64, unknown=0))
    spoilt = [
        open_cell_stats(c.key.arm, c.key.replicate, 2.0, open_load=nothing)
        if c.key.condition.request_rate == 2.0 and c.key.arm == "k3"
        else c
        for c in cells()
    ]
    answer = answer_of(conclude(spoilt, ()), SpeedupMetric.GOODPUT)
    last = answer.curve.points[-1]
    assert last.side is Side.UNKNOWN
    assert "no request kept the [slo]" in (last.speedup.missing or "")


def test_where_every_request_was_good_goodput_tells_nothing() -> None:
    full = open_load(goodput=Goodput(rate=1.0, good=64, due=64, unknown=0))
    easy = [
        replace(c, open_load=full) if c.key.condition.request_rate < 1 else c
        for c in cells()
    ]
    answer = answer_of(conclude(easy, ()), SpeedupMetric.GOODPUT)
    assert [p.speedup.value is None for p in answer.curve.points] == [
        *2 * [True],
        *3 * [False],
    ]
    assert "every request was good" in (answer.curve.points[0].speedup.missing or "")


def test_tokens_per_step_are_not_held_against_those_of_another_batch() -> None:
    found = conclude(cells(), ())
    assert all(p.need is None for c in found.curves for p in c.points)
