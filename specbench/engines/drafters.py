"""What is known of an arm's drafter before it is loaded: which model it is, how many
positions it was made for, and whether it can be this target's, by the config.json of
both. Pure: the files' content comes in."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from specbench.engines.arm_keys import named_keys

_NESTED = ("text_config", "transformer_layer_config", "llm_config")
"""Where a config may have the language model's own: multimodal models, and heads in the
format of the speculators library."""
_POSITIONS = "max_position_embeddings"
_MODEL_KEYS = ("model", "draft_model_path", "draft_model", "uno_lora_path")
_WITHOUT_WEIGHTS = frozenset(
    {"ngram", "ngram_gpu", "suffix", "custom_class", "extract_hidden_states"}
)
_PLACEHOLDERS = frozenset({*_WITHOUT_WEIGHTS, "[ngram]"})
_HEAD_WORDS = ("eagle", "medusa", "dflash", "dspark", "mtp", "speculator", "nextn")
"""Parts of the names of heads: of their architectures, and of folders by which vLLM
0.32.0 finds out what a `draft_model` is."""
_PLAIN = frozenset(
    {
        "Gemma2ForCausalLM",
        "GptOssForCausalLM",
        "LlamaForCausalLM",
        "MistralForCausalLM",
        "MixtralForCausalLM",
        "Phi3ForCausalLM",
        "Qwen2ForCausalLM",
        "Qwen3ForCausalLM",
        "Qwen3MoeForCausalLM",
    }
)
"""Targets in which neither vLLM 0.32.0 nor SGLang 0.5.23 looks for drafting layers."""


@dataclass(frozen=True, slots=True)
class Drafter:
    """Weights of a drafter's own."""

    key: str
    """Where the arm names them."""
    model: str
    """A folder, or a name on the hub."""
    method: str | None
    """In lower case; None = the engine finds it out."""


def find_drafter(speculative: Mapping[str, Any]) -> Drafter | None:
    """None for drafters that have no weights of their own."""
    arm = named_keys(speculative)
    given = arm.get("method") or arm.get("algorithm")
    method = given.lower() if isinstance(given, str) else None
    if method in _WITHOUT_WEIGHTS:
        return None
    for key in _MODEL_KEYS:
        model = arm.get(key)
        if isinstance(model, str) and model and model not in _PLACEHOLDERS:
            if method is None and _is_import_path(model):
                return None
            return Drafter(key, model, method)
    return None


def _is_import_path(model: str) -> bool:
    words = model.split(".")
    return len(words) > 1 and all(word.isidentifier() for word in words)


def drafter_model(speculative: Mapping[str, Any]) -> str | None:
    """A draft model or head with weights of its own, by name or folder; None for
    drafters that have none."""
    drafter = find_drafter(speculative)
    return None if drafter is None else drafter.model


def position_limit(
    config: Mapping[str, Any], speculative: Mapping[str, Any]
) -> int | None:
    """Positions, prompt and output together, that the drafter knows: by its config,
    and by the arm's own `max_model_len` where that is less. None = neither says."""
    given = _count(named_keys(speculative).get("max_model_len"))
    known = (_of_config(config, _POSITIONS), given)
    return min((limit for limit in known if limit is not None), default=None)


def misfits(
    drafter: Drafter, config: Mapping[str, Any], target: Mapping[str, Any]
) -> Iterator[str]:
    """Why an engine could not draft with it for this target, by both configs."""
    if drafter.method in ("eagle", "nextn") and _is_eagle3(config):
        yield (
            "is an EAGLE-3 head (by `architectures` in its config.json), which the"
            f" method {drafter.method} would run as another kind; name EAGLE-3 instead"
        )
    if drafter.method not in ("draft_model", "standalone") or _is_head(drafter, config):
        return
    ours, theirs = _of_config(config, "vocab_size"), _of_config(target, "vocab_size")
    if ours is not None and theirs is not None and ours != theirs:
        yield (
            f"has a vocabulary of {ours:,} tokens, the target one of {theirs:,}: a"
            " draft model has to have the target's tokenizer"
        )


def doubts(
    drafter: Drafter, config: Mapping[str, Any], target: Mapping[str, Any]
) -> Iterator[str]:
    """What makes a head look like one for another target; some engines would run it,
    with hardly a draft accepted."""
    if drafter.method in ("draft_model", "standalone", "uno"):
        return
    ours, theirs = _of_config(config, "vocab_size"), _of_config(target, "vocab_size")
    if ours is not None and theirs is not None and ours != theirs:
        yield f"was made for a vocabulary of {ours:,} tokens, the target has {theirs:,}"
    size = _of_config(config, "target_hidden_size") or _of_config(config, "hidden_size")
    hidden = _of_config(target, "hidden_size")
    if size is not None and hidden is not None and size != hidden:
        yield (
            f"was made for hidden states of {size:,} numbers, the target has {hidden:,}"
        )


def has_own_layers(target: Mapping[str, Any]) -> bool | None:
    """Whether a target has layers that predict further tokens, by its config; None =
    it does not say so, yet some engines know such layers of its kind."""
    parts = [target, *(p for p in target.values() if isinstance(p, Mapping))]
    if any(
        bool(value)
        for part in parts
        for key, value in part.items()
        if any(word in key for word in ("nextn", "mtp", "dspark"))
    ):
        return True
    return False if _PLAIN & set(_architectures(target)) else None


def _is_eagle3(config: Mapping[str, Any]) -> bool:
    return any("eagle3" in name.lower() for name in _architectures(config))


def _is_head(drafter: Drafter, config: Mapping[str, Any]) -> bool:
    names = (drafter.model, str(config.get("model_type")), *_architectures(config))
    return any(word in name.lower() for name in names for word in _HEAD_WORDS)


def _architectures(config: Mapping[str, Any]) -> tuple[str, ...]:
    named = config.get("architectures")
    return tuple(str(n) for n in named) if isinstance(named, list | tuple) else ()


def _of_config(config: Mapping[str, Any], key: str) -> int | None:
    """A count of the config's own, else of the language model's inside it."""
    nested = [part for name in _NESTED if isinstance(part := config.get(name), Mapping)]
    known = (_count(part.get(key)) for part in (config, *nested))
    return next((count for count in known if count is not None), None)


def _count(value: Any) -> int | None:
    is_count = isinstance(value, int) and not isinstance(value, bool) and value > 0
    return value if is_count else None
