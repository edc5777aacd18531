"""Step counts that SGLang 0.5.23 chooses while it runs, by the running batch and the
drafts accepted of late (srt/speculative/adaptive_spec_params.py)."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeGuard

from specbench.engines.arm_keys import is_whole, refusal
from specbench.engines.methods import Method

ABLE = ("EAGLE", "EAGLE3", "NEXTN")
OWN_STEPS = (0, 1, 3, 5, 7)
"""Step counts of its table for any batch size, where no other is given; 0 = it does not
speculate there."""
_STEPS = "candidate_steps"


def check_adaptive(arm: Mapping[str, Any], method: Method | None) -> None:
    """Where it cannot adapt, the engine says so in its log and runs fixed steps: an arm
    that is not what it is called."""
    config = arm.get("adaptive_config")
    if not is_adaptive(arm):
        if config is not None:
            raise refusal("adaptive_config", "has no effect with adaptive = false")
        return
    if method is not None and method.name not in ABLE:
        raise refusal("adaptive", f"only with {', '.join(ABLE)}; not {method.name}")
    if arm.get("eagle_topk") not in (None, 1):
        raise refusal("adaptive", "only with eagle_topk = 1; SGLang would not adapt")
    if arm.get("enable_multi_layer_eagle"):
        raise refusal("adaptive", "not with enable_multi_layer_eagle")
    _check_steps(arm, config)


def is_adaptive(arm: Mapping[str, Any]) -> bool:
    """A table of step counts turns the mode on by itself."""
    given = arm.get("adaptive")
    return arm.get("adaptive_config") is not None if given is None else bool(given)


def _check_steps(arm: Mapping[str, Any], config: Any) -> None:
    """The first step count is one of the candidates; the tokens to verify follow."""
    steps, width = arm.get("num_steps"), arm.get("num_draft_tokens")
    candidates = OWN_STEPS if config is None else candidate_steps(config)
    if steps is not None and candidates is not None and steps not in candidates:
        raise refusal(
            "num_steps",
            f"{steps} is none of the steps that adaptive drafting chooses from:"
            f" {', '.join(str(step) for step in candidates)}",
        )
    if width is not None and (steps is None or width != steps + 1):
        raise refusal(
            "num_draft_tokens",
            "must not be given with adaptive, which sets it to num_steps + 1",
        )


def candidate_steps(config: Any) -> tuple[int, ...] | None:
    """All step counts of a table by batch size; None = they are in a file."""
    if not isinstance(config, Mapping):
        return None
    found: set[int] = set()
    for size, row in config.items():
        if not str(size).isdigit():
            continue
        steps = row.get(_STEPS) if isinstance(row, Mapping) else None
        if not _are_steps(steps):
            raise refusal(
                f"adaptive_config.{size}",
                f"expected {{ {_STEPS} = [...] }} with whole numbers from 0 on,"
                f" got {row!r}",
            )
        found.update(steps)
    if not found:
        raise refusal(
            "adaptive_config",
            "has no batch size",
            f"e.g. {{ 1 = {{ {_STEPS} = [1, 3, 5] }}, 32 = {{ {_STEPS} = [0, 1] }} }}",
        )
    return tuple(sorted(found))


def _are_steps(value: Any) -> TypeGuard[Sequence[int]]:
    return (
        isinstance(value, list | tuple)
        and len(value) > 0
        and all(is_whole(step) and step >= 0 for step in value)
    )
