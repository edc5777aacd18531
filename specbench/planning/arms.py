"""The arms of a run: the baseline beside those of the sweep file, or, in an A/A run, a
second time."""

from collections.abc import Mapping
from typing import Any

from specbench.schema.sweep import AA, BASELINE, SweepSpec


def speculation_of_arms(
    spec: SweepSpec, *, is_aa: bool = False, target: str | None = None
) -> Mapping[str, dict[str, Any] | None]:
    """Each arm's speculative configuration, in the order of the first launches; None =
    it does not speculate. `target`: only the arms of the target of that label."""
    if is_aa:
        return {BASELINE: None, AA: None}
    arms = (arm for arm in spec.arms if target is None or arm.is_for(target))
    return {BASELINE: None, **{arm.name: arm.speculative for arm in arms}}


def count_arms(spec: SweepSpec, *, is_aa: bool = False) -> dict[str, int]:
    """How many arms each target has, by its label; the baseline counted in."""
    return {
        target.label: len(speculation_of_arms(spec, is_aa=is_aa, target=target.label))
        for target in spec.targets
    }


def speculating_arms(spec: SweepSpec, target: str) -> tuple[str, ...]:
    """Names of the arms of a target that are compared with its baseline."""
    return tuple(arm.name for arm in spec.arms if arm.is_for(target))
