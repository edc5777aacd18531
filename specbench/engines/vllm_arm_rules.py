"""Keys of an arm that vLLM 0.32.0 does not take together, by its
vllm/config/speculative.py, vllm/config/vllm.py and vllm/v1/spec_decode/. Each rule
raises InputError naming the key."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from specbench.engines.arm_keys import is_whole, refusal
from specbench.engines.methods import Method, Rule, TargetRule
from specbench.engines.vllm_verify_rules import (
    check_runner,
    check_sampling,
    check_synthetic,
    note_block_verification,
)
from specbench.errors import InputError
from specbench.schema.sweep import Target

LENGTH = "num_speculative_tokens"
CACHED_REQUESTS = "suffix_decoding_max_cached_requests"
TABLE = "num_speculative_tokens_per_batch_size"
_WITHOUT_WEIGHTS = ("ngram", "ngram_gpu", "suffix", "custom_class")


def check_source(arm: Mapping[str, Any], method: Method | None) -> None:
    """Something has to say what drafts; a drafter inside the target says no length."""
    name = arm.get("method")
    if name is None and arm.get("model") is None:
        raise InputError(
            "speculative: has neither `method` nor `model`",
            hint='say how to draft, e.g. method = "ngram"; `specbench engines` lists'
            " the methods",
        )
    if method is None or method.name not in ("mtp", "dspark"):
        return
    if arm.get("model") is None and arm.get(LENGTH) is None:
        raise refusal(
            LENGTH,
            f"is missing; {name} without `model` drafts with the target's own layers,"
            " and vLLM then takes no length from them",
            f"add {LENGTH} = 1, or more",
        )


def check_length(arm: Mapping[str, Any], method: Method | None) -> None:
    """Hidden states are carried out in the place of one draft token."""
    if method is not None and method.name == "extract_hidden_states":
        if arm.get(LENGTH) != 1:
            raise refusal(
                LENGTH,
                f"must be 1 for {method.name}, which drafts nothing;"
                f" got {arm.get(LENGTH)}",
            )
        _check_extraction(arm)


def _check_extraction(arm: Mapping[str, Any]) -> None:
    inner = arm["draft_model_config"].get("hf_config")
    layers = (
        inner.get("eagle_aux_hidden_state_layer_ids")
        if isinstance(inner, Mapping)
        else None
    )
    if not layers:
        raise refusal(
            "draft_model_config",
            "does not say which layers to read",
            "give hf_config.eagle_aux_hidden_state_layer_ids, e.g."
            " { hf_config = { eagle_aux_hidden_state_layer_ids = [2, 14, 26] } }",
        )
    if arm.get("disable_padded_drafter_batch"):
        raise refusal("disable_padded_drafter_batch", "not with extract_hidden_states")
    if arm.get("draft_sample_method", "greedy") != "greedy":
        raise refusal("draft_sample_method", "only greedy with extract_hidden_states")


def check_lookup(arm: Mapping[str, Any], method: Method | None) -> None:
    """The shortest match is not longer than the longest one; one of the two given
    stands for both."""
    least, most = arm.get("prompt_lookup_min"), arm.get("prompt_lookup_max")
    if method is None or not method.name.startswith("ngram"):
        return
    if least is not None and most is not None and least > most:
        raise refusal(
            "prompt_lookup_min", f"{least} is over prompt_lookup_max, which is {most}"
        )


def check_learning(arm: Mapping[str, Any], method: Method | None) -> None:
    """Suffix decoding keeps the answers that it has seen (10,000 by default): the same
    prompts at the next load would find their own answers, and each load would be
    flattered by the ones before."""
    if method is not None and is_learning({**arm, "method": method.name}):
        raise refusal(
            CACHED_REQUESTS,
            "must be 0, since a drafter that learns from traffic cannot be reset"
            " between loads",
            f"add {CACHED_REQUESTS} = 0, also to what starts a server of your own; the"
            " drafter then uses the prompt only",
        )


def is_learning(arm: Mapping[str, Any]) -> bool:
    """Only a cache of no answers keeps suffix decoding from learning."""
    return arm.get("method") == "suffix" and arm.get(CACHED_REQUESTS) != 0


def check_table(arm: Mapping[str, Any], _method: Method | None) -> None:
    """Ranges of batch sizes with a draft length each: from 1 on, without overlap; gaps
    keep the length before them. A length over `num_speculative_tokens` would be cut to
    it in silence."""
    table = arm.get(TABLE)
    if table is None:
        return
    if not table:
        raise refusal(TABLE, "is empty", "e.g. [[1, 4, 3], [5, 64, 0]]")
    rows = sorted((_row(row) for row in table), key=lambda row: row[0])
    if rows[0][0] != 1:
        raise refusal(TABLE, f"starts at batch size {rows[0][0]}; it has to start at 1")
    for before, after in pairwise(rows):
        if after[0] <= before[1]:
            raise refusal(TABLE, f"{list(before)} and {list(after)} overlap")
    longest, limit = max(row[2] for row in rows), arm.get(LENGTH)
    if limit is not None and longest > limit:
        raise refusal(
            TABLE,
            f"asks for {longest} tokens, but {LENGTH} = {limit} is the most that a"
            " draft can have",
            f"set {LENGTH} = {longest}",
        )


def _row(row: Any) -> tuple[int, int, int]:
    is_row = (
        isinstance(row, Sequence)
        and not isinstance(row, str)
        and len(row) == 3
        and all(is_whole(number) for number in row)
    )
    if not is_row or not 1 <= row[0] <= row[1] or row[2] < 0:
        raise refusal(
            TABLE,
            f"expected [first batch size, last, tokens], sizes from 1 and tokens from"
            f" 0; got {row!r}",
        )
    return row[0], row[1], row[2]


def check_method_only(arm: Mapping[str, Any], method: Method | None) -> None:
    """Keys that stop the start with any method but theirs."""
    if method is None:
        return
    if method.name != "mtp" and arm.get("index_share_for_mtp_iteration") is not None:
        raise refusal(
            "index_share_for_mtp_iteration", f"only with mtp, not {method.name}"
        )
    if method.name != "draft_model" and arm.get("use_heterogeneous_vocab"):
        raise refusal(
            "use_heterogeneous_vocab", f"only with draft_model, not {method.name}"
        )
    if arm.get("dspark_draft_topk") is not None and method.name not in (
        "dspark",
        "extract_hidden_states",
        *_WITHOUT_WEIGHTS,
    ):
        raise refusal("dspark_draft_topk", f"only with dspark, not {method.name}")


def check_draft_parallel(
    arm: Mapping[str, Any], target: Target, _lacking: frozenset[str]
) -> tuple[str, ...]:
    """The drafter runs on one GPU of the target's, or on all of them."""
    size = arm.get("draft_tensor_parallel_size")
    if size not in (None, 1, target.tensor_parallel):
        raise refusal(
            "draft_tensor_parallel_size",
            f"{size} is neither 1 nor target.tensor_parallel, which is"
            f" {target.tensor_parallel}",
        )
    return ()


def note_data_parallel(
    arm: Mapping[str, Any], target: Target, _lacking: frozenset[str]
) -> tuple[str, ...]:
    """Ranks could choose different lengths, so the engine drops the table."""
    given = target.args.get("data-parallel-size", target.args.get("data_parallel_size"))
    if arm.get(TABLE) is None or given in (None, 1):
        return ()
    return (
        f"speculative.{TABLE} has no effect with data-parallel-size {given}: vLLM"
        f" drops it, and drafts {arm.get(LENGTH)} tokens at every batch size",
    )


RULES: tuple[Rule, ...] = (
    check_source,
    check_length,
    check_lookup,
    check_learning,
    check_table,
    check_synthetic,
    check_method_only,
    check_sampling,
)
"""In the order in which an arm is held against them."""

TARGET_RULES: tuple[TargetRule, ...] = (
    check_draft_parallel,
    note_data_parallel,
    check_runner,
    note_block_verification,
)
