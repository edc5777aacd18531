"""When a server is idle, and which of its pages under load is kept."""

import asyncio
from collections.abc import Sequence

import httpx
import pytest

from specbench.engines import ADAPTERS
from specbench.errors import EngineError
from specbench.runner.capture_pages import MOST_IDLE_READINGS, MetricsWatch
from specbench.scrape.recording import Recorder


def page(running: int, tokens: int) -> bytes:
    return (
        f"vllm:num_requests_running {running}.0\n"
        "vllm:num_requests_waiting 0.0\n"
        f"vllm:generation_tokens_total {tokens}.0\n"
    ).encode()


class Server:
    """Gives one page after another, the last one for ever."""

    def __init__(self, pages: Sequence[bytes]) -> None:
        self.pages = list(pages)
        self.asked = 0

    def answer(self, _request: httpx.Request) -> httpx.Response:
        place = min(self.asked, len(self.pages) - 1)
        self.asked += 1
        return httpx.Response(200, content=self.pages[place])

    async def idle(self) -> tuple[bytes | None, str]:
        transport = httpx.MockTransport(self.answer)
        async with Recorder("http://engine", transport=transport) as recorder:
            return await MetricsWatch(ADAPTERS["vllm"], recorder, no_wait).idle()

    async def busiest(self, readings: int) -> bytes | None:
        transport = httpx.MockTransport(self.answer)
        async with Recorder("http://engine", transport=transport) as recorder:
            watch = MetricsWatch(ADAPTERS["vllm"], recorder, no_wait)
            return await watch.busiest(lambda: self.asked == readings)


async def no_wait(_seconds: float) -> None:
    return


def test_a_server_is_idle_when_nothing_runs_and_its_counts_stand_still() -> None:
    server = Server([page(1, 5), page(0, 7), page(0, 9), page(0, 9)])
    body, note = asyncio.run(server.idle())
    assert (body, note) == (page(0, 9), "")
    assert server.asked == 4


def test_a_server_that_others_use_is_not_recorded() -> None:
    server = Server([page(3, 5)])
    with pytest.raises(EngineError, match="3 requests run"):
        asyncio.run(server.idle())
    assert server.asked == MOST_IDLE_READINGS


def test_a_page_that_cannot_be_read_is_kept_with_a_remark() -> None:
    body, note = asyncio.run(Server([b"<html>"]).idle())
    assert body == b"<html>"
    assert note == "the adapter cannot read it"


def test_of_the_pages_under_load_the_last_of_the_busiest_is_kept() -> None:
    pages = [page(1, 1), page(4, 2), page(4, 3), page(2, 4)]
    assert asyncio.run(Server(pages).busiest(4)) == page(4, 3)


def test_without_a_reading_no_page_is_kept() -> None:
    assert asyncio.run(Server([page(1, 1)]).busiest(0)) is None
