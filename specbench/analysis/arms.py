"""What the sweep file says of an arm that decides how its cells are judged."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

ArmName = tuple[str, str]
"""Target and arm."""


@dataclass(frozen=True, slots=True)
class ArmTraits:
    """One speculative arm on one target."""

    draft_tokens: int | None
    """k: draft tokens of every step; None = not given, or it changes with the load."""
    lossy: tuple[str, ...] = ()
    """Settings by which its outputs are no longer the target model's own."""


Traits = Mapping[ArmName, ArmTraits]


def fixed_draft_tokens(speculative: Mapping[str, Any]) -> int | None:
    """`num_speculative_tokens`, unless a schedule by batch size (vLLM 0.32.0) overrides
    it."""
    if speculative.get("num_speculative_tokens_per_batch_size"):
        return None
    count = speculative.get("num_speculative_tokens")
    is_count = isinstance(count, int) and not isinstance(count, bool)
    return count if is_count else None
