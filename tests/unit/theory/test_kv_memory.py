"""What a token takes in the KV cache, held against models whose figure is known."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specbench.theory.kv_memory import kv_memory

KIB = 1024
LLAMA_31_8B = {
    "model_type": "llama",
    "hidden_size": 4096,
    "num_hidden_layers": 32,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "torch_dtype": "bfloat16",
}
SMOLLM2_135M = {
    "model_type": "llama",
    "hidden_size": 576,
    "num_hidden_layers": 30,
    "num_attention_heads": 9,
    "num_key_value_heads": 3,
    "torch_dtype": "float32",
}
QWEN3_06B = {
    "model_type": "qwen3",
    "hidden_size": 1024,
    "head_dim": 128,
    "num_hidden_layers": 28,
    "num_attention_heads": 16,
    "num_key_value_heads": 8,
    "sliding_window": None,
    "use_sliding_window": False,
    "torch_dtype": "bfloat16",
}
GPT2 = {
    "model_type": "gpt2",
    "n_embd": 768,
    "n_layer": 12,
    "n_head": 12,
    "dtype": "float16",
}
DEEPSEEK_V3 = {
    "model_type": "deepseek_v3",
    "hidden_size": 7168,
    "num_hidden_layers": 61,
    "num_attention_heads": 128,
    "num_key_value_heads": 128,
    "kv_lora_rank": 512,
    "qk_rope_head_dim": 64,
    "torch_dtype": "bfloat16",
}
GPT_OSS_20B = {
    "num_hidden_layers": 24,
    "num_attention_heads": 64,
    "num_key_value_heads": 8,
    "head_dim": 64,
    "hidden_size": 2880,
    "layer_types": ["sliding_attention", "full_attention"] * 12,
    "torch_dtype": "bfloat16",
}


@pytest.mark.parametrize(
    ("config", "size"),
    [
        (LLAMA_31_8B, 128 * KIB),
        (SMOLLM2_135M, 45 * KIB),
        (QWEN3_06B, 112 * KIB),
        (GPT2, 36 * KIB),
    ],
)
def test_known_models_take_what_is_known_of_them(
    config: dict[str, Any], size: int
) -> None:
    assert kv_memory(config).bytes_per_token == size


def test_the_arithmetic_is_told() -> None:
    assert kv_memory(LLAMA_31_8B).how == (
        "32 layers x 8 KV heads x 128 x 2 x 2 bytes, bfloat16"
    )


def test_a_cache_that_is_kept_in_another_type_takes_as_many_bytes_as_that_type() -> (
    None
):
    assert kv_memory(LLAMA_31_8B, "fp8").bytes_per_token == 64 * KIB
    assert kv_memory(SMOLLM2_135M, "bfloat16").bytes_per_token == 45 * KIB // 2


def test_the_language_model_inside_a_larger_one_has_the_cache() -> None:
    config = {"model_type": "sees", "text_config": LLAMA_31_8B}
    assert kv_memory(config).bytes_per_token == 128 * KIB


@pytest.mark.parametrize(
    ("config", "reason"),
    [
        (DEEPSEEK_V3, "MLA"),
        (GPT_OSS_20B, "sliding_attention"),
        ({**LLAMA_31_8B, "sliding_window": 4096}, "last tokens only"),
        ({**LLAMA_31_8B, "attn_layer_period": 8}, "a state instead"),
        ({**LLAMA_31_8B, "is_encoder_decoder": True}, "encoder"),
        ({**LLAMA_31_8B, "torch_dtype": "int7"}, "int7"),
        ({**LLAMA_31_8B, "torch_dtype": None}, "not known"),
        ({**LLAMA_31_8B, "num_hidden_layers": "32"}, "layers and heads"),
        ({**LLAMA_31_8B, "hidden_size": 100}, "dimension"),
        ({"multi_query": True, "n_layer": 2, "n_head": 4}, "KV heads"),
        (
            {
                "multi_query_attention": True,
                "multi_query_group_num": 2,
                "num_layers": 28,
                "num_attention_heads": 32,
            },
            "KV heads",
        ),
        ({**LLAMA_31_8B, "num_key_value_heads": None}, "KV heads"),
        ({}, "layers and heads"),
    ],
)
def test_what_is_not_known_is_said_and_not_guessed(
    config: dict[str, Any], reason: str
) -> None:
    found = kv_memory(config)
    assert found.bytes_per_token is None
    assert reason in found.how


@given(
    st.dictionaries(
        st.sampled_from([*LLAMA_31_8B, *DEEPSEEK_V3, *GPT2, "head_dim", "text_config"]),
        st.one_of(
            st.none(),
            st.booleans(),
            st.integers(-4, 4),
            st.text(max_size=3),
            st.just({}),
        ),
    )
)
def test_whatever_a_config_holds_there_is_a_figure_or_a_reason(
    config: dict[str, Any],
) -> None:
    found = kv_memory(config)
    assert found.how
    assert found.bytes_per_token is None or found.bytes_per_token > 0
