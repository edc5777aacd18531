"""What a break-even is of, as columns: model, GPUs and engine of its target."""

from collections.abc import Callable

from specbench.report.columns import Column, Value
from specbench.report.facts import RunFacts
from specbench.schema.comparison import BreakEven

_MEANINGS = {
    "model": "name of the target's model, without its folder or organisation",
    "device": "what one launch of the target computed on, e.g. `2x NVIDIA H200`",
    "engine": "engine of the target, with version",
}
"""Fields of a target's facts -> what they are."""


def target_columns(facts: RunFacts | None) -> tuple[Column[BreakEven], ...]:
    """None: the same columns, empty."""
    return tuple(
        Column(name, "", meaning, _reader(name, facts))
        for name, meaning in _MEANINGS.items()
    )


def _reader(name: str, facts: RunFacts | None) -> Callable[[BreakEven], Value]:
    def read(answer: BreakEven) -> str | None:
        if facts is None:
            return None
        return str(getattr(facts.target(answer.curve.target), name))

    return read
