"""What a llama model in GGUF becomes in Hugging Face form: weights and configuration.

GGUF and Hugging Face hold the same weights under other names, with the rows of the
query and key projections in another order, and quantised. Everything here is pure:
fields and arrays in, arrays and plain values out; no file is read or written.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

# The parts of one decoder layer: Hugging Face name, GGUF name.
LAYER_PARTS = (
    ("input_layernorm", "attn_norm"),
    ("self_attn.q_proj", "attn_q"),
    ("self_attn.k_proj", "attn_k"),
    ("self_attn.v_proj", "attn_v"),
    ("self_attn.o_proj", "attn_output"),
    ("post_attention_layernorm", "ffn_norm"),
    ("mlp.gate_proj", "ffn_gate"),
    ("mlp.up_proj", "ffn_up"),
    ("mlp.down_proj", "ffn_down"),
)


@dataclass(frozen=True, slots=True)
class Dimensions:
    """The numbers that describe the model, as the GGUF states them."""

    layers: int
    heads: int
    kv_heads: int
    hidden: int
    feed_forward: int
    vocabulary: int
    positions: int
    rope_base: float
    norm_epsilon: float

    @classmethod
    def of(cls, fields: Mapping[str, Any]) -> Dimensions:
        if fields["general.architecture"] != "llama":
            raise ValueError(f"not a llama: {fields['general.architecture']}")
        llama = {
            key.removeprefix("llama."): value
            for key, value in fields.items()
            if key.startswith("llama.")
        }
        return cls(
            layers=int(llama["block_count"]),
            heads=int(llama["attention.head_count"]),
            kv_heads=int(llama["attention.head_count_kv"]),
            hidden=int(llama["embedding_length"]),
            feed_forward=int(llama["feed_forward_length"]),
            vocabulary=int(llama["vocab_size"]),
            positions=int(llama["context_length"]),
            rope_base=float(llama["rope.freq_base"]),
            # Stored as float32; seven digits bring back the decimal that was meant.
            norm_epsilon=float(f"{llama['attention.layer_norm_rms_epsilon']:.7g}"),
        )


@dataclass(frozen=True, slots=True)
class Source:
    """Where one Hugging Face tensor comes from."""

    name: str
    """Its name in the GGUF."""
    rotary_heads: int | None = None
    """Heads whose rows stand in GGUF's rotary order; None where no row moved."""


def weight_sources(size: Dimensions, keep: int) -> Iterator[tuple[str, Source]]:
    """Each tensor of a model with tied embeddings, cut off after `keep` layers."""
    rotary = {"attn_q": size.heads, "attn_k": size.kv_heads}
    yield "model.embed_tokens.weight", Source("token_embd.weight")
    for layer in range(keep):
        for ours, theirs in LAYER_PARTS:
            yield (
                f"model.layers.{layer}.{ours}.weight",
                Source(f"blk.{layer}.{theirs}.weight", rotary.get(theirs)),
            )
    yield "model.norm.weight", Source("output_norm.weight")


def undo_rotary_order(weight: NDArray[Any], heads: int) -> NDArray[Any]:
    """Bring the rows of a query or key projection back into Hugging Face order.

    Rotary embedding turns pairs of rows of a head. GGUF keeps the two of a pair next
    to each other (0, half, 1, half + 1, ...); Hugging Face has all first ones, then
    all second ones (0, 1, ..., half, half + 1, ...).
    """
    rows = np.arange(len(weight)).reshape(heads, -1, 2)
    order = np.concatenate([rows[..., 0], rows[..., 1]], axis=1).ravel()
    restored: NDArray[Any] = weight[order]
    return restored


def bfloat16_bits(values: NDArray[np.float32]) -> NDArray[np.uint16]:
    """Round finite float32 values to the nearest bfloat16, ties to even; raw bits.

    A bfloat16 is the upper half of a float32. The lower half decides the rounding:
    above the middle up, below it down, and in the middle to the even neighbour. A
    carry runs into the exponent, which is right: the next number is a power of two.
    """
    bits = np.ascontiguousarray(values, dtype=np.float32).view(np.uint32)
    upper, lower = bits >> 16, bits & 0xFFFF
    up = (lower > 0x8000) | ((lower == 0x8000) & (upper & 1 == 1))
    rounded: NDArray[np.uint16] = (upper + up).astype(np.uint16)
    return rounded


def model_config(
    size: Dimensions, keep: int, special_ids: Mapping[str, int]
) -> dict[str, Any]:
    """The content of config.json."""
    return {
        "architectures": ["LlamaForCausalLM"],
        "model_type": "llama",
        "torch_dtype": "bfloat16",
        "num_hidden_layers": keep,
        "hidden_size": size.hidden,
        "intermediate_size": size.feed_forward,
        "num_attention_heads": size.heads,
        "num_key_value_heads": size.kv_heads,
        "head_dim": size.hidden // size.heads,
        "vocab_size": size.vocabulary,
        "max_position_embeddings": size.positions,
        "rope_theta": size.rope_base,
        "rms_norm_eps": size.norm_epsilon,
        "hidden_act": "silu",
        "attention_bias": False,
        "mlp_bias": False,
        "tie_word_embeddings": True,
        **special_ids,
    }
