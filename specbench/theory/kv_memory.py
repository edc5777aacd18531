"""Memory that one token takes in the KV cache, from a model's config.json: keys and
values of every layer. Models whose layers do not all keep every token in that form have
no such figure here, and the reason is told. Pure arithmetic; nothing here knows an
engine."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

BYTES_OF = {
    "float32": 4,
    "float": 4,
    "float16": 2,
    "half": 2,
    "bfloat16": 2,
    "fp8": 1,
    "fp8_e4m3": 1,
    "fp8_e5m2": 1,
    "float8_e4m3fn": 1,
    "float8_e5m2": 1,
}

LAYERS = ("num_hidden_layers", "n_layer", "num_layers")
HEADS = ("num_attention_heads", "n_head")
KV_HEADS = ("num_key_value_heads", "num_kv_heads")
FEWER_KV_HEADS = (
    "multi_query",
    "multi_query_attention",
    "multi_query_group_num",
    "new_decoder_architecture",
    "num_key_value_heads_per_layer",
    "block_configs",
)
"""Keys of models that have fewer KV heads than heads and do not say how many under the
usual names."""
WIDTH = ("hidden_size", "n_embd")

OTHER_CACHES = {
    "kv_lora_rank": "latent attention (MLA) keeps a compressed form of keys and values",
    "layers_block_type": "its layers are of several kinds",
    "hybrid_override_pattern": "its layers are of several kinds",
    "full_attention_interval": "most of its layers keep a state instead of tokens",
    "attn_layer_period": "most of its layers keep a state instead of tokens",
    "attn_layer_indices": "some of its layers keep a state instead of tokens",
    "ssm_cfg": "its layers keep a state instead of tokens",
    "state_size": "its layers keep a state instead of tokens",
    "cross_attention_layers": "some of its layers attend to something else",
    "attention_chunk_size": "some of its layers keep the last tokens only",
}
"""Keys of config.json that speak of another cache than one of all tokens."""


@dataclass(frozen=True, slots=True)
class KvMemory:
    """What a token takes."""

    bytes_per_token: int | None
    how: str
    """The arithmetic behind it, or why there is no figure."""


def kv_memory(config: Mapping[str, Any], dtype: str | None = None) -> KvMemory:
    """Of the model that `config` describes. `dtype`: in what keys and values are kept;
    None = in what the model's weights are."""
    inner = config.get("text_config")
    if isinstance(inner, Mapping) and _number(config, LAYERS) is None:
        # a model that also sees or hears: the language model has the cache
        config = {**config, **inner}
    if (why := _other_cache(config)) is not None:
        return KvMemory(None, why)
    layers, heads = _number(config, LAYERS), _number(config, HEADS)
    if layers is None or heads is None:
        return KvMemory(None, "its config.json does not name layers and heads")
    kv_heads = _number(config, KV_HEADS)
    if kv_heads is None:
        if any(config.get(key) for key in FEWER_KV_HEADS) or any(
            key in config for key in KV_HEADS
        ):
            return KvMemory(None, "its config.json does not name the KV heads")
        kv_heads = heads
    head_dim = _number(config, ("head_dim",))
    if head_dim is None:
        width = _number(config, WIDTH)
        if width is None or width % heads:
            return KvMemory(None, "its config.json does not name the heads' dimension")
        head_dim = width // heads
    kept_in = dtype or config.get("dtype") or config.get("torch_dtype")
    size = BYTES_OF.get(str(kept_in).removeprefix("torch."))
    if size is None:
        return KvMemory(None, f"the size of its type is not known: {kept_in}")
    return KvMemory(
        2 * layers * kv_heads * head_dim * size,
        f"{layers} layers x {kv_heads} KV heads x {head_dim} x 2 x {size} bytes,"
        f" {kept_in}",
    )


def _other_cache(config: Mapping[str, Any]) -> str | None:
    """Why not every layer keeps the keys and values of every token; None = they do, as
    far as the config says."""
    if config.get("is_encoder_decoder"):
        return "an encoder and a decoder keep different things"
    for key, why in OTHER_CACHES.items():
        if config.get(key):
            return f"{why} ({key})"
    kinds = config.get("layer_types")
    if isinstance(kinds, list) and set(kinds) - {"full_attention"}:
        others = ", ".join(sorted({str(kind) for kind in kinds} - {"full_attention"}))
        return f"some of its layers do not keep every token ({others})"
    if config.get("sliding_window") and config.get("use_sliding_window", True):
        return "its layers keep the last tokens only (sliding_window)"
    return None


def _number(config: Mapping[str, Any], keys: tuple[str, ...]) -> int | None:
    """The first of these that is there, where it is a whole number over 0."""
    for key in keys:
        value = config.get(key)
        if isinstance(value, int) and not isinstance(value, bool) and value > 0:
            return value
    return None
