"""What a drafter's own config says of it."""

import pytest

from specbench.engines.drafters import (
    Drafter,
    doubts,
    drafter_model,
    find_drafter,
    has_own_layers,
    misfits,
    position_limit,
)


@pytest.mark.parametrize(
    ("speculative", "model"),
    [
        ({"method": "eagle3", "model": "org/head"}, "org/head"),
        ({"method": "ngram", "num_speculative_tokens": 3}, None),
        ({"method": "mtp", "model": ""}, None),
        ({"model": 7}, None),
    ],
)
def test_a_drafter_with_weights_of_its_own_has_a_name(
    speculative: dict[str, object], model: str | None
) -> None:
    assert drafter_model(speculative) == model


@pytest.mark.parametrize(
    ("config", "limit"),
    [
        ({"max_position_embeddings": 2048}, 2048),
        ({"text_config": {"max_position_embeddings": 4096}}, 4096),
        ({"transformer_layer_config": {"max_position_embeddings": 131072}}, 131072),
        (
            {
                "max_position_embeddings": 2048,
                "text_config": {"max_position_embeddings": 8192},
            },
            2048,
        ),
        ({"max_position_embeddings": None}, None),
        ({"max_position_embeddings": "2048"}, None),
        ({"max_position_embeddings": True}, None),
        ({"max_position_embeddings": 0}, None),
        ({"text_config": [1]}, None),
        ({}, None),
    ],
)
def test_positions_are_read_where_configs_have_them(
    config: dict[str, object], limit: int | None
) -> None:
    assert position_limit(config, {}) == limit


def test_a_limit_that_the_arm_sets_counts_where_it_is_less() -> None:
    config = {"max_position_embeddings": 2048}
    assert position_limit(config, {"max_model_len": 1024}) == 1024
    assert position_limit(config, {"max_model_len": 4096}) == 2048
    assert position_limit({}, {"max_model_len": 1024}) == 1024


@pytest.mark.parametrize(
    ("speculative", "key", "model"),
    [
        ({"algorithm": "EAGLE3", "draft_model_path": "h"}, "draft_model_path", "h"),
        ({"algorithm": "EAGLE3", "draft-model-path": "h"}, "draft_model_path", "h"),
        ({"algorithm": "EAGLE3", "draft_model": "h"}, "draft_model", "h"),
        ({"algorithm": "UNO", "uno_lora_path": "lora"}, "uno_lora_path", "lora"),
        ({"model": "org/draft"}, "model", "org/draft"),
    ],
)
def test_weights_are_found_under_either_engines_key(
    speculative: dict[str, object], key: str, model: str
) -> None:
    drafter = find_drafter(speculative)
    assert drafter is not None
    assert (drafter.key, drafter.model) == (key, model)


@pytest.mark.parametrize(
    "speculative",
    [
        {"model": "ngram"},
        {"model": "[ngram]"},
        {"method": "custom_class", "model": "my.Drafter"},
        {"model": "my_drafters.Best"},
        {"method": "suffix", "model": "suffix"},
        {"algorithm": "NGRAM"},
    ],
)
def test_a_word_in_the_place_of_a_model_is_no_weights(
    speculative: dict[str, object],
) -> None:
    assert find_drafter(speculative) is None


LLAMA = {"architectures": ["LlamaForCausalLM"], "vocab_size": 49152, "hidden_size": 576}
EAGLE3_HEAD = {**LLAMA, "architectures": ["LlamaForCausalLMEagle3"]}


@pytest.mark.parametrize("method", ["eagle", "nextn"])
def test_an_eagle3_head_is_no_eagle_head(method: str) -> None:
    """SGLang 0.5.23 starts with it, and accepts next to nothing."""
    (reason,) = misfits(Drafter("model", "org/head", method), EAGLE3_HEAD, LLAMA)
    assert "EAGLE-3" in reason
    assert not list(misfits(Drafter("model", "h", "eagle3"), EAGLE3_HEAD, LLAMA))
    assert not list(misfits(Drafter("model", "h", method), LLAMA, LLAMA))


@pytest.mark.parametrize("method", ["draft_model", "standalone"])
def test_a_draft_model_has_the_targets_vocabulary(method: str) -> None:
    drafter = Drafter("model", "org/small", method)
    assert not list(misfits(drafter, LLAMA, LLAMA))
    assert not list(misfits(drafter, LLAMA, {}))
    nested = {"text_config": {"vocab_size": 128256}}
    (reason,) = misfits(drafter, LLAMA, nested)
    assert "49,152" in reason
    assert "128,256" in reason


def test_what_is_called_a_draft_model_may_be_a_head() -> None:
    """vLLM 0.32.0 goes by the name of the folder and by the config."""
    other = {**LLAMA, "vocab_size": 32000}
    assert not list(
        misfits(Drafter("model", "a/EAGLE3-x", "draft_model"), other, LLAMA)
    )
    medusa = {"model_type": "medusa", "vocab_size": 32000}
    assert not list(misfits(Drafter("model", "a/x", "draft_model"), medusa, LLAMA))


def test_a_head_for_another_target_raises_doubts() -> None:
    head = Drafter("model", "org/head", "eagle3")
    assert not list(doubts(head, EAGLE3_HEAD, LLAMA))
    assert not list(doubts(head, {}, LLAMA))
    other = {**LLAMA, "vocab_size": 32000, "hidden_size": 4096}
    assert len(list(doubts(head, EAGLE3_HEAD, other))) == 2
    reduced = {**EAGLE3_HEAD, "hidden_size": 256, "target_hidden_size": 576}
    assert not list(doubts(head, reduced, LLAMA))
    assert not list(doubts(Drafter("model", "m", "draft_model"), LLAMA, other))


@pytest.mark.parametrize(
    ("config", "has"),
    [
        ({"num_nextn_predict_layers": 1}, True),
        ({"text_config": {"mtp_num_hidden_layers": 1}}, True),
        ({"num_nextn_predict_layers": 0, "architectures": ["NewForCausalLM"]}, None),
        ({"architectures": ["NewForCausalLM"]}, None),
        (LLAMA, False),
        ({}, None),
    ],
)
def test_layers_of_the_targets_own_show_in_its_config(
    config: dict[str, object], has: bool | None
) -> None:
    assert has_own_layers(config) is has
