"""Fetching one page."""

import httpx
import pytest

from specbench.errors import EngineError
from specbench.scrape.pages import fetch_page, post_page


def fetch(answer: httpx.Response | Exception) -> str:
    def respond(request: httpx.Request) -> httpx.Response:
        assert str(request.url) == "http://127.0.0.1:8000/version"
        assert request.headers["authorization"] == "Bearer key"
        if isinstance(answer, Exception):
            raise answer
        return answer

    return fetch_page(
        "http://127.0.0.1:8000/",
        "/version",
        timeout_s=1.0,
        headers={"authorization": "Bearer key"},
        transport=httpx.MockTransport(respond),
    )


def test_body_is_returned_as_text() -> None:
    assert fetch(httpx.Response(200, text='{"version":"0.32.0"}')) == (
        '{"version":"0.32.0"}'
    )


def test_other_status_names_page_status_and_body() -> None:
    with pytest.raises(EngineError) as caught:
        fetch(httpx.Response(404, text='{"detail":"Not Found"}'))
    assert caught.value.message == (
        'GET http://127.0.0.1:8000/version answered 404: {"detail":"Not Found"}'
    )


def test_long_error_page_is_cut() -> None:
    with pytest.raises(EngineError) as caught:
        fetch(httpx.Response(500, text="x" * 5000))
    assert len(caught.value.message) < 300


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (httpx.ConnectError("refused"), "failed: ConnectError: refused"),
        (httpx.ReadTimeout(""), "failed: ReadTimeout"),
    ],
)
def test_failure_says_its_kind(error: Exception, words: str) -> None:
    with pytest.raises(EngineError) as caught:
        fetch(error)
    assert caught.value.message.endswith(words)
    assert caught.value.hint


def test_address_that_is_none_is_an_engine_error() -> None:
    with pytest.raises(EngineError, match="InvalidURL"):
        fetch_page("http://127.0.0.1:port", "/version", 1.0)


def test_a_page_that_does_something_is_posted_to() -> None:
    asked: list[httpx.Request] = []

    def respond(request: httpx.Request) -> httpx.Response:
        asked.append(request)
        return httpx.Response(400 if len(asked) > 1 else 200, text="said\n")

    def post() -> str:
        transport = httpx.MockTransport(respond)
        return post_page("http://h:1/", "/flush?timeout=1", 1.0, None, transport)

    assert post() == "said\n"
    with pytest.raises(EngineError) as caught:
        post()
    assert caught.value.message == "POST http://h:1/flush?timeout=1 answered 400: said"
    assert {(r.method, r.url.query) for r in asked} == {("POST", b"timeout=1")}
