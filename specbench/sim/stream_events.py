"""What a dialect has to know of streams: the SSE events of one response. Pure."""

from typing import Any, Protocol

import orjson

from specbench.sim.completions import CompletionCall
from specbench.sim.event_template import ChunkMaker
from specbench.sim.request import DraftHistory, FinishReason

DONE = b"data: [DONE]\n\n"
"""Ends every stream."""


class StreamEvents(Protocol):
    """Builds the events of one response; all are whole SSE events."""

    @property
    def call(self) -> CompletionCall:
        """What was asked for."""

    @property
    def response_id(self) -> str:
        """The id in every event."""

    @property
    def created(self) -> int:
        """Unix seconds, the same in every event."""

    def role(self) -> bytes:
        """First event of a stream: a chat's role and no token; empty for texts. It
        leaves as soon as the call is accepted, so that a client that takes it for
        text is found out."""

    def chunk_maker(self) -> ChunkMaker:
        """Makes the events with text, but for the last."""

    def last_text(self, text: str, tokens: int, finish: FinishReason) -> bytes:
        """The last event with text."""

    def ending(
        self, tokens: int, finish: FinishReason, drafts: DraftHistory | None
    ) -> list[bytes]:
        """All after it, but for DONE."""

    def error(self, message: str) -> bytes:
        """An error inside a stream that began with status 200."""


def event_head(events: StreamEvents, choices: list[dict[str, Any]]) -> dict[str, Any]:
    """What an event of either dialect begins with."""
    return {
        "id": events.response_id,
        "object": events.call.kind.object_name,
        "created": events.created,
        "model": events.call.model,
        "choices": choices,
    }


def sse(document: dict[str, Any]) -> bytes:
    """A document as an event."""
    return b"data: " + orjson.dumps(document) + b"\n\n"
