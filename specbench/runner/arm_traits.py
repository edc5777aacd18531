"""What the sweep file says of its arms, in the words of their engines' adapters."""

from specbench.analysis.arms import ArmName, ArmTraits, fixed_draft_tokens
from specbench.engines import ADAPTERS
from specbench.schema.sweep import SweepSpec


def traits_of_arms(spec: SweepSpec) -> dict[ArmName, ArmTraits]:
    """Of every speculative arm on every target."""
    return {
        (target.label, arm.name): ArmTraits(
            draft_tokens=fixed_draft_tokens(arm.speculative),
            lossy=ADAPTERS[target.engine].lossy_settings(arm.speculative, target.args),
        )
        for target in spec.targets
        for arm in spec.arms
    }
