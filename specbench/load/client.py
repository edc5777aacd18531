"""One request: bytes prepared before the cell, sent when due, kept as stamped pieces
and parsed after the cell. A failed request is a value, never an exception."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import httpx
import orjson

from specbench.clock import monotonic_ns
from specbench.load.transport import (
    BrokenExchangeError,
    StampingTransport,
    request_bytes,
)
from specbench.schema.prompt import Prompt
from specbench.schema.sample import Outcome, RequestSample, Role
from specbench.wire.completions import StreamReading, read_stream

ERROR_CHARS = 500
"""As much of a server's error text as is kept."""
ERROR_KEY = re.compile(rb'"error"\s*:\s*(?!null)[^\s]')
LAST_PIECES = 3


@dataclass(frozen=True, slots=True)
class RequestSettings:
    """What all requests of a cell share."""

    model: str
    max_tokens: int
    temperature: float
    extras: Mapping[str, Any]
    """Engine-specific keys of the body, e.g. stream options."""


@dataclass(frozen=True, slots=True)
class PreparedRequest:
    """A request ready to send, with what its sample will say of it."""

    index: int
    prompt_id: str
    category: str
    role: Role
    body: bytes


@dataclass(frozen=True, slots=True)
class RawExchange:
    """What came back, unparsed."""

    request: PreparedRequest
    slot: int
    scheduled_ns: int
    sent_ns: int
    end_ns: int
    status: int | None
    pieces: tuple[tuple[int, bytes], ...]
    error: str | None

    @property
    def is_answered(self) -> bool:
        """Whole, not refused, and without an error event near its end. A look that
        costs next to nothing; the sample's outcome is decided by parsing."""
        return (
            self.error is None
            and self.status == httpx.codes.OK
            and not any(ERROR_KEY.search(p) for _, p in self.pieces[-LAST_PIECES:])
        )


def prepare_request(
    index: int, prompt: Prompt, role: Role, settings: RequestSettings
) -> PreparedRequest:
    """Serialise once, before anything is timed."""
    body = {
        "model": settings.model,
        "messages": [{"role": m.role, "content": m.content} for m in prompt.messages],
        "max_tokens": settings.max_tokens,
        "temperature": settings.temperature,
        "stream": True,
        **settings.extras,
    }
    return PreparedRequest(
        index, prompt.prompt_id, prompt.category, role, orjson.dumps(body)
    )


def wire_bytes(
    origin: str, path: str, headers: Mapping[str, str], body: bytes
) -> bytes:
    """A POST request as it goes over the wire."""
    ours = {
        "accept": "*/*",
        # a compressed stream could be neither stamped nor cut at its events
        "accept-encoding": "identity",
        "connection": "keep-alive",
        "content-type": "application/json",
        "user-agent": "specbench",
    }
    # the origin's own path, as of a gateway, stays in front
    url = origin.rstrip("/") + path
    return request_bytes(
        httpx.Request("POST", url, headers={**ours, **headers}, content=body)
    )


async def ask(
    transport: StampingTransport,
    raw: bytes,
    request: PreparedRequest,
    slot: int,
    scheduled_ns: int,
) -> RawExchange:
    """Send one request and wait for its end. `raw`: its `wire_bytes`."""
    began = monotonic_ns()
    error: str | None = None
    try:
        exchange = await transport.exchange(raw)
    except BrokenExchangeError as broken:
        exchange = broken.exchange
        error = str(broken)
    except httpx.TransportError as failure:
        return RawExchange(
            request=request,
            slot=slot,
            scheduled_ns=scheduled_ns,
            sent_ns=began,
            end_ns=monotonic_ns(),
            status=None,
            pieces=(),
            error=f"{type(failure).__name__}: {failure}",
        )
    return RawExchange(
        request=request,
        slot=slot,
        scheduled_ns=scheduled_ns,
        sent_ns=exchange.sent_ns,
        end_ns=exchange.end_ns,
        status=exchange.reader.status,
        pieces=tuple(exchange.reader.body),
        error=error,
    )


def read_exchange(raw: RawExchange) -> RequestSample:
    """Parse what came back; done after the cell."""
    reading: StreamReading | None = None
    error = raw.error
    if error is None and raw.status != httpx.codes.OK:
        text = b"".join(piece for _, piece in raw.pieces).decode("utf-8", "replace")
        error = f"HTTP {raw.status}: {text[:ERROR_CHARS] or 'no reason given'}"
    else:
        reading = read_stream(raw.pieces) if raw.pieces else None
        if error is None and reading is not None and reading.error:
            error = reading.error[:ERROR_CHARS]
    outcome = _outcome(reading, error)
    if outcome is Outcome.FAILED and error is None:
        error = "the answer has no body"
    return RequestSample(
        index=raw.request.index,
        prompt_id=raw.request.prompt_id,
        category=raw.request.category,
        slot=raw.slot,
        role=raw.request.role,
        scheduled_ns=raw.scheduled_ns,
        sent_ns=raw.sent_ns,
        end_ns=raw.end_ns,
        outcome=outcome,
        error=error,
        http_status=raw.status,
        chunks=reading.chunks if reading else (),
        prompt_tokens=reading.prompt_tokens if reading else None,
        output_tokens=reading.output_tokens if reading else None,
        finish_reason=reading.finish_reason if reading else None,
        speculation=reading.speculation if reading else None,
    )


def _outcome(reading: StreamReading | None, error: str | None) -> Outcome:
    if error is not None or reading is None:
        return Outcome.FAILED
    if any(chunk.text for chunk in reading.chunks):
        return Outcome.OK
    return Outcome.EMPTY
