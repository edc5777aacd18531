"""Steps that are too large for the engine's CUDA graphs. A step with k draft tokens
verifies running batch x (k + 1) tokens; where these exceed the largest captured size
the step runs without a graph and is slower, for a reason that a flag of the engine
moves."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from specbench.analysis.arms import ArmTraits, Traits
from specbench.analysis.rules.rule import flag
from specbench.schema.cell import Condition
from specbench.schema.findings import CellStats, Finding
from specbench.schema.record import LaunchRecord
from specbench.schema.sweep import BASELINE

LaunchName = tuple[str, str, int]
"""Target, arm, replicate."""


@dataclass(frozen=True, slots=True)
class Step:
    """The decode step of one cell at its mean running batch."""

    batch: float
    tokens_each: int
    """k + 1; 1 without speculation."""
    largest: int
    """Tokens in the largest CUDA graph."""

    @property
    def is_beyond(self) -> bool:
        """Whether it runs without a graph."""
        return self.batch * self.tokens_each > self.largest

    def said(self, arm: str) -> str:
        """One line about it."""
        tokens = self.batch * self.tokens_each
        place = "beyond" if self.is_beyond else "within"
        return (
            f"{arm}: batch {self.batch:.0f} x {self.tokens_each} = {tokens:.0f} tokens"
            f" a step, {place} its CUDA graphs (to {self.largest})"
        )


def add_graph_findings(
    cells: Sequence[CellStats], launches: Sequence[LaunchRecord], traits: Traits
) -> tuple[CellStats, ...]:
    """The cells with what is known of their steps; both arms are named."""
    largest = {
        (r.target, r.arm, r.replicate): r.facts.cuda_graph_max_tokens
        for r in launches
        if r.facts is not None
    }
    steps = {c.key: step for c in cells if (step := _step(c, largest, traits))}
    baselines: dict[Condition, Step] = {}
    for key in sorted(steps):
        if key.arm == BASELINE:
            baselines.setdefault(key.condition, steps[key])
    return tuple(
        replace(
            cell,
            findings=(
                *cell.findings,
                *_judge(cell, steps.get(cell.key), baselines.get(cell.key.condition)),
            ),
        )
        for cell in cells
    )


def _step(
    cell: CellStats, largest: Mapping[LaunchName, int | None], traits: Traits
) -> Step | None:
    """None where the batch, the draft length or the graphs are unknown."""
    key = cell.key
    target = key.condition.target
    size = largest.get((target, key.arm, key.replicate))
    k = 0
    if key.arm != BASELINE:
        given = traits.get((target, key.arm), ArmTraits(None)).draft_tokens
        if given is None:
            return None
        k = given
    if cell.running_batch is None or size is None:
        return None
    return Step(cell.running_batch, k + 1, size)


def _judge(
    cell: CellStats, own: Step | None, baseline: Step | None
) -> Iterable[Finding]:
    if own is None or not own.is_beyond:
        return
    said = [own.said(cell.key.arm)]
    if cell.key.arm != BASELINE and baseline is not None:
        said.append(baseline.said(BASELINE))
    yield flag(
        "beyond-cuda-graphs",
        "; ".join(said),
        "raise the largest graph in target.args for all arms (vLLM:"
        " max-cudagraph-capture-size) to running batch x (k + 1), or read this load as"
        " one without graphs",
    )
