"""Reads an engine's metrics page while a cell runs. Its rule: a reading never fails the
cell, it becomes a snapshot that says why there is none; and it costs the event loop,
which stamps arrivals, as little as it can: the text is cut, not parsed."""

from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Self

import httpx

from specbench import clock
from specbench.schema.snapshot import MetricsSnapshot, Phase
from specbench.scrape.pages import describe_failure, open_client
from specbench.wire.prometheus import cut_to_prefix

READING_TIMEOUT_S = 5.0

_STALE = (httpx.RemoteProtocolError, httpx.ReadError, httpx.WriteError)


class SnapshotReader:
    """Keeps one connection to one engine's metrics page. Close it, or use it in an
    `async with`."""

    def __init__(
        self,
        url: str,
        path: str,
        prefix: str,
        headers: Mapping[str, str] | None = None,
        transport: httpx.AsyncBaseTransport | None = None,
        now_ns: Callable[[], int] = clock.monotonic_ns,
    ) -> None:
        self._page = url.rstrip("/") + path
        self._prefix = prefix
        self._now_ns = now_ns
        self._client = open_client(
            url, headers, READING_TIMEOUT_S, transport, connections=1
        )

    async def take(self, phase: Phase) -> MetricsSnapshot:
        """One reading, stamped when the answer had arrived. No failure of it raises;
        only being cancelled does."""
        try:
            answer = await self._fetch()
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            return self._failure(phase, describe_failure(error))
        instant_ns = self._now_ns()
        if answer.status_code != httpx.codes.OK:
            return self._failure(phase, f"status {answer.status_code}")
        text = cut_to_prefix(answer.text, self._prefix)
        return MetricsSnapshot(
            phase=phase, instant_ns=instant_ns, text=text, error=None
        )

    async def aclose(self) -> None:
        """Close the connection."""
        await self._client.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.aclose()

    async def _fetch(self) -> httpx.Response:
        try:
            return await self._client.get(self._page)
        except _STALE:
            # The server closed the kept connection just as it was used again.
            return await self._client.get(self._page)

    def _failure(self, phase: Phase, reason: str) -> MetricsSnapshot:
        return MetricsSnapshot(
            phase=phase, instant_ns=self._now_ns(), text=None, error=reason
        )
