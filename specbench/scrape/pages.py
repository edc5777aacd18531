"""Fetches one page of an engine, outside any measurement."""

import ssl
from collections.abc import Mapping

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
    page = url.rstrip("/") + path
    try:
        # trust_env=False: a proxy in the environment must not come between.
        with httpx.Client(
            headers=headers,
            timeout=timeout_s,
            trust_env=False,
            verify=trust_store(url),
            transport=transport,
        ) as client:
            answer = client.get(page)
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise EngineError(
            f"GET {page} failed: {describe_failure(error)}",
            "is the server running, and is this its address?",
        ) from error
    if answer.status_code != httpx.codes.OK:
        raise EngineError(
            f"GET {page} answered {answer.status_code}: {answer.text[:_SHOWN]}"
        )
    return answer.text


def trust_store(url: str) -> ssl.SSLContext | bool:
    """Whose certificates are believed: the system's, or those of SSL_CERT_FILE, as for
    the load."""
    return ssl.create_default_context() if url.startswith("https:") else True


def describe_failure(error: Exception) -> str:
    """Its kind and what it says; many network errors say nothing."""
    text = str(error)
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
