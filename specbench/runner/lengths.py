"""Prompts of a wanted length, prepared: the texts that make them longer, a tokenizer
for each target, and the prompts that are too long by themselves."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from specbench.errors import InputError
from specbench.planning.size import largest_cell
from specbench.report.words import counted, listed
from specbench.schema.prompt import Dataset, Prompt
from specbench.schema.sweep import SweepSpec, Target
from specbench.workload.context import ContextAxis, PromptRuler
from specbench.workload.filler import FillerText, join_fillers, read_fillers
from specbench.workload.prompts import list_prompts
from specbench.workload.tokenizer import SIMULATED, read_tokenizer

ENOUGH_PROMPTS = 16
"""So many prompts that fit into a context are a data set, or half of them all where
that is less."""
NAMED = 6
"""Prompts that a note names."""


@dataclass(frozen=True, slots=True)
class Lengths:
    """Everything that prompts of wanted lengths need."""

    texts: tuple[FillerText, ...] = ()
    """What makes prompts longer; empty where no length is asked for."""
    axes: Mapping[str, ContextAxis] | None = None
    """By target."""
    notes: tuple[str, ...] = ()
    """Which prompts are left out of which context, one sentence each."""

    def axis(self, target: str) -> ContextAxis | None:
        """Of one target; None where no length is asked for."""
        return (self.axes or {}).get(target)


def prepare_lengths(
    spec: SweepSpec, datasets: Mapping[str, Dataset], source: str
) -> Lengths:
    """Read texts and tokenizers, and check them against what the sweep wants. Raises
    InputError naming file and key."""
    workload = spec.workload
    key = f"{source}: workload.texts"
    if not any(workload.context):
        return Lengths(notes=_unused(workload.texts))
    texts = read_fillers(workload.texts, key)
    text = join_fillers(texts)
    axes = {
        target.label: ContextAxis(
            text=text,
            datasets=tuple(workload.datasets),
            contexts=tuple(workload.context),
            seed=workload.seed,
            ruler=_ruler(target),
        )
        for target in spec.targets
    }
    reach = largest_cell(spec.measure, spec.load)
    for label, axis in axes.items():
        if (lack := axis.lacking_text(reach)) is not None:
            raise InputError(
                f"{key}: the text ({listed([t.name for t in texts])}) {lack}"
                + (f", in the tokens of {label}" if len(axes) > 1 else ""),
                "Give a longer text, or more of them; or ask for shorter contexts or"
                " lower loads.",
            )
    notes = [
        note
        for label, axis in axes.items()
        for name, dataset in datasets.items()
        for note in _left_out(
            f"{label}: {name}" if len(axes) > 1 else name, dataset, axis, source
        )
    ]
    return Lengths(texts, axes, tuple(dict.fromkeys(notes)))


def _unused(texts: Sequence[str]) -> tuple[str, ...]:
    if not texts:
        return ()
    return (
        "workload.texts was not read: no prompt is made longer where workload.context"
        " is [0]",
    )


def _ruler(target: Target) -> PromptRuler:
    if target.engine == "sim":
        return SIMULATED
    return read_tokenizer(target.model)


def _left_out(
    name: str, dataset: Dataset, axis: ContextAxis, source: str
) -> Iterator[str]:
    """A note for each context that some prompts are too long for. Raises InputError
    where too few remain."""
    prompts = list_prompts(dataset.questions, "first", {}).prompts
    enough = min(ENOUGH_PROMPTS, -(-len(prompts) // 2))
    for place, context in enumerate(axis.contexts):
        long = [p for p in prompts if not axis.takes(p, context)]
        if len(prompts) - len(long) < enough:
            lengths = sorted(axis.bare_length(p) for p in long)
            raise InputError(
                f"{source}: workload.context[{place}]: only"
                f" {len(prompts) - len(long)} of the {len(prompts)} prompts of {name}"
                f" are short enough to be made {context} tokens long; the others have"
                f" {lengths[0]} to {lengths[-1]} by themselves",
                "Raise this context, drop it, or take a data set of shorter prompts.",
            )
        if long:
            yield left_out_note(name, long, context, axis)


def left_out_note(
    name: str, prompts: Sequence[Prompt], context: int, axis: ContextAxis
) -> str:
    """Which prompts a context does without."""
    longest = max(axis.bare_length(p) for p in prompts)
    named = [p.prompt_id for p in prompts[:NAMED]]
    more = f" and {len(prompts) - NAMED} more" if len(prompts) > NAMED else ""
    return (
        f"{name}: {counted(len(prompts), 'prompt')} left out of context {context},"
        f" being too long by {'itself' if len(prompts) == 1 else 'themselves'} (up to"
        f" {longest} tokens): {listed(named)}{more}"
    )
