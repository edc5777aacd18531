"""What the drafts of one request came to, in words that hold for every engine. None =
the engine does not say."""

from dataclasses import dataclass


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
