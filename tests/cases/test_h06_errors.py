"""H06, an error at any event and in every known shape: the request has failed, with the
server's words, keeps what came before, and is in no figure."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specbench.analysis.cell import summarise_cell
from specbench.analysis.requests import derive_figures
from specbench.schema.sample import Outcome, RequestSample, Role
from tests.cases.answers import DONE, ROLE, STOP, answered, cut_anywhere, said
from tests.factories import failed_sample, observations, steady_sample
from tests.fuzz.streams import counts, serialised

WORDS = "EngineCore stopped while generating"
DOCUMENTS: list[dict[str, Any]] = [
    {"error": {"message": WORDS, "type": "InternalServerError", "code": 500}},
    {"error": {"message": WORDS, "type": None, "param": None, "code": None}},
    {"error": {"object": "error", "message": WORDS, "code": 400}},
    {"error": {"detail": WORDS}},
    {"error": {"reason": WORDS}},
    {"error": WORDS},
    {"error": [WORDS]},
    {"error": WORDS, "error_type": "generation"},
    {"object": "error", "message": WORDS, "type": "BadRequestError", "code": 400},
    {"error": {"message": WORDS}, "choices": [], "usage": None},
    {"error": {"message": WORDS}, "choices": [{"index": 0, "delta": {}}]},
]
NAMED: list[Any] = [{"message": WORDS}, {"detail": WORDS}, {"error": {"x": WORDS}}]


def failures() -> list[bytes]:
    plain = [b"data: " + serialised(d) + b"\n\n" for d in DOCUMENTS]
    named = [b"event: error\ndata: " + serialised(d) + b"\n\n" for d in NAMED]
    bare = [b"event: error\r\ndata: " + WORDS.encode() + b"\r\n\r\n"]
    return plain + named + bare


def text_events(count: int) -> list[bytes]:
    return [
        said({"content": f" w{i}"}, usage=counts(9, i + 1), finish=None)
        for i in range(count)
    ]


@given(
    st.sampled_from(failures()),
    st.integers(0, 5),
    st.integers(0, 2),
    st.sampled_from([DONE, b"", STOP + DONE]),
    st.data(),
)
def test_an_error_at_any_event_fails_the_request_with_the_servers_words(
    failure: bytes, before: int, after: int, end: bytes, data: st.DataObject
) -> None:
    events = text_events(before + after)
    sent = ROLE + b"".join(events[:before]) + failure + b"".join(events[before:]) + end
    sample = answered(list(enumerate(cut_anywhere(data.draw, sent))))
    assert sample.outcome is Outcome.FAILED
    assert sample.error is not None
    assert WORDS in sample.error
    kept = [chunk.text for chunk in sample.chunks][: before + 1]
    assert kept == ["", *(f" w{i}" for i in range(before))]
    assert derive_figures(sample).ttft is None


@pytest.mark.parametrize("reason", ["abort", "error"])
def test_an_answer_that_the_engine_broke_off_is_no_success(reason: str) -> None:
    """Finish reasons of vLLM 0.32.0, v1/engine/__init__.py, that are no ending of an
    answer: what was generated is a part of it."""
    sent = ROLE + b"".join(text_events(3)) + said({}, finish=reason) + DONE
    sample = answered([(5, sent)])
    assert sample.outcome is Outcome.FAILED
    assert reason in (sample.error or "")


@given(
    st.sampled_from([400, 401, 404, 408, 413, 422, 429, 500, 502, 503, 504]),
    st.sampled_from(
        [
            *(serialised(d) for d in DOCUMENTS),
            b'{"detail":[{"loc":["body"],"msg":"' + WORDS.encode() + b'"}]}',
            b"<html><h1>" + WORDS.encode() + b"</h1></html>",
            WORDS.encode(),
        ]
    ),
)
def test_an_error_status_fails_with_the_status_and_the_words(
    status: int, body: bytes
) -> None:
    sample = answered([(5, body)], status)
    assert sample.outcome is Outcome.FAILED
    assert str(status) in (sample.error or "")
    assert WORDS in (sample.error or "")


def requests_of(slot: int, fails: list[bool]) -> list[RequestSample]:
    """A slot's requests back to back: good ones of 5 tokens and 200 ms; bad ones that
    look fast, three tokens at once."""
    made: list[RequestSample] = []
    start = 7.0 * slot
    for place, is_bad in enumerate([False, *fails]):
        changes: dict[str, Any] = {
            "index": 100 * slot + place,
            "slot": slot,
            "role": Role.MEASURED if place else Role.WARMUP,
        }
        one = steady_sample(start, 5, 40.0, **changes)
        if is_bad:
            fast = steady_sample(start, 3, 1.0, **changes)
            one = failed_sample(
                WORDS,
                chunks=fast.chunks,
                sent_ms=start,
                scheduled_ms=start,
                end_ms=start + 200,
                output_tokens=3,
                **changes,
            )
        made.append(one)
        start += 200
    return made


@given(
    st.lists(st.lists(st.booleans(), min_size=3, max_size=6), min_size=1, max_size=3)
)
def test_failed_requests_are_counted_and_in_no_figure(slots: list[list[bool]]) -> None:
    samples = [s for i, fails in enumerate(slots) for s in requests_of(i, fails)]
    stats = summarise_cell(observations(samples, concurrency=len(slots)))
    flat = [is_bad for fails in slots for is_bad in fails]
    good, bad = flat.count(False), flat.count(True)
    assert (stats.completed, stats.failed) == (good, bad)
    assert stats.output_tokens == 5 * good
    assert stats.errors == ((WORDS,) if bad else ())
    assert any(WORDS in finding.message for finding in stats.findings) is bool(bad)
    for latency in (stats.tpot, stats.whole_run.tpot):
        if latency is not None:
            assert latency.mean == pytest.approx(0.040)
            assert latency.n <= good
    for latency in (stats.ttft, stats.whole_run.ttft):
        if latency is not None:
            assert latency.p99 == pytest.approx(0.040)
    if stats.output_throughput is not None:
        # never more than all slots together can deliver
        assert stats.output_throughput <= 25 * len(slots) * (1 + 1e-9) + 5 / 0.2
        clean = summarise_cell(
            observations([s for s in samples if s.outcome is not Outcome.FAILED])
        )
        assert stats.mean_output_tokens == clean.mean_output_tokens
