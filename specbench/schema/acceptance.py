"""What became of the drafts of a cell. None = the engine does not say; the reason
stands in the missing figures of the cell."""

from dataclasses import dataclass

IDLE_EDGES = "counters over the whole cell (idle edges)"
"""A source that stands in where the window's own drafts cannot be told."""


@dataclass(frozen=True, slots=True)
class Acceptance:
    """Drafts and what was accepted of them, from one source."""

    drafts: float
    draft_tokens: float | None
    """None where only drafts and accepted tokens are counted."""
    accepted_tokens: float
    rate: float | None
    """accepted / draft tokens."""
    length: float | None
    """1 + accepted / drafts."""
    by_position: tuple[float, ...] | None
    """accepted at i / drafts."""
    conditional_by_position: tuple[float | None, ...] | None
    """accepted at i / accepted at i-1."""
    source: str
    """Where the counts come from, e.g. `counters over the window`."""


@dataclass(frozen=True, slots=True)
class RequestLengths:
    """Acceptance lengths of single requests, over those that had a draft."""

    n: int
    p10: float
    p50: float
    p90: float


@dataclass(frozen=True, slots=True)
class CategoryAcceptance:
    """The drafts of the requests of one category of the data set."""

    category: str
    """As the data set names it; empty where it has none."""
    requests: int
    """Behind the figures."""
    acceptance: Acceptance
    lengths: RequestLengths | None
    """None where no request had a draft."""
    decode_tokens: int | None
    """Output tokens less each request's first; None where steps are unknown."""
    steps: int | None
    """Steps of the target model that gave them."""
    tokens_per_step: float | None
    """decode_tokens / steps."""
