"""What a drafter's own config says of it."""

import pytest

from specbench.engines.drafters import drafter_model, position_limit


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
