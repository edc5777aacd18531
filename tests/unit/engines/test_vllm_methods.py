"""Arms of vLLM 0.32.0: what its configuration takes passes, what it would refuse after
a minute of starting is refused before."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specbench.engines.methods import Method, check_arm
from specbench.engines.vllm_arm_rules import TARGET_RULES
from specbench.engines.vllm_methods import METHODS, METHODS_OF_VLLM
from specbench.errors import InputError
from specbench.schema.sweep import Scalar, Target

K = "num_speculative_tokens"
TABLE = "num_speculative_tokens_per_batch_size"
NGRAM: dict[str, Any] = {"method": "ngram", K: 3}
EAGLE3: dict[str, Any] = {"method": "eagle3", "model": "org/head", K: 3}
MTP: dict[str, Any] = {"method": "mtp", K: 1}
SUFFIX: dict[str, Any] = {"method": "suffix", "suffix_decoding_max_cached_requests": 0}
ON_FIRST_RUNNER: tuple[dict[str, Any], ...] = (
    SUFFIX,
    {**EAGLE3, "parallel_drafting": True},
    {"method": "draft_model", "model": "m", "use_heterogeneous_vocab": True},
)
HIDDEN: dict[str, Any] = {
    "method": "extract_hidden_states",
    K: 1,
    "draft_model_config": {"hf_config": {"eagle_aux_hidden_state_layer_ids": [2, 5]}},
}


def arm_of(method: Method) -> dict[str, Any]:
    """The plainest arm of each method."""
    if method.name == "suffix":
        return SUFFIX
    if method.name == "extract_hidden_states":
        return HIDDEN
    arm = {"method": method.name, K: 3}
    return {**arm, "model": "org.head"} if "model" in method.required else arm


@pytest.mark.parametrize(
    "method", [m for m in METHODS if m.absent is None], ids=lambda method: method.name
)
def test_every_method_has_an_arm_that_passes(method: Method) -> None:
    check_arm(METHODS_OF_VLLM, arm_of(method))
    for alias in method.aliases:
        check_arm(METHODS_OF_VLLM, {**arm_of(method), "method": alias})


@pytest.mark.parametrize(
    "arm",
    [
        {"model": "ngram", K: 3},
        {"model": "[ngram]", K: 3},
        {"model": "org/draft", K: 3},
        {"model": "org/draft"},
        {"model": "my_drafters.Best", K: 3},
        {"method": "mtp", "model": "org/layers"},
        SUFFIX,
        {**SUFFIX, K: 8, "suffix_decoding_max_spec_factor": 2},
        {**NGRAM, "prompt_lookup_min": 2, "prompt_lookup_max": 4},
        {**NGRAM, "prompt_lookup_max": 4},
        {**NGRAM, TABLE: [[1, 2, 3], [3, 4, 1], [5, 64, 0]]},
        {**NGRAM, TABLE: [[33, 64, 0], [1, 16, 3]]},
        {**EAGLE3, "parallel_drafting": True},
        {**EAGLE3, "rejection_sample_method": "block"},
        {**EAGLE3, "draft_sample_method": "probabilistic"},
        {
            **EAGLE3,
            "rejection_sample_method": "synthetic",
            "synthetic_acceptance_rates": [0.9, 0.6, 0.6],
        },
        {
            **NGRAM,
            "rejection_sample_method": "synthetic",
            "synthetic_acceptance_length": 4,
        },
        {"method": "dspark", K: 7, "enable_adaptive_verification": True},
        {
            "method": "dspark",
            "model": "org/head",
            "enable_adaptive_verification": True,
            "use_local_argmax_reduction": True,
            "dspark_draft_topk": 8,
        },
        {"method": "draft_model", "model": "m", "use_heterogeneous_vocab": True},
        {**MTP, "index_share_for_mtp_iteration": False},
        {
            **EAGLE3,
            "draft_load_config": {"load_format": "dummy"},
            "quantization": "fp8",
        },
        {**EAGLE3, "max_model_len": None},
        {**NGRAM, "dspark_draft_topk": 4},
    ],
)
def test_what_the_engine_takes_passes(arm: dict[str, Any]) -> None:
    check_arm(METHODS_OF_VLLM, arm)


@pytest.mark.parametrize(
    ("arm", "key", "word"),
    [
        ({"method": "ngram"}, K, "missing"),
        ({"method": "eagle", K: 3}, "model", "missing"),
        ({"method": "draft_model", K: 3}, "model", "missing"),
        ({"method": "medusa", K: 3}, "model", "missing"),
        ({"method": "mtp"}, K, "missing"),
        ({"method": "dspark"}, K, "missing"),
        ({"method": "deepseek_mtp"}, K, "missing"),
        ({"method": "mlp_speculator", "model": "m", K: 3}, "method", "cannot run"),
        ({"method": "custom_class", "model": "a.B"}, K, "missing"),
        ({**HIDDEN, K: 3}, K, "must be 1"),
        ({**HIDDEN, "draft_model_config": {}}, "draft_model_config", "layers"),
        ({**HIDDEN, "draft_model_config": {"hf_config": 1}}, "draft_model_config", ""),
        (
            {**HIDDEN, "disable_padded_drafter_batch": True},
            "disable_padded_drafter_batch",
            "",
        ),
        (
            {**HIDDEN, "draft_sample_method": "probabilistic"},
            "draft_sample_method",
            "greedy",
        ),
        (
            {**NGRAM, "prompt_lookup_min": 5, "prompt_lookup_max": 4},
            "prompt_lookup_min",
            "over",
        ),
        ({**NGRAM, "prompt_lookup_min": 0}, "prompt_lookup_min", "at least 1"),
        ({"method": "suffix"}, "suffix_decoding_max_cached_requests", "must be 0"),
        (
            {**SUFFIX, "suffix_decoding_min_token_prob": 2},
            "min_token_prob",
            "at most 1",
        ),
        ({**NGRAM, TABLE: []}, TABLE, "empty"),
        ({**NGRAM, TABLE: [[2, 4, 1]]}, TABLE, "start at 1"),
        ({**NGRAM, TABLE: [[1, 4, 1], [4, 8, 0]]}, TABLE, "overlap"),
        ({**NGRAM, TABLE: [[1, 4, -1]]}, TABLE, "got [1, 4, -1]"),
        ({**NGRAM, TABLE: [[4, 1, 1]]}, TABLE, "got [4, 1, 1]"),
        ({**NGRAM, TABLE: [[1, 4]]}, TABLE, "got [1, 4]"),
        ({**NGRAM, TABLE: ["1-4"]}, TABLE, "got '1-4'"),
        ({**NGRAM, TABLE: {"1": 3}}, TABLE, "a list"),
        ({**NGRAM, TABLE: [[1, 4, 5]]}, TABLE, "num_speculative_tokens = 3"),
        (
            {**NGRAM, "synthetic_acceptance_length": 2},
            "synthetic_acceptance_length",
            "only with",
        ),
        (
            {**NGRAM, "rejection_sample_method": "synthetic"},
            "rejection_sample_method",
            "either",
        ),
        (
            {
                **NGRAM,
                "rejection_sample_method": "synthetic",
                "synthetic_acceptance_length": 4.5,
            },
            "synthetic_acceptance_length",
            "over 4",
        ),
        (
            {
                **NGRAM,
                "rejection_sample_method": "synthetic",
                "synthetic_acceptance_rates": [0.5, 0.6, 0.1],
            },
            "synthetic_acceptance_rates",
            "grow",
        ),
        (
            {
                **NGRAM,
                "rejection_sample_method": "synthetic",
                "synthetic_acceptance_rates": [0.5, 0.4],
            },
            "synthetic_acceptance_rates",
            "2 rates",
        ),
        (
            {
                **NGRAM,
                "rejection_sample_method": "synthetic",
                "synthetic_acceptance_rates": [1.5, 0.4, 0],
            },
            "synthetic_acceptance_rates",
            "0 to 1",
        ),
        (
            {**NGRAM, "rejection_sample_method": "typical"},
            "rejection_sample_method",
            "",
        ),
        (
            {**EAGLE3, "index_share_for_mtp_iteration": True},
            "index_share_for_mtp_iteration",
            "mtp",
        ),
        ({**EAGLE3, "use_heterogeneous_vocab": True}, "use_heterogeneous_vocab", ""),
        ({**EAGLE3, "dspark_draft_topk": 4}, "dspark_draft_topk", "only with dspark"),
        (
            {
                "method": "draft_model",
                "model": "m",
                "use_heterogeneous_vocab": True,
                "draft_sample_method": "probabilistic",
            },
            "draft_sample_method",
            "greedy",
        ),
        (
            {
                **EAGLE3,
                "enable_adaptive_verification": True,
                "use_local_argmax_reduction": True,
            },
            "use_local_argmax_reduction",
            "logits",
        ),
        (
            {**EAGLE3, "tensor_parallel_size": 2},
            "tensor_parallel_size",
            "no such key",
        ),
    ],
)
def test_what_the_engine_would_refuse_is_refused_by_its_key(
    arm: dict[str, Any], key: str, word: str
) -> None:
    with pytest.raises(InputError) as error:
        check_arm(METHODS_OF_VLLM, arm)
    assert key in error.value.message
    assert word in error.value.message


@given(
    lengths=st.lists(st.integers(0, 9), min_size=1, max_size=6),
    widths=st.lists(st.integers(1, 40), min_size=6, max_size=6),
    gaps=st.lists(st.integers(0, 3), min_size=6, max_size=6),
    seed=st.randoms(use_true_random=False),
)
def test_any_table_from_1_on_without_overlap_passes(
    lengths: list[int], widths: list[int], gaps: list[int], seed: Any
) -> None:
    table, start = [], 1
    for length, width, gap in zip(lengths, widths, gaps, strict=False):
        table.append([start, start + width - 1, length])
        start += width + gap
    seed.shuffle(table)
    check_arm(METHODS_OF_VLLM, {**NGRAM, K: 9, TABLE: table})


def notes(
    arm: dict[str, Any],
    args: dict[str, Scalar] | None = None,
    tensor_parallel: int = 1,
    runner: str | None = None,
    lacking: tuple[str, ...] = (),
) -> list[str]:
    target = Target(
        model="m",
        engine="vllm",
        tensor_parallel=tensor_parallel,
        args=args or {},
        env={} if runner is None else {"VLLM_USE_V2_MODEL_RUNNER": runner},
    )
    absent = frozenset(lacking)
    return [note for rule in TARGET_RULES for note in rule(arm, target, absent)]


def test_a_drafter_is_on_one_gpu_or_on_all() -> None:
    for size in (None, 1, 4):
        arm = {**EAGLE3, "draft_tensor_parallel_size": size}
        assert notes(arm, tensor_parallel=4) == []
    with pytest.raises(InputError, match="draft_tensor_parallel_size: 2"):
        notes({**EAGLE3, "draft_tensor_parallel_size": 2}, tensor_parallel=4)


def test_a_table_that_data_parallel_ranks_drop_is_noted() -> None:
    arm = {**NGRAM, TABLE: [[1, 8, 3], [9, 64, 0]]}
    assert notes(arm) == notes(arm, {"data-parallel-size": 1}) == []
    (note,) = notes(arm, {"data-parallel-size": 2})
    assert TABLE in note
    assert "drafts 3 tokens" in note


def test_block_verification_that_would_not_happen_is_noted() -> None:
    block = {"rejection_sample_method": "block"}
    assert notes({**EAGLE3, **block}) == []
    assert notes({**EAGLE3, **block}, runner="1") == []
    assert len(notes({**EAGLE3, **block}, runner="0")) == 1
    assert len(notes({**EAGLE3, **block}, lacking=("triton",))) == 1
    for arm in ON_FIRST_RUNNER:
        assert len(notes({**arm, **block})) == 1


def test_adaptive_verification_is_refused_on_the_first_runner() -> None:
    adaptive = {"enable_adaptive_verification": True}
    assert notes({**EAGLE3, **adaptive}) == []
    for arm in ON_FIRST_RUNNER:
        with pytest.raises(InputError, match="enable_adaptive_verification: not with"):
            notes({**arm, **adaptive})
    for where in ({"runner": "0"}, {"lacking": ("triton",)}):
        with pytest.raises(InputError, match="enable_adaptive_verification: not with"):
            notes({**EAGLE3, **adaptive}, **where)


def test_a_runner_that_lacks_the_drafter_is_not_asked_for() -> None:
    for arm in ON_FIRST_RUNNER:
        assert notes(arm, runner="0") == notes(arm) == []
        with pytest.raises(InputError, match="VLLM_USE_V2_MODEL_RUNNER = 1"):
            notes(arm, runner="1")
    dspark = {"method": "dspark", K: 7}
    assert notes(dspark, runner="1") == notes(dspark) == []
    for where in ({"runner": "0"}, {"lacking": ("triton",)}):
        with pytest.raises(InputError, match="method: dspark would run on vLLM's"):
            notes(dspark, **where)
