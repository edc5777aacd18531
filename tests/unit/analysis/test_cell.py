"""A whole cell: what the window holds, what stands beside it, and that what is missing
is None with a reason."""

import json
import random
from collections.abc import Sequence
from dataclasses import asdict, fields, replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from specbench.analysis.cell import summarise_cell
from specbench.analysis.reasons import NO_FIGURES
from specbench.analysis.window import Window, find_window
from specbench.schema.cell import CellKey
from specbench.schema.findings import CellStats, LatencyBasis
from specbench.schema.record import ClientHealth
from specbench.schema.sample import Outcome, RequestSample, Role
from specbench.schema.snapshot import EngineReading, Phase
from tests.factories import (
    chunk,
    chunks_of,
    closed_loop,
    condition,
    counters,
    failed_sample,
    gauges,
    ns,
    observations,
    reading,
    role_chunk,
    sample,
    steady_sample,
)


def row(
    starts_ms: Sequence[float], tokens: int, spacing_ms: float, slot: int = 0
) -> list[RequestSample]:
    """One slot's requests; the first one is the warm-up."""
    return [
        steady_sample(
            start,
            tokens,
            spacing_ms,
            index=place,
            slot=slot,
            role=Role.WARMUP if place == 0 else Role.MEASURED,
        )
        for place, start in enumerate(starts_ms)
    ]


def gauge_readings(
    running: Sequence[tuple[Phase, float, float]],
) -> list[EngineReading]:
    return [reading(phase, at, seen=gauges(value)) for phase, at, value in running]


def h07_samples() -> list[RequestSample]:
    """Outputs of 0, 1 and 5 tokens."""
    return [
        sample([role_chunk(30, 0)], output_tokens=0, end_ms=60),
        sample(chunks_of([100], [1], counted=True)),
        sample(chunks_of([100, 130, 160, 190, 220], [1] * 5, counted=True)),
    ]


# -- what the window holds ---------------------------------------------------


def test_a_steady_loop_gives_back_its_programmed_truth() -> None:
    # two slots, 10 tokens 20 ms apart: 100 tokens/s and 5 requests/s each
    starts = [0.0, 200.0, 400.0, 600.0, 800.0]
    samples = row(starts, 10, 20.0) + row([s + 100 for s in starts], 10, 20.0, slot=1)
    stats = summarise_cell(observations(samples, concurrency=2))
    assert stats.window_s == pytest.approx(0.7)
    assert stats.output_throughput == pytest.approx(100.0)
    assert stats.request_throughput == pytest.approx(10.0)
    assert stats.in_flight == pytest.approx(2.0)
    assert stats.tpot is not None
    assert stats.tpot.p50 == pytest.approx(0.020)
    assert stats.ttft is not None
    assert stats.ttft.p99 == pytest.approx(0.020)
    assert stats.latency_basis is LatencyBasis.FULL_LOAD
    assert stats.tokens_exact


def test_latencies_are_over_measured_requests_at_full_load() -> None:
    # the warm-up and the drained request are slow on purpose
    samples = [
        *closed_loop([[100, 200, 300, 900]]),
        *[
            sample([chunk(end, 1)], slot=1, sent_ms=start, scheduled_ms=start)
            for start, end in ((0, 150), (150, 250), (250, 350))
        ],
    ]
    stats = summarise_cell(observations(samples, concurrency=2))
    window = find_window(samples, 2)
    assert isinstance(window, Window)
    assert (window.open_ns, window.close_ns) == (ns(150), ns(350))
    assert stats.e2e_latency is not None
    # four were sent after both slots were busy and ended before one was dry
    assert stats.e2e_latency.n == 4
    assert stats.e2e_latency.p99 == pytest.approx(0.100)
    assert stats.whole_run.e2e_latency is not None
    assert stats.whole_run.e2e_latency.n == 6
    assert stats.whole_run.e2e_latency.p99 > 0.5


def test_without_a_window_latencies_are_over_all_requests_and_say_so() -> None:
    stats = summarise_cell(observations(h07_samples(), concurrency=4))
    assert stats.latency_basis is LatencyBasis.WHOLE_RUN
    assert stats.window_s is None
    assert stats.output_throughput is None
    assert stats.ttft is not None
    assert "slots" in stats.missing["window_s"]
    assert "slots" in stats.missing["output_throughput"]


def test_the_whole_run_stands_beside_the_window() -> None:
    stats = summarise_cell(observations(row([0.0, 200.0, 400.0], 10, 20.0)))
    # the warm-up shared the server: three requests of 10 tokens in 600 ms
    assert stats.whole_run.duration_s == pytest.approx(0.6)
    assert stats.whole_run.output_throughput == pytest.approx(50.0)


# -- failures and empty outputs ----------------------------------------------


def test_h06_a_failed_request_is_counted_and_in_no_figure() -> None:
    good = row([0.0, 200.0, 400.0, 600.0], 5, 40.0)
    bad = failed_sample(
        "EngineCore stopped while generating",
        chunks=chunks_of([801, 802, 803], [1, 1, 1], counted=True),
        sent_ms=800,
        end_ms=804,
        output_tokens=3,
    )
    clean = summarise_cell(observations(good))
    stats = summarise_cell(observations([*good, bad]))
    assert (stats.completed, stats.failed) == (3, 1)
    assert stats.errors == ("EngineCore stopped while generating",)
    assert stats.output_tokens == 15
    assert (stats.ttft, stats.tpot) == (clean.ttft, clean.tpot)
    assert stats.whole_run.ttft == clean.whole_run.ttft
    assert any("EngineCore stopped" in finding.message for finding in stats.findings)


def test_h07_a_mean_is_over_the_requests_that_have_the_figure() -> None:
    stats = summarise_cell(observations(h07_samples()))
    assert stats.tpot is not None
    assert stats.tpot.n == 1
    assert stats.tpot.mean == pytest.approx(0.030)
    assert stats.ttft is not None
    assert stats.ttft.n == 2
    assert stats.ttft.mean == pytest.approx(0.100)
    assert (stats.completed, stats.empty, stats.output_tokens) == (3, 1, 6)


def test_h07_a_cell_without_any_text_is_void_and_has_no_latency() -> None:
    empties = [
        sample([role_chunk(at + 30, 0)], output_tokens=0, sent_ms=at, end_ms=at + 60)
        for at in (0.0, 60.0, 120.0)
    ]
    stats = summarise_cell(observations(empties))
    assert (stats.ttft, stats.tpot, stats.itl, stats.e2e_latency) == (None,) * 4
    assert stats.output_throughput == 0.0
    assert stats.whole_run.output_throughput == 0.0
    assert stats.is_void
    assert stats.empty == 3


def test_a_cell_whose_requests_all_failed_is_void_and_still_a_summary() -> None:
    refused = [failed_sample("refused", sent_ms=at, end_ms=at + 1) for at in range(4)]
    stats = summarise_cell(observations(refused))
    assert (stats.completed, stats.failed) == (0, 4)
    assert stats.whole_run.duration_s is None
    assert stats.whole_run.output_throughput is None
    assert stats.is_void


def test_a_cell_without_a_single_request_is_still_a_summary() -> None:
    stats = summarise_cell(observations([]))
    assert stats.completed == 0
    assert stats.is_void


# -- the engine's own series -------------------------------------------------


def test_the_running_batch_is_weighted_by_time() -> None:
    # read after 10 ms, then late, then often: the mean follows time, not readings
    samples = closed_loop([[100, 600, 1100]])
    readings = gauge_readings(
        [
            (Phase.BEFORE, 0, 0),
            (Phase.OPEN, 100, 0),
            (Phase.INSIDE, 200, 8),
            (Phase.INSIDE, 900, 8),
            (Phase.INSIDE, 1000, 4),
            (Phase.CLOSE, 1100, 0),
            (Phase.AFTER, 1200, 0),
        ]
    )
    stats = summarise_cell(observations(samples, readings))
    assert stats.running_batch == pytest.approx((800 * 8 + 100 * 6 + 100 * 4) / 1000)


def test_idle_readings_before_and_after_the_cell_do_not_enter_the_batch() -> None:
    samples = closed_loop([[100, 600, 1100]])
    readings = gauge_readings(
        [
            (Phase.BEFORE, 0, 0),
            *[(Phase.INSIDE, at, 5) for at in (300, 600, 900)],
            (Phase.AFTER, 1200, 0),
        ]
    )
    stats = summarise_cell(observations(samples, readings))
    assert stats.running_batch == pytest.approx(5.0)


def test_a_reading_answered_after_the_close_does_not_enter_the_batch() -> None:
    # asked for while all slots were busy, answered when one was dry
    samples = closed_loop([[100, 600, 1100]])
    inside = [(Phase.INSIDE, at, 5) for at in (300, 600, 900)]
    readings = gauge_readings([*inside, (Phase.INSIDE, 1101, 0)])
    stats = summarise_cell(observations(samples, readings))
    assert stats.running_batch == pytest.approx(5.0)


def test_two_readings_are_too_few_for_a_running_batch() -> None:
    readings = gauge_readings([(Phase.INSIDE, 300, 5), (Phase.INSIDE, 600, 5)])
    stats = summarise_cell(observations(closed_loop([[100, 600, 1100]]), readings))
    assert stats.running_batch is None
    assert "fewer than 3" in stats.missing["running_batch"]


def test_a_server_without_gauges_has_no_batch_and_a_reason() -> None:
    stats = summarise_cell(observations(closed_loop([[100, 200, 300]])))
    assert stats.running_batch is None
    assert stats.missing["running_batch"]


def test_acceptance_is_the_windows_and_the_whole_cells_stands_beside_it() -> None:
    drafts = {Phase.BEFORE: 0.0, Phase.OPEN: 50.0, Phase.CLOSE: 150.0, Phase.AFTER: 250}
    readings = [
        reading(
            phase,
            100 * place,
            counters(
                drafts=count, draft_tokens=3 * count, accepted_tokens=max(0, count - 50)
            ),
        )
        for place, (phase, count) in enumerate(drafts.items())
    ]
    stats = summarise_cell(observations(closed_loop([[100, 200, 300]]), readings))
    assert stats.acceptance is not None
    assert (stats.acceptance.drafts, stats.acceptance.length) == (100, 2.0)
    assert stats.whole_run.acceptance is not None
    assert stats.whole_run.acceptance.length == pytest.approx(1 + 200 / 250)


def test_h10_a_baseline_without_the_series_has_a_reason_and_no_remark() -> None:
    samples = row([0.0, 200.0, 400.0, 600.0, 800.0], 10, 20.0)
    readings = [reading(phase, 0, counters(preemptions=0.0)) for phase in Phase]
    stats = summarise_cell(observations(samples, readings))
    assert stats.acceptance is None
    assert "no speculation counters" in stats.missing["acceptance"]
    assert stats.findings == ()


def test_h10_an_arm_without_the_series_is_flagged() -> None:
    readings = [reading(phase, 0, counters(preemptions=0.0)) for phase in Phase]
    seen = replace(
        observations(row([0.0, 200.0, 400.0], 10, 20.0), readings),
        key=CellKey(condition(1), "ngram", 1),
        expects_speculation=True,
    )
    codes = [finding.code for finding in summarise_cell(seen).findings]
    assert "acceptance-unknown" in codes


@pytest.mark.parametrize(("is_wanted", "is_void"), [(False, True), (True, False)])
def test_h15_the_hit_rate_is_of_the_cell_and_voids_it(
    is_wanted: bool, is_void: bool
) -> None:
    readings = [
        reading(Phase.BEFORE, 0, counters(prefix_queries=4e4, prefix_hits=1e4)),
        reading(Phase.AFTER, 9, counters(prefix_queries=5.6e4, prefix_hits=2.4e4)),
    ]
    samples = row([0.0, 200.0, 400.0, 600.0, 800.0], 10, 20.0)
    seen = observations(samples, readings, is_caching_wanted=is_wanted)
    stats = summarise_cell(seen)
    assert stats.prefix_hit_rate == 0.875
    assert stats.is_void is is_void


def test_h15_without_the_series_the_hit_rate_is_unknown_and_no_remark() -> None:
    readings = [reading(phase, 0, counters(preemptions=0.0)) for phase in Phase]
    samples = row([0.0, 200.0, 400.0, 600.0, 800.0], 10, 20.0)
    stats = summarise_cell(observations(samples, readings))
    assert stats.prefix_hit_rate is None
    assert stats.missing["prefix_hit_rate"]
    assert not stats.is_void


def test_preemptions_are_the_growth_over_the_cell() -> None:
    readings = [
        reading(Phase.BEFORE, 0, counters(preemptions=7.0)),
        reading(Phase.AFTER, 9, counters(preemptions=9.0)),
    ]
    stats = summarise_cell(observations(row([0.0, 200.0], 10, 20.0), readings))
    assert stats.preemptions == 2.0


# -- properties of any summary -----------------------------------------------


@st.composite
def cells(draw: st.DrawFn) -> list[RequestSample]:
    """A closed loop with all sorts of outcomes and packings."""
    made: list[RequestSample] = []
    for slot in range(draw(st.integers(1, 3))):
        start = float(draw(st.integers(0, 20)))
        for place in range(draw(st.integers(1, 4))):
            kind = draw(st.sampled_from(["ok", "ok", "ok", "empty", "failed", "bare"]))
            tokens = draw(st.integers(1, 6))
            arrivals = [start + 10 * (i + 1) for i in range(tokens)]
            ended = arrivals[-1] + draw(st.integers(0, 5))
            text = chunks_of(arrivals, [1] * tokens, counted=kind != "bare")
            outcomes = {"empty": Outcome.EMPTY, "failed": Outcome.FAILED}
            made.append(
                sample(
                    () if kind == "empty" else text,
                    index=len(made),
                    slot=slot,
                    role=Role.WARMUP if place == 0 else Role.MEASURED,
                    scheduled_ms=start,
                    sent_ms=start,
                    end_ms=ended,
                    outcome=outcomes.get(kind, Outcome.OK),
                    error="boom" if kind == "failed" else None,
                    output_tokens=0 if kind == "empty" else tokens,
                )
            )
            start = ended
    return made


def slots_of(samples: Sequence[RequestSample]) -> int:
    return len({s.slot for s in samples})


@settings(max_examples=60)
@given(cells(), st.randoms(use_true_random=False))
def test_a_summary_does_not_depend_on_the_order_of_the_samples(
    samples: list[RequestSample], shuffler: random.Random
) -> None:
    shuffled = list(samples)
    shuffler.shuffle(shuffled)
    there = summarise_cell(observations(samples, concurrency=slots_of(samples)))
    back = summarise_cell(observations(shuffled, concurrency=slots_of(samples)))
    # a sum of fractions may differ in its last digit
    assert replace(there, output_throughput=None, window_error=None) == replace(
        back, output_throughput=None, window_error=None
    )
    if there.output_throughput is not None:
        assert back.output_throughput == pytest.approx(there.output_throughput)
    if there.window_error is not None:
        assert back.window_error == pytest.approx(there.window_error, abs=1e-9)


@settings(max_examples=60)
@given(cells(), st.integers(-(10**12), 10**15))
def test_a_summary_does_not_depend_on_when_the_clock_began(
    samples: list[RequestSample], shift_ns: int
) -> None:
    moved = [
        replace(
            s,
            scheduled_ns=s.scheduled_ns + shift_ns,
            sent_ns=s.sent_ns + shift_ns,
            end_ns=s.end_ns + shift_ns,
            chunks=tuple(
                c._replace(arrival_ns=c.arrival_ns + shift_ns) for c in s.chunks
            ),
        )
        for s in samples
    ]
    load = slots_of(samples)
    there = summarise_cell(observations(samples, concurrency=load))
    assert summarise_cell(observations(moved, concurrency=load)) == there


@settings(max_examples=60)
@given(cells())
def test_a_summary_is_strict_json(samples: list[RequestSample]) -> None:
    stats = summarise_cell(observations(samples, concurrency=slots_of(samples)))
    json.dumps(asdict(stats), allow_nan=False)


@settings(max_examples=60)
@given(cells())
def test_every_measured_request_is_counted_once(samples: list[RequestSample]) -> None:
    stats = summarise_cell(observations(samples, concurrency=slots_of(samples)))
    measured = [s for s in samples if s.role is Role.MEASURED]
    failed = [s for s in measured if s.outcome is Outcome.FAILED]
    good = [s for s in measured if s.outcome is not Outcome.FAILED]
    assert (stats.completed, stats.failed) == (len(good), len(failed))
    assert sum(stats.finish_reasons.values()) == len(good)


UNKNOWN_CLIENT = ClientHealth(None, None, None, 0, None)


def absent_fields(stats: CellStats) -> set[str]:
    """Names of figures that are None."""
    return {
        f.name
        for f in fields(stats)
        if getattr(stats, f.name) is None and f.name not in NO_FIGURES
    }


@pytest.mark.parametrize(
    "samples",
    [[], h07_samples(), closed_loop([[100, 200, 300]])],
    ids=["nothing", "no window", "no metrics page"],
)
def test_a_figure_is_none_exactly_where_a_reason_stands(
    samples: list[RequestSample],
) -> None:
    seen = replace(observations(samples), client=UNKNOWN_CLIENT)
    stats = summarise_cell(seen)
    explained = set(stats.missing) & {f.name for f in fields(stats)}
    assert explained == absent_fields(stats)


def test_the_running_batch_does_not_include_the_drain() -> None:
    # one slot, always busy from 0 to 1100; the page is read 2 ms after each edge
    samples = closed_loop([[100, 600, 1100]])
    readings = gauge_readings(
        [
            (Phase.BEFORE, -5, 0),
            (Phase.OPEN, 102, 0),
            *[(Phase.INSIDE, at, 1) for at in (300, 600, 900)],
            (Phase.CLOSE, 1102, 0),
            (Phase.AFTER, 1110, 0),
        ]
    )
    stats = summarise_cell(observations(samples, readings))
    assert stats.in_flight == pytest.approx(1.0)
    assert stats.running_batch == pytest.approx(1.0, rel=0.01)


def test_without_the_servers_token_counts_throughput_is_unknown_and_not_zero() -> None:
    bare = [
        sample(
            [chunk(at + 50), chunk(at + 100)],
            sent_ms=at,
            end_ms=at + 100,
            output_tokens=None,
        )
        for at in (0.0, 100.0, 200.0, 300.0, 400.0)
    ]
    stats = summarise_cell(observations(bare))
    assert stats.output_throughput is None
    assert stats.output_tokens is None
    assert stats.missing["output_tokens"]
    assert stats.whole_run.output_throughput is None
    assert "no-text" not in {finding.code for finding in stats.findings}


def test_a_first_page_that_could_not_be_read_gives_no_growth_over_the_cell() -> None:
    # the counters stood there before the cell: an engine's life is not a cell's
    readings = [
        reading(Phase.BEFORE, 0, counters()),
        reading(
            Phase.AFTER,
            9,
            counters(preemptions=7.0, prefix_queries=4e4, prefix_hits=3e4),
        ),
    ]
    samples = row([0.0, 200.0, 400.0, 600.0, 800.0], 10, 20.0)
    stats = summarise_cell(observations(samples, readings))
    assert (stats.preemptions, stats.prefix_hit_rate) == (None, None)
    assert not stats.is_void
