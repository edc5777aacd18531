"""One reading of the engine's metrics page, kept as text so that figures can be
derived again later."""

from dataclasses import dataclass
from enum import StrEnum


class Phase(StrEnum):
    """When a reading was taken."""

    BEFORE = "before"
    """The cell has not begun; the engine is idle."""
    OPEN = "open"
    """The window opened."""
    INSIDE = "inside"
    CLOSE = "close"
    """The window closed."""
    AFTER = "after"
    """The cell has drained."""


@dataclass(frozen=True, slots=True)
class MetricsSnapshot:
    """The page at one instant, cut to the engine's own series."""

    phase: Phase
    instant_ns: int
    """When the answer had arrived."""
    text: str | None
    """Exposition text; None when the page could not be read."""
    error: str | None


@dataclass(frozen=True, slots=True)
class EngineCounters:
    """Readings that the analysis uses, summed over engines. None = not exposed."""

    drafts: float | None
    draft_tokens: float | None
    accepted_tokens: float | None
    accepted_by_position: tuple[float, ...] | None
    generation_tokens: float | None
    prompt_tokens: float | None
    preemptions: float | None
    prefix_queries: float | None
    prefix_hits: float | None
    prefill_seconds: float | None
    """Sum over requests of time in prefill."""
    inference_seconds: float | None
    """Sum over requests of time in prefill and decode."""
    verify_calls: float | None = None
    """Sum over ended requests of the steps that verified a draft."""
    requests_ended: float | None = None
    """Requests that were answered to their end."""
    decode_tokens: float | None = None
    """Tokens that decode steps gave, those beyond a request's stop included."""


@dataclass(frozen=True, slots=True)
class EngineGauges:
    """Momentary readings. None = not exposed."""

    running: float | None
    waiting: float | None
    kv_usage: float | None
    """Share of the KV cache in use, 0..1 (highest over engines)."""


@dataclass(frozen=True, slots=True)
class EngineReading:
    """A snapshot translated by the engine's adapter."""

    phase: Phase
    instant_ns: int
    counters: EngineCounters
    gauges: EngineGauges
