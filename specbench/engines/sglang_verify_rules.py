"""How drafts are verified: keys of an arm that SGLang 0.5.23 does not take together, by
its srt/arg_groups/speculative_hook.py. Each rule raises InputError naming the key."""

from collections.abc import Mapping
from typing import Any

from specbench.engines.arm_keys import refusal
from specbench.engines.methods import Method
from specbench.engines.sglang_adaptive import is_adaptive
from specbench.schema.sweep import Target

REJECTION = "use_rejection_sampling"
BLOCK = "use_block_verification"
"""With the methods of `_CHAINS` it turns rejection sampling on."""
_CHAINS = ("EAGLE", "EAGLE3", "NEXTN")
_BLOCKS = ("DFLASH", "DSPARK")
_TREES = ("LlamaForCausalLM", "Grok1ForCausalLM", "Grok1VForCausalLM")
"""Targets for which an arm without lengths gets a tree of four branches; others get a
chain."""


def check_verification(arm: Mapping[str, Any], method: Method | None) -> None:
    """Rejection sampling and block verification are for chains, and exact: they go with
    no threshold."""
    if method is None:
        return
    for key, others in ((REJECTION, ()), (BLOCK, _BLOCKS)):
        if not arm.get(key):
            continue
        able = (*_CHAINS, *others)
        if method.name not in able:
            raise refusal(key, f"only with {', '.join(able)}; not {method.name}")
        if arm.get("eagle_topk") not in (None, 1):
            raise refusal(key, "only with eagle_topk = 1")
    by = _rejection_key(arm, method)
    for key in ("accept_threshold_single", "accept_threshold_acc"):
        if by is not None and arm.get(key) not in (None, 1):
            raise refusal(key, f"must not be given with {by}, which ignores it")


def check_verification_device(
    arm: Mapping[str, Any], target: Target, _lacking: frozenset[str]
) -> tuple[str, ...]:
    """Block verification ends the start on a CPU; rejection sampling is passed over
    there."""
    if target.device != "cpu":
        return ()
    if arm.get(BLOCK):
        raise refusal(
            BLOCK,
            "only on a GPU: SGLang does not start with it on a CPU",
            "leave it out",
        )
    if arm.get(REJECTION):
        return (
            f"speculative.{REJECTION}: on a CPU SGLang verifies greedily all the same",
        )
    return ()


def check_tree_by_default(
    arm: Mapping[str, Any], method: Method | None, config: Mapping[str, Any]
) -> None:
    """Lengths that are left out are chosen by the target's architecture."""
    if method is None or is_adaptive(arm) or arm.get("num_steps") is not None:
        return
    by, architecture = _rejection_key(arm, method), _architecture(config)
    if by is not None and architecture in _TREES:
        raise refusal(
            "eagle_topk",
            f"is missing: SGLang would draft a tree of 4 branches for {architecture},"
            f" and {by} is only with eagle_topk = 1",
            "give num_steps, e.g. 5, and eagle_topk = 1",
        )


def _rejection_key(arm: Mapping[str, Any], method: Method) -> str | None:
    """The key by which a chain is verified by rejection sampling."""
    if method.name not in _CHAINS:
        return None
    return next((key for key in (REJECTION, BLOCK) if arm.get(key)), None)


def _architecture(config: Mapping[str, Any]) -> str | None:
    named = config.get("architectures")
    return str(named[0]) if isinstance(named, list) and named else None
