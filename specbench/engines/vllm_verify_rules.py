"""How drafts are verified: keys of an arm that vLLM 0.32.0 does not take together, by
its vllm/config/speculative.py, vllm/config/vllm.py and its two model runners. Each rule
raises InputError naming the key."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from specbench.engines.arm_keys import is_number, refusal
from specbench.engines.lossy import EXACT_METHODS
from specbench.engines.methods import Method
from specbench.schema.sweep import Target

RUNNER = "VLLM_USE_V2_MODEL_RUNNER"
"""Variable by which a user takes the choice of a runner from vLLM: 0 or 1."""
TRITON = "triton"
_LENGTH = "num_speculative_tokens"
_FIRST_RUNNER_ONLY = ("suffix", "medusa", "mlp_speculator", "custom_class")
_BLOCK_DRAFTERS = ("dflash", "dspark")


def check_synthetic(arm: Mapping[str, Any], method: Method | None) -> None:
    """Programmed acceptance: by rates of each position, or by a mean length."""
    rates = arm.get("synthetic_acceptance_rates")
    length = arm.get("synthetic_acceptance_length")
    verification = arm.get("rejection_sample_method")
    if verification is None or verification in EXACT_METHODS:
        for key in ("synthetic_acceptance_rates", "synthetic_acceptance_length"):
            if arm.get(key) is not None:
                raise refusal(key, 'only with rejection_sample_method = "synthetic"')
    if verification != "synthetic":
        return
    if (rates is None) == (length is None):
        raise refusal(
            "rejection_sample_method",
            "synthetic takes either synthetic_acceptance_rates or"
            " synthetic_acceptance_length",
        )
    tokens = _most_tokens(arm, method)
    if rates is not None:
        _check_rates(rates, tokens)
    elif length is not None and tokens is not None and length > tokens + 1:
        raise refusal(
            "synthetic_acceptance_length",
            f"{length:g} is over {tokens + 1}, which is {_LENGTH} and the bonus token",
        )


def _most_tokens(arm: Mapping[str, Any], method: Method | None) -> int | None:
    tokens = arm.get(_LENGTH)
    if tokens is None and method is not None and method.name == "suffix":
        tokens = arm.get("suffix_decoding_max_tree_depth", 24)
    return tokens


def _check_rates(rates: Sequence[Any], tokens: int | None) -> None:
    key = "synthetic_acceptance_rates"
    if not all(is_number(rate) and 0 <= rate <= 1 for rate in rates):
        raise refusal(key, f"expected shares from 0 to 1, got {rates!r}")
    if any(later > rate for rate, later in pairwise(rates)):
        raise refusal(key, "grow: a position is reached only by the ones before it")
    if tokens is not None and len(rates) != tokens:
        raise refusal(
            key, f"has {len(rates)} rates, but {_LENGTH} = {tokens}", "one a position"
        )


def check_sampling(arm: Mapping[str, Any], method: Method | None) -> None:
    """How drafts are drawn, against what has to see their logits."""
    is_probabilistic = arm.get("draft_sample_method") == "probabilistic"
    if is_probabilistic and arm.get("use_heterogeneous_vocab"):
        raise refusal("draft_sample_method", "only greedy with use_heterogeneous_vocab")
    if (
        arm.get("enable_adaptive_verification")
        and arm.get("use_local_argmax_reduction")
        and (method is None or method.name != "dspark")
    ):
        raise refusal(
            "use_local_argmax_reduction",
            "not with enable_adaptive_verification, which reads the draft's logits",
        )


def is_first_runner(
    arm: Mapping[str, Any], target: Target, lacking: frozenset[str]
) -> bool:
    """Whether the first of vLLM's two model runners would run the arm: by the
    environment, which has the first word; because the second needs Triton, which a CPU
    build comes without; or because the second lacks the drafter."""
    forced = _forced_runner(target)
    if forced is not None:
        return forced == 0
    return TRITON in lacking or _needs_first_runner(arm)


def check_runner(
    arm: Mapping[str, Any], target: Target, lacking: frozenset[str]
) -> tuple[str, ...]:
    """What one of the runners lacks ends the start of an engine that is told to use
    it; adaptive verification is in the second one only."""
    forced = _forced_runner(target)
    if forced and _needs_first_runner(arm):
        raise refusal(
            "method",
            f"{RUNNER} = {forced} asks for vLLM's second model runner, which cannot run"
            " this drafter",
            f"take {RUNNER} out of the environment",
        )
    if not is_first_runner(arm, target, lacking):
        return ()
    if arm.get("method") == "dspark":
        raise refusal(
            "method",
            "dspark would run on vLLM's first model runner, which does not have it",
            f"the second one needs Triton, and no {RUNNER} = 0 in the environment",
        )
    if arm.get("enable_adaptive_verification"):
        raise refusal(
            "enable_adaptive_verification",
            "not with this arm: it runs on vLLM's first model runner, which does not"
            " have it",
        )
    return ()


def note_block_verification(
    arm: Mapping[str, Any], target: Target, lacking: frozenset[str]
) -> tuple[str, ...]:
    """Only the second model runner verifies blocks; the first does it token by token,
    and says nothing."""
    if arm.get("rejection_sample_method") != "block":
        return ()
    if not is_first_runner(arm, target, lacking):
        return ()
    return (
        "speculative.rejection_sample_method = block has no effect with this arm: it"
        " runs on vLLM's first model runner, which verifies token by token",
    )


def _needs_first_runner(arm: Mapping[str, Any]) -> bool:
    return (
        arm.get("method") in _FIRST_RUNNER_ONLY
        or bool(arm.get("use_heterogeneous_vocab"))
        or (
            bool(arm.get("parallel_drafting"))
            and arm.get("method") not in _BLOCK_DRAFTERS
        )
    )


def _forced_runner(target: Target) -> int | None:
    """A word that is no number ends the start, with a message of its own."""
    try:
        return int(target.env[RUNNER])
    except (KeyError, ValueError):
        return None
