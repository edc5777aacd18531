"""Whatever a server does to a stream ends as a failed sample with a reason and as the
right mark on the cell, never as an exception; and the server agrees on which calls
failed."""

import itertools
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from specbench.load.crew import LoadCrew
from specbench.schema.sample import Outcome, RequestSample
from tests.truth.by_hand import Driven, HandCell, drive, log_file
from tests.truth.compare import tell
from tests.truth.server_log import Call, ServerLog
from tests.truth.servers import DRAFTER, serving

FAST = ("--step-base-ms=3", "--step-per-token-ms=0.01", "--output-tokens=24")
CONCURRENCY = 4
REQUESTS = 40


@dataclass(frozen=True, slots=True)
class Case:
    """A fault and what its sample says."""

    fault: dict[str, Any]
    reason: str
    """In lower case, somewhere in the sample's error."""


CASES = [
    Case({"kind": "error-event", "after_tokens": 5, "message": "engine broke"},
         "engine broke"),
    Case({"kind": "connection-reset", "after_tokens": 5}, ""),
    Case({"kind": "cut", "after_tokens": 5}, ""),
    Case({"kind": "hang", "after_tokens": 5}, ""),
    Case({"kind": "http-error", "status": 503, "body": "overloaded"},
         "http 503: overloaded"),
    Case({"kind": "garbage", "after_tokens": 5, "where": "framing"}, ""),
]  # fmt: skip


def _drive(
    folder: Path,
    *faults: dict[str, Any],
    flags: tuple[str, ...] = (),
    drafts: bool = False,
) -> tuple[Driven, ServerLog]:
    told = [f"--fault={json.dumps(fault)}" for fault in faults]
    with serving(log_file(folder), *FAST, *flags, *told) as server:
        with LoadCrew.start(1) as crew:
            cell = HandCell(
                server.url,
                CONCURRENCY,
                REQUESTS,
                stall_s=1.0,
                expects_speculation=drafts,
            )
            driven = drive(crew, cell)
        return driven, server.log()


def _failed(driven: Driven) -> list[RequestSample]:
    return [s for s in driven.samples if s.outcome is Outcome.FAILED]


def _call_of(sample: RequestSample, calls: tuple[Call, ...]) -> Call:
    """The call received within this request's time that got as far."""
    seen = [c.tokens_so_far for c in sample.chunks if c.text]
    fitting = [
        call
        for call in calls
        if sample.sent_ns <= call.received_ns <= sample.end_ns
        and call.fault is not None
        and [t for _, t in call.sent][: len(seen)] == seen
    ]
    assert fitting, f"the server knows of no fault for {sample}"
    return min(fitting, key=lambda call: call.received_ns)


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.fault["kind"])
def test_a_stream_that_fails_is_a_failed_sample_with_its_reason(
    case: Case, tmp_path: Path
) -> None:
    faults = [{**case.fault, "request": n} for n in (11, 19)]
    driven, log = _drive(tmp_path, *faults)
    failed = _failed(driven)
    struck = [call for call in log.calls if call.fault is not None]
    assert len(driven.samples) == REQUESTS
    assert len(failed) == len(struck) == 2
    assert {c.place for c in struck} == {_call_of(s, log.calls).place for s in failed}
    for sample in failed:
        tell("%s -> %s", case.fault["kind"], sample.error)
        assert sample.error
        assert case.reason in sample.error.lower()
    assert driven.figures["failed"] == 2
    assert driven.figures["completed"] == REQUESTS - 2
    # 2 of 40 are over the bound for errors
    assert "errors" in driven.void_codes


def test_garbage_between_events_fails_no_request_that_the_server_completed_whole(
    tmp_path: Path,
) -> None:
    """Lines that are no fields are nothing to a reader of event streams: what follows
    is whole or it is a failure, and no count is invented."""
    fault = {"kind": "garbage", "after_tokens": 5, "where": "body", "request": 11}
    driven, log = _drive(tmp_path, fault)
    truly = {c.output_tokens for c in log.calls}
    assert len(_failed(driven)) <= 1
    for sample in driven.samples:
        if sample.outcome is Outcome.OK:
            assert sample.output_tokens in truly


def test_one_failure_in_many_is_not_hidden(tmp_path: Path) -> None:
    driven, log = _drive(tmp_path, {"kind": "cut", "request": 20, "after_tokens": 3})
    assert [c.fault for c in log.calls if c.fault] == ["cut"]
    assert driven.figures["failed"] == 1
    assert driven.figures["errors"]


def test_counters_that_begin_anew_in_the_window_give_no_acceptance(
    tmp_path: Path,
) -> None:
    reset = {"kind": "counter-reset", "after_requests": 20}
    flags = (f"--speculative-config={DRAFTER}",)
    driven, log = _drive(tmp_path, reset, flags=flags, drafts=True)
    shown = [page.counters["drafts"] for page in log.pages]
    assert any(later < one for one, later in itertools.pairwise(shown))
    assert not _failed(driven)
    assert driven.figures["acceptance"] is None
    assert "backwards" in driven.figures["missing"]["acceptance"]
    assert driven.figures["whole_run"]["acceptance"] is None


def test_a_server_that_dies_fails_what_was_in_flight_and_the_cell_ends(
    tmp_path: Path,
) -> None:
    driven, log = _drive(tmp_path, {"kind": "death", "request": 20, "after_tokens": 4})
    failed = _failed(driven)
    well = [s for s in driven.samples if s.outcome is Outcome.OK]
    ended = [c for c in log.calls if c.finish_reason not in {None, "abort"}]
    assert len(well) == len(ended)
    assert all(sample.error for sample in failed)
    assert len(failed) >= CONCURRENCY
    assert driven.figures["is_void"]
    assert "errors" in driven.void_codes
