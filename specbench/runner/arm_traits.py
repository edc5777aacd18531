"""What the sweep file says of its arms, in the words of their engines' adapters."""

from collections.abc import Iterable, Mapping

from specbench.analysis.arms import (
    ArmName,
    ArmTraits,
    fixed_draft_tokens,
    rate_caveat,
)
from specbench.engines import ADAPTERS
from specbench.planning.arms import speculation_of_arms
from specbench.schema.drafting import Drafter
from specbench.schema.record import LaunchRecord
from specbench.schema.sweep import SweepSpec


def traits_of_arms(
    spec: SweepSpec,
    drafters: Mapping[ArmName, Drafter] | None = None,
    *,
    is_aa: bool = False,
) -> dict[ArmName, ArmTraits]:
    """Of every speculative arm on every target; an A/A run has none."""
    running = drafters or {}
    return {
        (target.label, arm): ArmTraits(
            draft_tokens=fixed_draft_tokens(speculative),
            lossy=ADAPTERS[target.engine].lossy_settings(
                speculative, {**target.args, **target.env}
            ),
            rate_caveat=rate_caveat(speculative, running.get((target.label, arm))),
        )
        for target in spec.targets
        for arm, speculative in speculation_of_arms(
            spec, is_aa=is_aa, target=target.label
        ).items()
        if speculative is not None
    }


def drafters_of(launches: Iterable[LaunchRecord]) -> dict[ArmName, Drafter]:
    """How the arms' servers draft, as they say themselves."""
    return {
        (record.target, record.arm): record.facts.drafter
        for record in launches
        if record.facts is not None and record.facts.drafter is not None
    }
