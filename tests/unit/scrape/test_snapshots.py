"""Readings of a metrics page, over a transport that is a function."""

import asyncio
from collections.abc import Callable

import httpx
import pytest

from specbench.schema.snapshot import MetricsSnapshot, Phase
from specbench.scrape.snapshots import SnapshotReader

PAGE = (
    "# TYPE python_info gauge\n"
    'python_info{version="3.11"} 1.0\n'
    "# TYPE vllm:num_requests_running gauge\n"
    'vllm:num_requests_running{engine="0"} 6.0\n'
    'vllm:e2e_request_latency_seconds_bucket{engine="0",le="1.0"} 4.0\n'
    'vllm:e2e_request_latency_seconds_count{engine="0"} 5.0\n'
)

Answers = list[httpx.Response | Exception]


def take_one(
    answers: Answers, now_ns: Callable[[], int] = lambda: 5
) -> MetricsSnapshot:
    return take_all(answers, [Phase.OPEN], now_ns)[0]


def take_all(
    answers: Answers, phases: list[Phase], now_ns: Callable[[], int] = lambda: 5
) -> list[MetricsSnapshot]:
    """`answers` are given in turn."""
    coming = iter(answers)

    def respond(request: httpx.Request) -> httpx.Response:
        assert request.url.path == "/metrics"
        assert request.headers["accept-encoding"] == "identity"
        answer = next(coming)
        if isinstance(answer, Exception):
            raise answer
        return answer

    async def read() -> list[MetricsSnapshot]:
        async with SnapshotReader(
            "http://127.0.0.1:8000/",
            "/metrics",
            "vllm:",
            transport=httpx.MockTransport(respond),
            now_ns=now_ns,
        ) as reader:
            return [await reader.take(phase) for phase in phases]

    return asyncio.run(read())


def test_reading_keeps_the_engines_series_and_when_they_came() -> None:
    assert take_one([httpx.Response(200, text=PAGE)]) == MetricsSnapshot(
        phase=Phase.OPEN,
        instant_ns=5,
        text='vllm:num_requests_running{engine="0"} 6.0\n'
        'vllm:e2e_request_latency_seconds_count{engine="0"} 5.0\n',
        error=None,
    )


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (httpx.Response(500, text="oh"), "status 500"),
        (httpx.ConnectError("refused"), "ConnectError: refused"),
        (httpx.ReadTimeout(""), "ReadTimeout"),
    ],
)
def test_failed_reading_is_a_snapshot_that_says_why(
    answer: httpx.Response | Exception, error: str
) -> None:
    snapshot = take_one([answer])
    assert (snapshot.text, snapshot.error, snapshot.instant_ns) == (None, error, 5)


def test_connection_that_the_server_closed_is_tried_once_more() -> None:
    closed = httpx.RemoteProtocolError("Server disconnected")
    snapshot = take_one([closed, httpx.Response(200, text=PAGE)])
    assert snapshot.error is None


def test_second_loss_in_a_row_is_a_failed_reading() -> None:
    closed = httpx.RemoteProtocolError("Server disconnected")
    snapshot = take_one([closed, closed])
    assert snapshot.error == "RemoteProtocolError: Server disconnected"


def test_page_without_the_engines_series_is_empty_and_no_failure() -> None:
    snapshot = take_one([httpx.Response(200, text="# TYPE a gauge\na 1.0\n")])
    assert (snapshot.text, snapshot.error) == ("", None)


def test_one_failed_reading_does_not_spoil_the_next() -> None:
    first, second = take_all(
        [httpx.ReadTimeout("slow"), httpx.Response(200, text=PAGE)],
        [Phase.INSIDE, Phase.CLOSE],
    )
    assert (first.phase, first.text) == (Phase.INSIDE, None)
    assert (second.phase, second.error) == (Phase.CLOSE, None)
