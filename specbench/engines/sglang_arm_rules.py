"""Keys of an arm that SGLang 0.5.23 does not take together, or would change without a
word in the results, by its srt/arg_groups/speculative_hook.py and by starts of it that
failed. Each rule raises InputError naming the key."""

from collections.abc import Mapping
from typing import Any

from specbench.engines.arm_keys import refusal
from specbench.engines.methods import ConfigRule, Method, Rule, TargetRule
from specbench.engines.sglang_adaptive import check_adaptive, is_adaptive
from specbench.engines.sglang_verify_rules import (
    check_tree_by_default,
    check_verification,
    check_verification_device,
)

CHAINS = ("EAGLE", "EAGLE3", "NEXTN", "STANDALONE")
"""Methods whose drafts grow step by step."""
_BLOCKS = ("DFLASH", "DSPARK")
_ALL_OR_NONE = "give num_steps, eagle_topk and num_draft_tokens, or none of them"


def check_lengths(arm: Mapping[str, Any], method: Method | None) -> None:
    """Steps, branches and tokens to verify: all three or none, and a tree that can be
    filled. Without any, the engine chooses by the target's architecture."""
    if method is None or method.name not in CHAINS or is_adaptive(arm):
        return
    steps, branches = arm.get("num_steps"), arm.get("eagle_topk")
    width = arm.get("num_draft_tokens")
    if steps is None:
        for key in ("eagle_topk", "num_draft_tokens"):
            if arm.get(key) is not None:
                raise refusal("num_steps", f"is missing beside {key}", _ALL_OR_NONE)
    elif steps == 0:
        raise refusal("num_steps", "0 is no speculation: the baseline is measured so")
    elif branches is None:
        raise refusal("eagle_topk", "is missing beside num_steps", _ALL_OR_NONE)
    elif branches == 1:
        _check_chain(steps, width)
    elif width is None:
        raise refusal(
            "num_draft_tokens",
            f"is missing beside eagle_topk = {branches}",
            _ALL_OR_NONE,
        )
    else:
        _check_tree(steps, branches, width)


def _check_chain(steps: int, width: int | None) -> None:
    if width not in (None, steps + 1):
        raise refusal(
            "num_draft_tokens",
            f"{width} with eagle_topk = 1: SGLang would verify num_steps + 1 ="
            f" {steps + 1} tokens, the last one of the target included",
            f"write {steps + 1}, or leave it out",
        )


def _check_tree(steps: int, branches: int, width: int) -> None:
    """The first step proposes one branch's width, each later one its square."""
    nodes = branches + (steps - 1) * branches**2
    if width - 1 > nodes:
        raise refusal(
            "num_draft_tokens",
            f"{width} is more than the tree can hold: {steps} steps of {branches}"
            f" branches propose {nodes} tokens, so at most {nodes + 1} with the root",
        )


def check_ngram(arm: Mapping[str, Any], method: Method | None) -> None:
    """Its breadth is `ngram_max_bfs_breadth`, whatever `eagle_topk` says; a corpus of
    its own takes part of the draft."""
    if method is None or method.name != "NGRAM":
        return
    breadth = arm.get("ngram_max_bfs_breadth", 10)
    if arm.get("eagle_topk") not in (None, breadth):
        raise refusal(
            "eagle_topk",
            f"must not be given with NGRAM: SGLang takes ngram_max_bfs_breadth,"
            f" {breadth}, for it",
        )
    budget = arm.get("ngram_external_sam_budget", 0)
    room = arm.get("num_draft_tokens", 12) - 1
    if arm.get("ngram_external_corpus_path") is not None and budget == 0:
        raise refusal(
            "ngram_external_sam_budget",
            "is missing: without it no draft comes from ngram_external_corpus_path",
            f"give 1 to {room}, which is num_draft_tokens - 1",
        )
    if budget > room:
        raise refusal(
            "ngram_external_sam_budget",
            f"{budget} is over num_draft_tokens - 1, which is {room}",
        )


def check_blocks(arm: Mapping[str, Any], method: Method | None) -> None:
    """A block is drafted in one pass: steps and branches are 1, its own key and
    `num_draft_tokens` say the same."""
    if method is None or method.name not in _BLOCKS:
        return
    for key in ("num_steps", "eagle_topk"):
        if arm.get(key) not in (None, 1):
            raise refusal(
                key,
                f"must not be given with {method.name}, which drafts a block in one"
                " step and one branch",
                f"its length is {method.name.lower()}_block_size",
            )
    key = f"{method.name.lower()}_block_size"
    extra = 1 if method.name == "DSPARK" else 0
    block, width = arm.get(key), arm.get("num_draft_tokens")
    if block is not None and width not in (None, block + extra):
        raise refusal(
            "num_draft_tokens",
            f"{width} does not go with {key} = {block}, which makes it {block + extra}",
            "give one of the two",
        )
    if method.name == "DSPARK" and width == 1:
        raise refusal("num_draft_tokens", "has to be at least 2 with DSPARK")


def check_uno(arm: Mapping[str, Any], method: Method | None) -> None:
    """It drafts with the target and an adapter."""
    if method is None or method.name != "UNO":
        return
    if arm.get("draft_model_path"):
        raise refusal(
            "draft_model_path",
            "must not be given with UNO, which drafts with the target itself",
            "its adapter is uno_lora_path",
        )
    if arm.get("use_rejection_sampling"):
        raise refusal("use_rejection_sampling", "not with UNO, which has its own way")


def check_window(arm: Mapping[str, Any], _method: Method | None) -> None:
    """Tokens that always stay are kept beside a window."""
    if arm.get("draft_sink_size") and arm.get("draft_window_size") is None:
        raise refusal("draft_sink_size", "needs draft_window_size")


RULES: tuple[Rule, ...] = (
    check_lengths,
    check_ngram,
    check_blocks,
    check_uno,
    check_adaptive,
    check_verification,
    check_window,
)
"""In the order in which an arm is held against them."""

TARGET_RULES: tuple[TargetRule, ...] = (check_verification_device,)
CONFIG_RULES: tuple[ConfigRule, ...] = (check_tree_by_default,)
