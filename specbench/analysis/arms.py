"""What the sweep file says of an arm that decides how its cells are judged."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from specbench.schema.drafting import NGRAM, Drafter

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
    if str(given["algorithm"]).upper() == NGRAM:
        return NGRAM_WIDTH - 1
    return steps if given.get("eagle_topk") == 1 else None


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


PADDED = (
    "every step of this n-gram drafter verifies a draft of its full width, padded where"
    " it found less or nothing: its tokens per step compare with those of other arms,"
    " its acceptance rate, length and first position do not"
)
TREES = (
    "its drafts are trees: the acceptance rate is over all nodes and cannot reach 1,"
    " and acceptance by position is by depth"
)
ADAPTIVE = (
    "its steps without a draft are counted as drafts: acceptance is not given, and its"
    " tokens per step compare with those of other arms"
)
SURE = (
    "its draft tokens are counted by its full width, also where it has only those"
    " verified that it is sure of: the acceptance rate is then too low by as much"
)


def rate_caveat(speculative: Mapping[str, Any], drafter: Drafter | None = None) -> str:
    """By keys of SGLang (0.5.23), whose draft tokens are verify passes times a fixed
    width, and by what the running server says: without lengths SGLang chooses them, for
    some models a tree."""
    given = {key.replace("-", "_"): value for key, value in speculative.items()}
    method = str(given.get("algorithm", "")).upper()
    if method == NGRAM:
        return PADDED
    if method == "DSPARK":
        return SURE
    asked = bool(given.get("adaptive") or given.get("adaptive_config"))
    running = drafter or Drafter(method)
    if asked if running.is_adaptive is None else running.is_adaptive:
        return ADAPTIVE
    branches = running.branches or given.get("eagle_topk")
    return TREES if isinstance(branches, int) and branches > 1 else ""
