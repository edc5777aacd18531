"""One request as observed: raw instants and counts, no derived figure. Failure is a
sample with an outcome, not an exception."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple


class Role(StrEnum):
    """Part that a request plays in its cell."""

    WARMUP = "warmup"
    MEASURED = "measured"


class Outcome(StrEnum):
    """How a request ended."""

    OK = "ok"
    EMPTY = "empty"
    """Finished without an error and without any generated token."""
    FAILED = "failed"


class Chunk(NamedTuple):
    """One stream event with a choice in it, as it arrived. A tuple, because a cell can
    hold a million."""

    arrival_ns: int
    """Stamp of the read that completed the event."""
    text: str
    """Generated text, answer or reasoning; empty for a role-only chunk."""
    is_reasoning: bool
    tokens_so_far: int | None
    """The server's running count of output tokens; None where it sends none."""


@dataclass(frozen=True, slots=True)
class RequestSample:
    """One request. All instants are monotonic ns of one clock."""

    index: int
    """Position in the cell's list of requests, from 0."""
    prompt_id: str
    category: str
    slot: int
    """Which of the closed loop's slots sent it, from 0; in an open loop each request
    has one of its own."""
    role: Role
    scheduled_ns: int
    """When it was due; in a closed loop the instant when its slot became free."""
    sent_ns: int
    """Just before the request's bytes were given to the socket."""
    end_ns: int
    """The response was complete, or failed."""
    outcome: Outcome
    error: str | None
    """Why it failed; None unless `outcome` is failed."""
    http_status: int | None
    chunks: tuple[Chunk, ...]
    prompt_tokens: int | None
    """From the server's usage."""
    output_tokens: int | None
    """From the server's usage, reasoning included."""
    finish_reason: str | None
    speculation: dict[str, Any] | None
    """The engine's own figures for this request, where it gives any."""
