"""A cell of an open loop: its window from what was due, latencies from then on and over
all measured requests, whether the client sent on time and the server kept up."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specbench.analysis.cell import CellObservations, summarise_cell
from specbench.analysis.open_loop import find_backlog, find_open_window, from_due
from specbench.analysis.window import NoWindow, Window
from specbench.schema.cell import CellKey
from specbench.schema.findings import CellStats, LatencyBasis
from specbench.schema.sample import RequestSample, Role
from specbench.schema.snapshot import Phase
from specbench.schema.sweep import Slo
from tests.factories import (
    CLEAN_CLIENT,
    condition,
    counters,
    failed_sample,
    gauges,
    ns,
    open_sample,
    reading,
)

RATE = 2.0


def loop(count: int, took_ms: float = 300, **changes: Any) -> list[RequestSample]:
    """A request each half second; the first four warm up."""
    return [
        open_sample(
            500.0 * n,
            500.0 * n + took_ms,
            index=n,
            slot=n,
            role=Role.WARMUP if n < 4 else Role.MEASURED,
            **changes,
        )
        for n in range(count)
    ]


def summarise(samples: list[RequestSample], **changes: Any) -> CellStats:
    seen = CellObservations(
        key=CellKey(condition(0, request_rate=RATE), "baseline", 1),
        samples=tuple(samples),
        readings=(),
        client=CLEAN_CLIENT,
    )
    return summarise_cell(replace(seen, **changes))


def window_of(samples: list[RequestSample]) -> Window:
    found = find_open_window(samples)
    assert isinstance(found, Window)
    return found


def codes(stats: CellStats) -> set[str]:
    return {finding.code for finding in stats.findings}


# -- the window ---------------------------------------------------------------


def test_the_window_goes_from_the_last_warm_up_to_the_last_measured_request() -> None:
    window = window_of(loop(24))
    assert (window.open_ns, window.close_ns) == (ns(1500), ns(11500))


def test_as_many_measured_requests_are_due_in_the_window_as_there_are_gaps() -> None:
    stats = summarise(loop(24))
    assert stats.open_load is not None
    assert stats.open_load.backlog is not None
    assert stats.open_load.backlog.due == 20
    assert stats.open_load.arrival_rate == pytest.approx(RATE)


@given(st.lists(st.floats(1, 50_000), min_size=20, max_size=20))
def test_the_window_is_the_same_however_slow_the_server_is(took: list[float]) -> None:
    slow = [
        replace(s, end_ns=s.scheduled_ns + ns(ms))
        for s, ms in zip(loop(20), took, strict=True)
    ]
    assert window_of(slow) == window_of(loop(20))


def test_without_warm_up_the_first_measured_request_opens_the_window() -> None:
    samples = [replace(s, role=Role.MEASURED) for s in loop(8)]
    assert window_of(samples).open_ns == 0


def test_requests_that_are_all_due_at_once_have_no_window() -> None:
    found = find_open_window([open_sample(0, 100), open_sample(0, 200)])
    assert isinstance(found, NoWindow)
    assert "seconds_per_rate" in found.reason
    assert isinstance(find_open_window([]), NoWindow)


# -- latencies ----------------------------------------------------------------


def test_latencies_count_from_the_instant_when_a_request_was_due() -> None:
    late = [replace(s, sent_ns=s.scheduled_ns + ns(100)) for s in loop(24)]
    stats = summarise(late)
    assert stats.e2e_latency is not None
    assert stats.e2e_latency.p50 == pytest.approx(0.3)
    assert stats.ttft is not None
    assert stats.ttft.p50 == pytest.approx(0.15)
    assert stats.whole_run.e2e_latency is not None
    assert stats.whole_run.e2e_latency.p50 == pytest.approx(0.3)
    assert stats.latency_basis is LatencyBasis.FROM_DUE


def test_requests_that_end_after_the_window_are_in_the_latencies() -> None:
    samples = loop(24)
    samples[-1] = open_sample(11500, 91500, index=23, slot=23)
    stats = summarise(samples)
    assert stats.e2e_latency is not None
    assert stats.e2e_latency.n == 20
    assert stats.e2e_latency.mean > 4


def test_failed_requests_are_counted_and_void_the_cell_where_they_are_many() -> None:
    samples = loop(24)
    samples[10] = failed_sample(
        scheduled_ms=5000, sent_ms=5000, end_ms=5100, index=10, slot=10
    )
    stats = summarise(samples)
    assert (stats.completed, stats.failed) == (19, 1)
    assert stats.is_void
    assert "errors" in codes(stats)


def test_throughput_counts_what_came_in_the_window() -> None:
    stats = summarise(loop(24))
    # the last warm-up request ends in it and the last measured one does not
    assert stats.request_throughput == pytest.approx(2.0)
    assert stats.output_throughput == pytest.approx(22.0, rel=0.01)
    assert stats.in_flight == pytest.approx(0.6)


def test_the_running_batch_is_read_between_the_windows_edges() -> None:
    readings = [
        reading(Phase.OPEN, 1500, seen=gauges(9)),
        *[reading(Phase.INSIDE, at, seen=gauges(3)) for at in (3000, 6000, 9000)],
        reading(Phase.CLOSE, 11500, seen=gauges(9)),
    ]
    stats = summarise(loop(24), readings=tuple(readings))
    assert stats.running_batch == pytest.approx(3.0)


def test_acceptance_is_of_the_window() -> None:
    def drafted(count: float) -> Any:
        return counters(drafts=count, draft_tokens=3 * count, accepted_tokens=count)

    readings = (
        reading(Phase.BEFORE, 0, drafted(0)),
        reading(Phase.OPEN, 1500, drafted(100)),
        reading(Phase.CLOSE, 11500, drafted(300)),
        reading(Phase.AFTER, 12500, drafted(400)),
    )
    stats = summarise(loop(24), readings=readings)
    assert stats.acceptance is not None
    assert stats.acceptance.drafts == 200


def test_an_open_loop_has_no_prefill_share_and_says_why() -> None:
    stats = summarise(loop(24))
    assert stats.prefill_share is None
    assert "open" in stats.missing["prefill_share"]


def test_drift_is_not_judged_where_throughput_follows_the_arrivals() -> None:
    stats = summarise(loop(24))
    assert stats.drift is None
    assert "arrivals" in stats.missing["drift"]


# -- the client ---------------------------------------------------------------


def test_the_send_delay_is_over_all_requests() -> None:
    samples = [
        replace(s, sent_ns=s.scheduled_ns + ns(0.5 + (s.index == 0))) for s in loop(24)
    ]
    stats = summarise(samples)
    assert stats.open_load is not None
    assert stats.open_load.send_delay is not None
    assert stats.open_load.send_delay.n == 24
    assert stats.open_load.send_delay.p50 == pytest.approx(0.0005)
    assert stats.open_load.send_delay_max_s == pytest.approx(0.0015)
    assert not codes(stats) & {"client-late", "some-client-delay"}


@pytest.mark.parametrize(
    ("delay_ms", "code"),
    # TTFT is 150 ms from the due instant, so the limit is 3.5 ms
    [(1.7, None), (1.9, "some-client-delay"), (3.6, "client-late")],
)
def test_a_client_that_sends_late_is_flagged_and_then_void(
    delay_ms: float, code: str | None
) -> None:
    samples = [replace(s, sent_ns=s.scheduled_ns + ns(delay_ms)) for s in loop(24)]
    stats = summarise(samples)
    found = codes(stats) & {"client-late", "some-client-delay"}
    assert found == ({code} if code else set())
    assert stats.is_void is (code == "client-late")


# -- the server ---------------------------------------------------------------


def test_a_server_that_keeps_up_is_not_overloaded() -> None:
    stats = summarise(loop(24))
    assert "overloaded" not in codes(stats)
    assert "load-not-held" not in codes(stats)


def test_a_server_that_falls_behind_is_overloaded() -> None:
    # one request after the other, each takes 0.8 s where one arrives each 0.5 s
    samples = [replace(s, end_ns=ns(800.0 * (n + 1))) for n, s in enumerate(loop(100))]
    stats = summarise(samples)
    assert "overloaded" in codes(stats)
    assert not stats.is_void
    assert stats.open_load is not None
    backlog = stats.open_load.backlog
    assert backlog is not None
    assert backlog.in_flight_last > 2 * backlog.in_flight_first
    assert backlog.due > backlog.ended


@given(st.lists(st.floats(1, 20_000), min_size=30, max_size=30))
def test_what_was_due_less_what_ended_is_what_the_number_in_flight_grew_by(
    took: list[float],
) -> None:
    samples = [
        replace(s, end_ns=s.scheduled_ns + ns(ms))
        for s, ms in zip(loop(30), took, strict=True)
    ]
    window = window_of(samples)

    def in_flight(at_ns: int) -> int:
        return sum(s.scheduled_ns <= at_ns < s.end_ns for s in samples)

    found = find_backlog(from_due(samples), window)
    # what ends at the very edge has ended by then
    grown = in_flight(window.close_ns) - in_flight(window.open_ns)
    assert found.due - found.ended == grown


# -- goodput ------------------------------------------------------------------


def test_goodput_counts_the_requests_that_kept_every_limit() -> None:
    samples = loop(24)
    samples[10] = open_sample(5000, 6500, index=10, slot=10)
    stats = summarise(samples, slo=Slo(e2e_ms=1000, ttft_ms=500))
    assert stats.open_load is not None
    goodput = stats.open_load.goodput
    assert goodput is not None
    assert (goodput.good, goodput.due, goodput.unknown) == (19, 20, 0)
    assert goodput.rate == pytest.approx(1.9)
    assert goodput.share == pytest.approx(0.95)


def test_without_an_slo_there_is_no_goodput_and_a_reason() -> None:
    stats = summarise(loop(24))
    assert stats.open_load is not None
    assert stats.open_load.goodput is None
    assert "[slo]" in stats.missing["goodput"]


def test_a_failed_request_is_due_and_not_good() -> None:
    samples = loop(24)
    samples[10] = failed_sample(
        scheduled_ms=5000, sent_ms=5000, end_ms=5100, index=10, slot=10
    )
    stats = summarise(samples, slo=Slo(e2e_ms=1000))
    assert stats.open_load is not None
    goodput = stats.open_load.goodput
    assert goodput is not None
    assert (goodput.good, goodput.due, goodput.unknown) == (19, 20, 0)


def test_an_answer_that_came_whole_in_its_first_chunk_keeps_a_limit_on_tpot() -> None:
    """Or an arm whose drafts are accepted would lose by it."""
    samples = loop(24)
    one = replace(samples[10], chunks=samples[10].chunks[-1:])
    samples[10] = one
    # this one took too long in any case
    samples[11] = replace(one, index=11, scheduled_ns=ns(1600), sent_ns=ns(1600))
    stats = summarise(samples, slo=Slo(e2e_ms=1000, tpot_ms=100))
    assert stats.open_load is not None
    goodput = stats.open_load.goodput
    assert goodput is not None
    assert (goodput.good, goodput.due, goodput.unknown) == (19, 20, 0)


def uncounted(whole: RequestSample) -> RequestSample:
    """Of a server that sends no usage."""
    chunks = tuple(chunk._replace(tokens_so_far=None) for chunk in whole.chunks)
    return replace(whole, chunks=chunks, output_tokens=None)


def test_a_request_without_a_figure_that_a_limit_needs_is_not_good() -> None:
    samples = loop(24)
    samples[10] = uncounted(samples[10])
    stats = summarise(samples, slo=Slo(e2e_ms=1000, tpot_ms=100))
    assert stats.open_load is not None
    goodput = stats.open_load.goodput
    assert goodput is not None
    assert (goodput.good, goodput.due, goodput.unknown) == (19, 20, 1)


def test_where_no_request_has_the_figures_there_is_no_goodput_and_a_reason() -> None:
    samples = [uncounted(sample) for sample in loop(24)]
    stats = summarise(samples, slo=Slo(tpot_ms=100))
    assert stats.open_load is not None
    assert stats.open_load.goodput is None
    assert "[slo]" in stats.missing["goodput"]
