"""Fetches one page of an engine, or posts to it, outside any measurement."""

import ssl
from collections.abc import Mapping
from dataclasses import dataclass

import httpx

from specbench.errors import EngineError

_SHOWN = 200


def fetch_page(
    url: str,
    path: str,
    timeout_s: float,
    headers: Mapping[str, str] | None = None,
    transport: httpx.BaseTransport | None = None,
) -> str:
    """The body as text. Raises EngineError when the page does not answer in time or
    with a status other than 200."""
    return _Call("GET", url, path, timeout_s, headers, transport).answer()


def post_page(
    url: str,
    path: str,
    timeout_s: float,
    headers: Mapping[str, str] | None = None,
    transport: httpx.BaseTransport | None = None,
) -> str:
    """As `fetch_page`, of a page that does something; nothing is sent with it."""
    return _Call("POST", url, path, timeout_s, headers, transport).answer()


@dataclass(frozen=True, slots=True)
class _Call:
    method: str
    url: str
    path: str
    timeout_s: float
    headers: Mapping[str, str] | None
    transport: httpx.BaseTransport | None

    def answer(self) -> str:
        page = self.url.rstrip("/") + self.path
        try:
            # trust_env=False: a proxy in the environment must not come between.
            with httpx.Client(
                headers=self.headers,
                timeout=self.timeout_s,
                trust_env=False,
                verify=trust_store(self.url),
                transport=self.transport,
            ) as client:
                answer = client.request(self.method, page)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise EngineError(
                f"{self.method} {page} failed: {describe_failure(error)}",
                "is the server running, and is this its address?",
            ) from error
        if answer.status_code != httpx.codes.OK:
            said = answer.text[:_SHOWN].strip()
            raise EngineError(
                f"{self.method} {page} answered {answer.status_code}: {said}"
            )
        return answer.text


def open_client(
    url: str,
    headers: Mapping[str, str] | None,
    timeout_s: float,
    transport: httpx.AsyncBaseTransport | None = None,
    connections: int | None = None,
) -> httpx.AsyncClient:
    """For many pages of one server; None = as many connections as it takes."""
    # trust_env=False: a proxy in the environment must not come between. Identity:
    # prometheus_client, which serves metrics, would compress them for a busy engine.
    return httpx.AsyncClient(
        headers={"accept-encoding": "identity", **(headers or {})},
        timeout=timeout_s,
        trust_env=False,
        verify=trust_store(url),
        transport=transport,
        limits=httpx.Limits(max_connections=connections),
    )


def trust_store(url: str) -> ssl.SSLContext | bool:
    """Whose certificates are believed: the system's, or those of SSL_CERT_FILE, as for
    the load."""
    return ssl.create_default_context() if url.startswith("https:") else True


def describe_failure(error: Exception) -> str:
    """Its kind and what it says; many network errors say nothing."""
    text = str(error)
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
