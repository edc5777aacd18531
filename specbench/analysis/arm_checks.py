"""What can spoil an arm's cell when it is held beside the baseline's cells at the same
condition: other outputs, other cache hits, a batch beyond the CUDA graphs; and an arm
that is not lossless."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from specbench.analysis.arms import ArmTraits, Traits
from specbench.analysis.outputs import Outputs, unlike_outputs
from specbench.analysis.rules.rule import flag
from specbench.schema.cell import CellKey, Condition
from specbench.schema.findings import CellStats, Finding
from specbench.schema.sweep import BASELINE

HIT_RATE_DIFFERENCE = 0.05
"""Of the prompt tokens; a baseline may differ from another one by more."""

NO_TRAITS = ArmTraits(draft_tokens=None)


@dataclass(frozen=True, slots=True)
class Beside:
    """A cell of an arm and what it is held against."""

    arm: CellStats
    traits: ArmTraits
    baseline: CellStats
    """Of the launch with the same number; else of the first one."""
    baselines: tuple[CellStats, ...]
    """Of all launches; none of them void."""


def add_arm_findings(
    cells: Sequence[CellStats], traits: Traits, outputs: Mapping[CellKey, Outputs]
) -> tuple[CellStats, ...]:
    """The cells with what only shows beside others. A void cell is not compared."""
    baselines: dict[Condition, list[CellStats]] = defaultdict(list)
    for cell in sorted(cells, key=lambda c: c.key):
        if cell.key.arm == BASELINE and not cell.is_void:
            baselines[cell.key.condition].append(cell)
    return tuple(
        replace(
            cell,
            findings=(
                *cell.findings,
                *_find(cell, traits, outputs, baselines[cell.key.condition]),
            ),
        )
        for cell in cells
    )


def _find(
    cell: CellStats,
    traits: Traits,
    outputs: Mapping[CellKey, Outputs],
    baselines: Sequence[CellStats],
) -> Iterable[Finding]:
    key = cell.key
    own = traits.get((key.condition.target, key.arm), NO_TRAITS)
    if key.arm == BASELINE:
        return
    yield from not_lossless(own)
    if cell.is_void or not baselines:
        return
    same = (b for b in baselines if b.key.replicate == key.replicate)
    beside = Beside(cell, own, next(same, baselines[0]), tuple(baselines))
    yield from outputs_differ(beside, outputs)
    yield from cache_hits_differ(beside)


def not_lossless(traits: ArmTraits) -> Iterable[Finding]:
    """The arm buys speed with other outputs."""
    if traits.lossy:
        yield flag(
            "not-lossless",
            f"{', '.join(traits.lossy)}: outputs do not follow the target model's own"
            " distribution",
            "compare the quality of its answers as well, or take the setting out",
        )


def outputs_differ(
    beside: Beside, outputs: Mapping[CellKey, Outputs]
) -> Iterable[Finding]:
    """Lengths or finish reasons differ by more than between two baselines."""
    arm, baseline = outputs.get(beside.arm.key), outputs.get(beside.baseline.key)
    if not arm or not baseline:
        return
    others = [outputs[b.key] for b in beside.baselines if b.key in outputs]
    found = unlike_outputs(arm, baseline, others)
    if found:
        yield flag(
            "outputs-differ",
            "; ".join(found),
            "speculation should not change answers: look at some of both arms before"
            " you trust a speedup (a broken drafter or kernel, a stop that is missed)",
        )


def cache_hits_differ(beside: Beside) -> Iterable[Finding]:
    """One arm computed clearly more of its prompts than the other."""
    ours, theirs = beside.arm.prefix_hit_rate, beside.baseline.prefix_hit_rate
    if ours is None or theirs is None:
        return
    known = [
        b.prefix_hit_rate for b in beside.baselines if b.prefix_hit_rate is not None
    ]
    usual = max((abs(a - b) for a, b in combinations(known, 2)), default=0.0)
    if abs(ours - theirs) > max(HIT_RATE_DIFFERENCE, usual):
        yield flag(
            "cache-hits-differ",
            f"{ours:.0%} of the prompt tokens came from the prefix cache, in the"
            f" baseline {theirs:.0%}",
            "the arms did not prefill the same: give the cache the same room and the"
            " same history in all arms, or turn it off",
        )
