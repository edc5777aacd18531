"""How a server drafts, and what the drafts of one request came to, in words that hold
for every engine. None = the engine does not say."""

from dataclasses import dataclass

NGRAM, UNO = "NGRAM", "UNO"
"""Methods of SGLang (0.5.23) whose counts mean something of their own."""


@dataclass(frozen=True, slots=True)
class Drafter:
    """How a running server drafts, by its own settings."""

    method: str
    """By the engine's own name."""
    is_overlapped: bool | None = None
    """It starts a step before it has read the last one's result, so that a request is
    in one step more than it needs."""
    is_adaptive: bool | None = None
    """The length of its drafts, perhaps to none, changes while it runs."""
    branches: int | None = None
    """Candidates at each node of a draft; over 1 = drafts are trees."""


@dataclass(frozen=True, slots=True)
class RequestDrafts:
    """One request, from its first draft to its last, by its engine's own count."""

    steps: int | None
    """Steps of the target model that the request took part in after its prefill."""
    drafts: int | None
    """Of these, the ones that verified a draft."""
    draft_tokens: int | None
    """Tokens proposed in them; for a tree all of its nodes."""
    accepted_tokens: int
    """Draft tokens accepted, also those beyond the request's stop."""
    accepted_by_position: tuple[int, ...] | None
    """How many drafts had their i-th token accepted; for a tree i is the depth."""
    longest_draft: int | None
    """Draft tokens that one step can hold; for a tree all of its nodes."""
