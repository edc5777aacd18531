"""Answers as they were sent, bounded, and without what is nobody's business."""

import asyncio
from collections.abc import Callable

import httpx

from specbench.scrape import recording
from specbench.scrape.recording import Answer, Recorder

URL = "http://engine"


def ask(answer: Callable[[httpx.Request], httpx.Response], path: str = "/x") -> Answer:
    async def run() -> Answer:
        async with Recorder(URL, transport=httpx.MockTransport(answer)) as recorder:
            return await recorder.post(path, {"a": 1})

    return asyncio.run(run())


def test_an_answer_is_kept_to_the_byte_and_without_cookies() -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        assert request.content == b'{"a":1}'
        assert request.headers["accept-encoding"] == "identity"
        headers = {"set-cookie": "s=1", "x-served-by": "b"}
        return httpx.Response(200, headers=headers, content=b"data: \xff\n\n")

    found = ask(answer)
    assert found.is_ok
    assert found.body == b"data: \xff\n\n"
    assert found.headers["x-served-by"] == "b"
    assert "set-cookie" not in found.headers


def test_a_refusal_is_a_whole_answer_that_is_not_ok() -> None:
    found = ask(lambda _: httpx.Response(400, content=b"too long"))
    assert (found.status, found.body, found.error) == (400, b"too long", None)
    assert not found.is_ok


def test_a_server_that_is_gone_is_no_exception() -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("refused", request=request)

    found = ask(answer)
    assert found.status is None
    assert found.error == "ConnectError: refused"


def test_a_body_without_end_is_cut() -> None:
    body = b"x" * (recording.LARGEST_BODY + 1)
    found = ask(lambda _: httpx.Response(200, content=body))
    assert len(found.body) == recording.LARGEST_BODY
    assert "8 MiB" in (found.error or "")
