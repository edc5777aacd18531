"""Arms of SGLang 0.5.23: what it takes passes; what it would refuse, or silently run as
something else, is refused."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specbench.engines.methods import Method, check_arm
from specbench.engines.sglang_methods import METHODS, METHODS_OF_SGLANG
from specbench.errors import InputError

EAGLE3: dict[str, Any] = {"algorithm": "EAGLE3", "draft_model_path": "org/head"}
CHAIN: dict[str, Any] = {"num_steps": 3, "eagle_topk": 1, "num_draft_tokens": 4}
TREE: dict[str, Any] = {"num_steps": 3, "eagle_topk": 2, "num_draft_tokens": 6}
STEPS = {"1": {"candidate_steps": [1, 3, 5]}, "16": {"candidate_steps": [0, 1]}}
UNO: dict[str, Any] = {
    "algorithm": "UNO",
    "uno_lora_path": "org/lora",
    "num_draft_tokens": 4,
}


def plain(method: Method) -> dict[str, Any]:
    values = {
        "draft_model_path": "org/head",
        "uno_lora_path": "a",
        "num_draft_tokens": 4,
    }
    return {
        "algorithm": method.name,
        **{key: values[key] for key in method.required},
    }


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_every_algorithm_has_an_arm_that_passes_in_any_case(method: Method) -> None:
    check_arm(METHODS_OF_SGLANG, plain(method))
    lower = {**plain(method), "algorithm": method.name.lower()}
    check_arm(METHODS_OF_SGLANG, lower)


@pytest.mark.parametrize(
    "arm",
    [
        {**EAGLE3, **CHAIN},
        {**EAGLE3, **TREE},
        {**EAGLE3, "num_steps": 3, "eagle_topk": 1},
        {**EAGLE3, "num-steps": 3, "eagle-topk": 1},
        {"algorithm": "EAGLE3", "draft_model": "org/head"},
        {**EAGLE3, "adaptive": True},
        {**EAGLE3, "adaptive": True, "num_steps": 3},
        {**EAGLE3, "adaptive": True, **CHAIN},
        {**EAGLE3, "adaptive_config": STEPS, "num_steps": 5},
        {**EAGLE3, "adaptive": True, "adaptive_config": "steps.json", "num_steps": 2},
        {**EAGLE3, **CHAIN, "use_block_verification": True},
        {**EAGLE3, "use_rejection_sampling": True},
        {"algorithm": "NGRAM", "num_draft_tokens": 8, "ngram_max_bfs_breadth": 4},
        {"algorithm": "NGRAM", "eagle_topk": 10},
        {
            "algorithm": "NGRAM",
            "ngram_external_corpus_path": "c.jsonl",
            "ngram_external_sam_budget": 4,
        },
        {"algorithm": "DFLASH", "draft_model_path": "m", "dflash_block_size": 16},
        {"algorithm": "DSPARK", "dspark_block_size": 7, "num_draft_tokens": 8},
        UNO,
        {**EAGLE3, "draft_window_size": 512, "draft_sink_size": 4},
        {**EAGLE3, **CHAIN, "accept_threshold_single": 0.9},
        {**EAGLE3, "use_block_verification": True, "accept_threshold_single": 1.0},
    ],
)
def test_what_the_engine_takes_passes(arm: dict[str, Any]) -> None:
    check_arm(METHODS_OF_SGLANG, arm)


@pytest.mark.parametrize(
    ("arm", "key", "word"),
    [
        ({}, "algorithm", "missing"),
        ({"draft_model_path": "m"}, "algorithm", "missing"),
        ({"algorithm": "MTP"}, "algorithm", "'MTP'"),
        ({"algorithm": 3}, "algorithm", "3"),
        ({"algorithm": "EAGLE3"}, "draft_model_path", "missing"),
        ({"algorithm": "STANDALONE"}, "draft_model_path", "missing"),
        ({**EAGLE3, "num_steps": 3}, "eagle_topk", "missing"),
        ({**EAGLE3, "eagle_topk": 1}, "num_steps", "missing beside eagle_topk"),
        ({**EAGLE3, "num_draft_tokens": 4}, "num_steps", "missing"),
        ({**EAGLE3, "num_steps": 3, "eagle_topk": 2}, "num_draft_tokens", "missing"),
        ({**EAGLE3, **CHAIN, "num_draft_tokens": 6}, "num_draft_tokens", "= 4 tokens"),
        ({**EAGLE3, **CHAIN, "num_steps": 0}, "num_steps", "no speculation"),
        (
            {**EAGLE3, "num_steps": 1, "eagle_topk": 2, "num_draft_tokens": 4},
            "num_draft_tokens",
            "at most 3",
        ),
        ({"algorithm": "NGRAM", "eagle_topk": 4}, "eagle_topk", "must not be given"),
        (
            {"algorithm": "NGRAM", "ngram_external_corpus_path": "c"},
            "ngram_external_sam_budget",
            "missing",
        ),
        (
            {"algorithm": "NGRAM", "ngram_external_sam_budget": 12},
            "ngram_external_sam_budget",
            "over",
        ),
        ({"algorithm": "NGRAM", "ngram_match_type": "bfs"}, "ngram_match_type", "PROB"),
        (
            {"algorithm": "DFLASH", "draft_model_path": "m", "num_steps": 3},
            "num_steps",
            "must not be given",
        ),
        ({"algorithm": "DSPARK", "eagle_topk": 2}, "eagle_topk", "must not be given"),
        (
            {"algorithm": "DSPARK", "dspark_block_size": 7, "num_draft_tokens": 7},
            "num_draft_tokens",
            "makes it 8",
        ),
        ({"algorithm": "DSPARK", "num_draft_tokens": 1}, "num_draft_tokens", "2"),
        ({**UNO, "draft_model_path": "m"}, "draft_model_path", "must not be given"),
        ({**UNO, "use_rejection_sampling": True}, "use_rejection_sampling", "UNO"),
        ({"algorithm": "NGRAM", "adaptive": True}, "adaptive", "not NGRAM"),
        ({**EAGLE3, **TREE, "adaptive": True}, "adaptive", "eagle_topk = 1"),
        (
            {**EAGLE3, "adaptive": True, "enable_multi_layer_eagle": True},
            "adaptive",
            "multi_layer",
        ),
        ({**EAGLE3, "adaptive": True, "num_steps": 2}, "num_steps", "0, 1, 3, 5, 7"),
        ({**EAGLE3, "adaptive_config": STEPS, "num_steps": 7}, "num_steps", "none of"),
        ({**EAGLE3, "adaptive": True, "num_draft_tokens": 4}, "num_draft_tokens", ""),
        (
            {**EAGLE3, "adaptive": False, "adaptive_config": STEPS},
            "adaptive_config",
            "no effect",
        ),
        ({**EAGLE3, "adaptive_config": {}}, "adaptive_config", "no batch size"),
        ({**EAGLE3, "adaptive_config": {"8": []}}, "adaptive_config.8", "expected"),
        (
            {**EAGLE3, "adaptive_config": {"8": {"candidate_steps": [-1]}}},
            "adaptive_config.8",
            "from 0",
        ),
        (
            {
                "algorithm": "STANDALONE",
                "draft_model_path": "m",
                "use_rejection_sampling": True,
            },
            "use_rejection_sampling",
            "not STANDALONE",
        ),
        (
            {**EAGLE3, **TREE, "use_block_verification": True},
            "use_block_verification",
            "eagle_topk = 1",
        ),
        (
            {
                **EAGLE3,
                "use_rejection_sampling": True,
                "accept_threshold_acc": 0.9,
            },
            "accept_threshold_acc",
            "ignores",
        ),
        (
            {**EAGLE3, "use_block_verification": True, "accept_threshold_single": 0.9},
            "accept_threshold_single",
            "with use_block_verification",
        ),
        ({**EAGLE3, "draft_sink_size": 4}, "draft_sink_size", "draft_window_size"),
        (
            {**EAGLE3, "decoupled_spec_role": "drafter"},
            "decoupled_spec_role",
            "no such",
        ),
    ],
)
def test_what_would_fail_or_run_otherwise_is_refused_by_its_key(
    arm: dict[str, Any], key: str, word: str
) -> None:
    with pytest.raises(InputError) as error:
        check_arm(METHODS_OF_SGLANG, arm)
    assert f"speculative.{key}:" in error.value.message
    assert word in error.value.message


@given(steps=st.integers(1, 6), branches=st.integers(2, 8))
def test_a_tree_may_be_as_wide_as_it_has_nodes(steps: int, branches: int) -> None:
    """By counting: the first step proposes `branches`, each later one so many for each
    of so many kept."""
    nodes = branches
    for _ in range(steps - 1):
        nodes += branches * branches
    arm = {**EAGLE3, "num_steps": steps, "eagle_topk": branches}
    check_arm(METHODS_OF_SGLANG, {**arm, "num_draft_tokens": nodes + 1})
    with pytest.raises(InputError, match=f"at most {nodes + 1}"):
        check_arm(METHODS_OF_SGLANG, {**arm, "num_draft_tokens": nodes + 2})
