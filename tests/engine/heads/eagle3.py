"""An EAGLE-3 head with random weights for a Llama-like target: it drafts, and hardly a
token of it is accepted, which is all that the path from an arm to its acceptance needs.
Names and shapes are those that vLLM 0.32.0 loads, in its
model_executor/models/llama_eagle3.py; embedding and output layer are left out, so the
target's are used."""

import json
from pathlib import Path
from typing import Any

from tests.engine.heads.safetensors_file import (
    Tensor,
    ones,
    untrained,
    write_safetensors,
)

READ_LAYERS = 3
"""Layers of the target whose hidden states go in."""


def make_untrained_head(target: Path, folder: Path) -> Path:
    """`target`: the folder of the model that it drafts for."""
    config = json.loads((target / "config.json").read_text("utf-8"))
    folder.mkdir(parents=True)
    head = {
        **config,
        "architectures": ["LlamaForCausalLMEagle3"],
        "num_hidden_layers": 1,
        "draft_vocab_size": config["vocab_size"],
        "tie_word_embeddings": False,
    }
    (folder / "config.json").write_text(json.dumps(head, indent=2), encoding="utf-8")
    write_safetensors(folder / "model.safetensors", _weights(config))
    return folder


def _weights(config: dict[str, Any]) -> dict[str, Tensor]:
    hidden, inner = config["hidden_size"], config["intermediate_size"]
    size = config.get("head_dim") or hidden // config["num_attention_heads"]
    queries = size * config["num_attention_heads"]
    keys = size * config["num_key_value_heads"]
    shapes = {
        "fc": (hidden, READ_LAYERS * hidden),
        # the embedding of the last token and the hidden states, side by side
        "midlayer.self_attn.q_proj": (queries, 2 * hidden),
        "midlayer.self_attn.k_proj": (keys, 2 * hidden),
        "midlayer.self_attn.v_proj": (keys, 2 * hidden),
        "midlayer.self_attn.o_proj": (hidden, queries),
        "midlayer.mlp.gate_proj": (inner, hidden),
        "midlayer.mlp.up_proj": (inner, hidden),
        "midlayer.mlp.down_proj": (hidden, inner),
    }
    weights = {
        f"{name}.weight": untrained(shape, seed)
        for seed, (name, shape) in enumerate(shapes.items())
    }
    for name in ("input_layernorm", "hidden_norm", "post_attention_layernorm"):
        weights[f"midlayer.{name}.weight"] = ones((hidden,))
    return weights | {"norm.weight": ones((hidden,))}
