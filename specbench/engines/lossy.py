"""Settings by which speculation changes what the model says, so that an arm is faster
at something else."""

from collections.abc import Mapping
from typing import Any

EXACT_METHODS = frozenset({"standard", "block"})
"""`rejection_sample_method` of vLLM 0.32.0 (config/speculative.py). `standard` is
rejection sampling (Leviathan et al. 2023, Chen et al. 2023), `block` verifies the
draft as a whole (Sun et al. 2024): both keep the target's distribution. `synthetic`
accepts at programmed rates, whatever the target model thinks."""


def vllm_lossy_settings(speculative: Mapping[str, Any]) -> tuple[str, ...]:
    """A method that is not known to be exact counts as lossy: the mark says to look."""
    method = speculative.get("rejection_sample_method", "standard")
    if method in EXACT_METHODS:
        return ()
    return (f"rejection_sample_method = {method}",)
