"""What is surely wrong with an arm's `speculative`, whatever the engine: an unknown
method, a draft length that is no count. The rest is the engine's own to check."""

from collections.abc import Mapping, Sequence
from typing import Any

from specbench.errors import InputError


def check_method(
    speculative: Mapping[str, Any], methods: Sequence[str], engine: str
) -> None:
    """`engine` names the version whose methods these are. No method at all is fine:
    whether one can be left out is the engine's business."""
    method = speculative.get("method")
    if method is not None and method not in methods:
        raise InputError(
            f"speculative.method: {method!r} is no method of {engine}",
            hint=f"it has {', '.join(methods)}",
        )


def check_draft_length(speculative: Mapping[str, Any]) -> None:
    """`num_speculative_tokens`, where it is given."""
    tokens = speculative.get("num_speculative_tokens")
    is_count = isinstance(tokens, int) and not isinstance(tokens, bool)
    if tokens is not None and not (is_count and tokens > 0):
        raise InputError(
            "speculative.num_speculative_tokens: expected a whole number over 0,"
            f" got {tokens!r}"
        )
