"""Pages and answers of a running server as they were sent, for a recorded set. Every
exchange is bounded in bytes and in time; what goes wrong is a value, not an error."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

import httpx
import orjson

from specbench.scrape.pages import describe_failure, open_client

EXCHANGE_TIMEOUT_S = 300.0
"""A handful of tokens takes no engine so long, a slow CPU neither."""
LARGEST_BODY = 8 << 20

_PRIVATE = frozenset({"authorization", "cookie", "set-cookie", "proxy-authorization"})


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back."""

    status: int | None
    """None = nothing did."""
    headers: Mapping[str, str]
    """Without those that hold secrets."""
    body: bytes
    error: str | None
    """Why it is not whole."""

    @property
    def is_ok(self) -> bool:
        """Whole, and with status 200."""
        return self.error is None and self.status == httpx.codes.OK


class Recorder:
    """Talks to one server. Use it in an `async with`."""

    def __init__(
        self,
        url: str,
        headers: Mapping[str, str] | None = None,
        timeout_s: float = EXCHANGE_TIMEOUT_S,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        self._url = url.rstrip("/")
        self._timeout_s = timeout_s
        self._client = open_client(url, headers, timeout_s, transport)

    async def get(self, path: str) -> Answer:
        """One page."""
        return await self._exchange("GET", path, None)

    async def post(self, path: str, body: Mapping[str, Any]) -> Answer:
        """One request, to the end of its answer."""
        return await self._exchange("POST", path, orjson.dumps(body))

    async def _exchange(self, method: str, path: str, content: bytes | None) -> Answer:
        status: int | None = None
        headers: dict[str, str] = {}
        body = bytearray()
        error: str | None = None
        kind = {} if content is None else {"content-type": "application/json"}
        try:
            async with (
                asyncio.timeout(self._timeout_s),
                self._client.stream(
                    method, self._url + path, content=content, headers=kind
                ) as answer,
            ):
                status = answer.status_code
                headers = {
                    name: value
                    for name, value in answer.headers.items()
                    if name.lower() not in _PRIVATE
                }
                async for piece in answer.aiter_bytes():
                    body += piece
                    if len(body) > LARGEST_BODY:
                        error = f"longer than {LARGEST_BODY >> 20} MiB; cut there"
                        del body[LARGEST_BODY:]
                        break
        except TimeoutError:
            error = f"not at its end after {self._timeout_s:g} s"
        except (httpx.HTTPError, httpx.InvalidURL) as failure:
            error = describe_failure(failure)
        return Answer(status, headers, bytes(body), error)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self._client.aclose()
