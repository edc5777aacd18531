"""What is known of an arm's drafter before it is loaded: which model it is, and how
many positions it was made for, by its own config.json. Pure: the file's content comes
in."""

from collections.abc import Mapping
from typing import Any

_NESTED = ("text_config", "transformer_layer_config", "llm_config")
"""Where a config may have the language model's own: multimodal models, and heads in the
format of the speculators library."""
_POSITIONS = "max_position_embeddings"


def drafter_model(speculative: Mapping[str, Any]) -> str | None:
    """A draft model or head with weights of its own, by name or folder; None for
    drafters that have none."""
    model = speculative.get("model")
    return model if isinstance(model, str) and model else None


def position_limit(
    config: Mapping[str, Any], speculative: Mapping[str, Any]
) -> int | None:
    """Positions, prompt and output together, that the drafter knows: by its config,
    and by the arm's own `max_model_len` where that is less. None = neither says."""
    nested = [found for key in _NESTED if isinstance(found := config.get(key), Mapping)]
    known = [_count(part.get(_POSITIONS)) for part in (config, *nested)]
    limits = [limit for limit in known if limit is not None][:1]
    given = _count(speculative.get("max_model_len"))
    return min([*limits, *([given] if given is not None else [])], default=None)


def _count(value: Any) -> int | None:
    is_count = isinstance(value, int) and not isinstance(value, bool) and value > 0
    return value if is_count else None
