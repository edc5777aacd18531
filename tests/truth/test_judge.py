"""The judge itself, on a cell small enough to work out by hand: it finds the figures,
and it notices what a client lost, made up or stamped before it was sent."""

from dataclasses import replace

import pytest

from tests.truth import drafts
from tests.truth.compare import faults_of
from tests.truth.judge import edges_of, find_truth, pair_up
from tests.truth.seen import SeenCell, SeenRequest
from tests.truth.server_log import Call, ServerLog, Step

MS = 1_000_000
CALL_MS = 100


def _call(place: int, start_ms: int) -> Call:
    """Read 1 ms after it was sent; 4 tokens in chunks of 1, 2 and 1."""
    return Call(
        place=place,
        received_ns=(start_ms + 1) * MS,
        output_tokens=4,
        finish_reason="stop",
        fault=None,
        sent=tuple(((start_ms + ms) * MS, n) for ms, n in ((21, 1), (51, 3), (81, 4))),
        histogram=(1, 1),
        draft_tokens=2,
    )


def _request(slot: int, start_ms: int, call: Call) -> SeenRequest:
    """As a client without lag records it."""
    return SeenRequest(
        slot=slot,
        is_measured=True,
        has_failed=False,
        sent_ns=start_ms * MS,
        end_ns=(start_ms + CALL_MS) * MS,
        output_tokens=4,
        arrivals=call.sent,
    )


STARTS = [(0, 0), (1, 50), (0, 100), (1, 150), (0, 200), (1, 250)]
CALLS = tuple(_call(place, start) for place, (_, start) in enumerate(STARTS))
CELL = SeenCell(
    concurrency=2,
    requests=tuple(
        _request(slot, start, call)
        for (slot, start), call in zip(STARTS, CALLS, strict=True)
    ),
    pages=(),
)
STEPS = tuple(
    Step(
        place=10 + n,
        began_ns=n * 10 * MS,
        ended_ns=(n + 1) * 10 * MS,
        played_ns=(n + 1) * 10 * MS,
        sequences=2 if n % 2 else 1,
        drafts=1,
        draft_tokens=2,
        accepted_by_position=(1, n % 2),
    )
    for n in range(40)
)
LOG = ServerLog(True, CALLS, STEPS, ())


def test_the_window_is_from_the_last_first_end_to_the_first_last_end() -> None:
    edges = edges_of(CELL)
    assert (edges.open_ns, edges.close_ns) == (150 * MS, 300 * MS)
    assert edges.all_busy_ns == 50 * MS


def test_the_figures_are_those_worked_out_by_hand() -> None:
    truth = find_truth(CELL, LOG, CALLS)
    assert truth.window_s == pytest.approx(0.15)
    # of the call that began at 100 the chunks at 151 and 181, all of those that began
    # at 150 and 200, and the first, at 271, of the one that began at 250
    assert truth.throughput == pytest.approx((2 + 1 + 4 + 4 + 1) / 0.15)
    # steps 15 to 29: eight of 2 sequences, seven of 1
    assert truth.running == pytest.approx(23 / 15)
    assert truth.running_spread == pytest.approx((39 / 15 - (23 / 15) ** 2) ** 0.5)
    assert truth.tpot_p50 == pytest.approx(0.020)
    assert truth.ttft_p50[0] == pytest.approx(0.020)
    assert truth.tokens_per_step == pytest.approx(1.5)


def test_a_lost_chunk_is_noticed() -> None:
    first, *others = CELL.requests
    lossy = replace(first, arrivals=first.arrivals[:-1])
    with pytest.raises(AssertionError, match="no call is what"):
        pair_up(replace(CELL, requests=(lossy, *others)), CALLS)


def test_a_request_that_was_not_recorded_is_noticed() -> None:
    with pytest.raises(AssertionError, match="never recorded"):
        pair_up(replace(CELL, requests=CELL.requests[1:]), CALLS)


def test_a_stamp_before_the_sending_is_noticed() -> None:
    first, *others = CELL.requests
    (at, tokens), *rest = first.arrivals
    early = replace(first, arrivals=((at - 1, tokens), *rest))
    with pytest.raises(AssertionError, match="no call is what"):
        pair_up(replace(CELL, requests=(early, *others)), CALLS)


@pytest.mark.parametrize(
    ("change", "wrong"),
    [
        ({}, []),
        ({"output_throughput": 80 * 1.011}, ["output throughput"]),
        ({"tpot": {"p50": 0.0202 + 1e-5, "mean": 0.02}}, ["tpot p50"]),
        ({"ttft": {"p50": 0.02, "mean": 0.0233}}, ["ttft mean"]),
        ({"ttft": {"p50": 0.0165, "mean": 0.02}}, ["ttft p50"]),
    ],
)
def test_a_figure_beyond_its_bound_is_a_fault(
    change: dict[str, object], wrong: list[str]
) -> None:
    truth = find_truth(CELL, LOG, CALLS)
    figures = {
        "output_throughput": 80.0,
        "tpot": {"p50": 0.02, "mean": 0.02},
        "ttft": {"p50": 0.02, "mean": 0.02},
        **change,
    }
    told = faults_of(
        figures, replace(truth, ttft_p50=(0.02, 0.02), ttft_mean=(0.02,) * 2)
    )
    assert [fault.partition(":")[0] for fault in told] == wrong


def test_drafts_of_calls_and_of_steps() -> None:
    of_calls = drafts.of_calls(CALLS)
    assert (of_calls.drafts, of_calls.draft_tokens, of_calls.accepted) == (12, 12, 6)
    of_steps = drafts.of_steps(STEPS)
    assert of_steps.by_position == (1.0, 0.5)
    assert of_steps.conditional == (1.0, 0.5)
    assert of_steps.length == 2.5
    assert of_steps.rate == 0.75
