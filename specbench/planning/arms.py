"""The arms of a run: the baseline beside those of the sweep file, or, in an A/A run, a
second time."""

from collections.abc import Mapping
from typing import Any

from specbench.schema.sweep import AA, BASELINE, SweepSpec


def speculation_of_arms(
    spec: SweepSpec, *, is_aa: bool = False
) -> Mapping[str, dict[str, Any] | None]:
    """Each arm's speculative configuration, in the order of the first launches; None =
    it does not speculate."""
    if is_aa:
        return {BASELINE: None, AA: None}
    return {BASELINE: None, **{arm.name: arm.speculative for arm in spec.arms}}
