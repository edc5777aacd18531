"""Settings by which speculation changes what the model says, so that an arm is faster
at something else."""

from collections.abc import Mapping
from typing import Any

from specbench.engines.arm_keys import named_keys
from specbench.schema.sweep import Scalar

EXACT_METHODS = frozenset({"standard", "block"})
"""`rejection_sample_method` of vLLM 0.32.0 (config/speculative.py). `standard` is
rejection sampling (Leviathan et al. 2023, Chen et al. 2023), `block` verifies the
draft as a whole (Sun et al. 2024): both keep the target's distribution. `synthetic`
accepts at programmed rates, whatever the target model thinks."""

THRESHOLDS = ("accept_threshold_single", "accept_threshold_acc")
"""SGLang 0.5.23: at 1, the default, a drafted token is taken by the target's own
probabilities; under 1 any that is likely enough is."""
FORCED_LENGTH = "SGLANG_SIMULATE_ACC_LEN"
"""SGLang 0.5.23 (srt/environ.py): over 0, so many tokens of each draft are taken,
whatever the target model thinks."""
OLD_FORCED_LENGTH = "SGL_SIMULATE_ACC_LEN"
"""Its older name, which wins where both are given."""
_FORCING: Mapping[str, tuple[str, ...]] = {
    "sglang": ("SGLANG_SIMULATE_ACC", "SGL_SIMULATE_ACC")
}
"""How the variables of the environment begin by which an engine's acceptance is
forced. vLLM 0.32.0 has none: its synthetic acceptance is a key of the arm."""


def forcing_variables(engine: str, environ: Mapping[str, str]) -> tuple[str, ...]:
    """Names of those that an environment has."""
    starts = _FORCING.get(engine, ())
    return tuple(sorted(name for name in environ if name.startswith(starts)))


def vllm_lossy_settings(speculative: Mapping[str, Any]) -> tuple[str, ...]:
    """A method that is not known to be exact counts as lossy: the mark says to look."""
    method = named_keys(speculative).get("rejection_sample_method", "standard")
    if method in EXACT_METHODS:
        return ()
    return (f"rejection_sample_method = {method}",)


def sglang_lossy_settings(
    speculative: Mapping[str, Any], settings: Mapping[str, Scalar]
) -> tuple[str, ...]:
    """A threshold that is no number, and a forced length that is none, count as
    lossy."""
    plain = {key.replace("-", "_"): value for key, value in speculative.items()}
    found = [
        f"{key} = {plain[key]}"
        for key in THRESHOLDS
        if plain.get(key) is not None and not _is_at_least(plain[key], 1.0)
    ]
    for name in (FORCED_LENGTH, OLD_FORCED_LENGTH):
        forced = settings.get(name)
        if forced is not None and not _is_at_most(forced, 0.0):
            found.append(f"{name} = {forced}")
    return tuple(found)


def _is_at_least(value: object, bound: float) -> bool:
    number = _number(value)
    return number is not None and number >= bound


def _is_at_most(value: object, bound: float) -> bool:
    number = _number(value)
    return number is not None and number <= bound


def _number(value: object) -> float | None:
    try:
        return float(str(value))
    except ValueError:
        return None
