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
    rate_caveat: str = ""
    """Why its acceptance rate does not compare with other arms'; empty = it does."""


Traits = Mapping[ArmName, ArmTraits]

NGRAM_WIDTH = 12
"""Tokens that SGLang's n-gram drafter has verified if it is not told (0.5.23)."""


def fixed_draft_tokens(speculative: Mapping[str, Any]) -> int | None:
    """`num_speculative_tokens`, unless a schedule by batch size (vLLM 0.32.0) overrides
    it; of an arm in SGLang's words, what it verifies beside the target's own token."""
    given = {key.replace("-", "_"): value for key, value in speculative.items()}
    if "algorithm" in given:
        return _drafted_by_sglang(given)
    if given.get("num_speculative_tokens_per_batch_size"):
        return None
    return _count(given.get("num_speculative_tokens"))


def _drafted_by_sglang(given: Mapping[str, Any]) -> int | None:
    """SGLang 0.5.23: `num_draft_tokens` counts the target's own token in. Without it a
    chain has a token for each of its `num_steps`, and an n-gram draft 11."""
    if given.get("adaptive") or given.get("adaptive_config"):
        return None
    width, steps = _count(given.get("num_draft_tokens")), _count(given.get("num_steps"))
    if width is not None:
        return width - 1
    if str(given["algorithm"]).upper() == "NGRAM":
        return NGRAM_WIDTH - 1
    return steps if given.get("eagle_topk") == 1 else None


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


PADDED = (
    "every draft of this n-gram drafter has its full width, padded where it found less:"
    " acceptance length and tokens per step compare with other arms, the rate does not"
)
TREES = (
    "its drafts are trees: the acceptance rate is over all nodes and cannot reach 1,"
    " and acceptance by position is by depth"
)
ADAPTIVE = (
    "its draft tokens are counted by the width that the server started with: the"
    " acceptance rate is too low by as much as the drafts became shorter"
)


def rate_caveat(speculative: Mapping[str, Any]) -> str:
    """By keys of SGLang (0.5.23), whose draft tokens are verify passes times a fixed
    width: `NGRAM` pads its drafts, `eagle_topk` over 1 makes trees, and the width of
    `adaptive` ones changes."""
    given = {key.replace("-", "_"): value for key, value in speculative.items()}
    if str(given.get("algorithm", "")).upper() == "NGRAM":
        return PADDED
    if given.get("adaptive") or given.get("adaptive_config"):
        return ADAPTIVE
    branches = given.get("eagle_topk")
    return TREES if isinstance(branches, int) and branches > 1 else ""
