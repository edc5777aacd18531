"""Asks a starting engine's health page whether it is ready."""

from types import TracebackType
from typing import Self

import httpx

PROBE_TIMEOUT_S = 1.0


class HealthProbe:
    """Callable: True when the page answers 200. Anything else is "not yet": refused
    connections and 503 are what an engine that starts gives."""

    def __init__(
        self,
        url: str,
        path: str,
        timeout_s: float = PROBE_TIMEOUT_S,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        self._page = url.rstrip("/") + path
        # trust_env=False: a proxy in the environment must not come between.
        self._client = httpx.Client(
            timeout=timeout_s, trust_env=False, transport=transport
        )

    def __call__(self) -> bool:
        try:
            return self._client.get(self._page).status_code == httpx.codes.OK
        except httpx.HTTPError:
            return False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._client.close()
