"""One request: bytes prepared before the cell, sent when due, kept as stamped pieces
and parsed after the cell. A failed request is a value, never an exception."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import httpx
import orjson

from specbench.clock import monotonic_ns
from specbench.load.transport import END_NS, PIECES, SENT_NS, BrokenExchangeError
from specbench.schema.prompt import Prompt
from specbench.schema.sample import Outcome, RequestSample, Role
from specbench.wire.completions import StreamReading, read_stream

ERROR_CHARS = 500
"""As much of a server's error text as is kept."""


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
    """A request ready to send."""

    index: int
    prompt: Prompt
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
    return PreparedRequest(index, prompt, role, orjson.dumps(body))


async def ask(
    client: httpx.AsyncClient,
    path: str,
    request: PreparedRequest,
    slot: int,
    scheduled_ns: int,
) -> RawExchange:
    """Send one request and wait for its end."""
    began = monotonic_ns()
    try:
        response = await client.post(
            path,
            content=request.body,
            headers={"content-type": "application/json"},
        )
    except BrokenExchangeError as error:
        broken = error.exchange
        return RawExchange(
            request=request,
            slot=slot,
            scheduled_ns=scheduled_ns,
            sent_ns=broken.sent_ns,
            end_ns=monotonic_ns(),
            status=broken.reader.status,
            pieces=tuple(broken.reader.body),
            error=str(error),
        )
    except httpx.HTTPError as error:
        return RawExchange(
            request=request,
            slot=slot,
            scheduled_ns=scheduled_ns,
            sent_ns=began,
            end_ns=monotonic_ns(),
            status=None,
            pieces=(),
            error=f"{type(error).__name__}: {error}",
        )
    known = response.extensions
    return RawExchange(
        request=request,
        slot=slot,
        scheduled_ns=scheduled_ns,
        sent_ns=known.get(SENT_NS, began),
        end_ns=known.get(END_NS) or monotonic_ns(),
        status=response.status_code,
        pieces=tuple(known.get(PIECES, [(monotonic_ns(), response.content)])),
        error=None,
    )


def read_exchange(raw: RawExchange) -> RequestSample:
    """Parse what came back; done after the cell."""
    reading: StreamReading | None = None
    error = raw.error
    if error is None and raw.status != httpx.codes.OK:
        text = b"".join(piece for _, piece in raw.pieces).decode("utf-8", "replace")
        error = f"HTTP {raw.status}: {text[:ERROR_CHARS]}"
    else:
        reading = read_stream(raw.pieces) if raw.pieces else None
        if error is None and reading is not None and reading.error:
            error = reading.error[:ERROR_CHARS]
    return RequestSample(
        index=raw.request.index,
        prompt_id=raw.request.prompt.prompt_id,
        category=raw.request.prompt.category,
        slot=raw.slot,
        role=raw.request.role,
        scheduled_ns=raw.scheduled_ns,
        sent_ns=raw.sent_ns,
        end_ns=raw.end_ns,
        outcome=_outcome(reading, error),
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
