"""Whether an arm gave the same kind of answers as its baseline. Speculation must not
change them; but greedy outputs vary with the batch also without it, so the measure of
what is much is how two launches of the baseline differ from each other.

Answers are paired by their place in the cell's list of requests: all arms and launches
of a condition get the same prompts in the same order."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from specbench.schema.sample import Outcome, RequestSample, Role
from specbench.stats.means import arithmetic_mean

ENOUGH_PAIRS = 8
"""With fewer pairs the spread of their differences is not known."""
SURE = 4.0
"""Standard errors of the mean difference that chance is allowed: a sweep asks this of
every cell, and with few pairs the error itself is uncertain (8 pairs: p = 0.005)."""
LEAST_LENGTH = 0.05
"""Of the baseline's mean: a smaller difference of mean lengths is never much."""
LEAST_SHARE = 0.05
"""A smaller difference of the share of a finish reason is never much."""


@dataclass(frozen=True, slots=True)
class Output:
    """How one request ended."""

    prompt_id: str
    tokens: int | None
    finish_reason: str


Outputs = Mapping[int, Output]
"""Of one cell, by the request's place in its list; measured ones that ended well."""


def outputs_of(samples: Iterable[RequestSample]) -> Outputs:
    """What a cell's answers came to."""
    return {
        s.index: Output(s.prompt_id, s.output_tokens, s.finish_reason or "unknown")
        for s in samples
        if s.role is Role.MEASURED and s.outcome is not Outcome.FAILED
    }


@dataclass(frozen=True, slots=True)
class Change:
    """Mean difference of something between two cells, over their pairs."""

    mean: float
    error: float
    """Standard error of the mean."""

    def exceeds(self, usual: float) -> bool:
        """Whether neither chance nor the usual difference explains it."""
        return abs(self.mean) > max(usual, SURE * self.error)


def unlike_outputs(
    arm: Outputs, baseline: Outputs, baselines: Sequence[Outputs]
) -> tuple[str, ...]:
    """In what an arm's answers differ from those of a baseline's cell by more than the
    `baselines` (all launches) do among themselves, in words; empty = in nothing.

    A mean difference counts when it is over 4 standard errors (of the paired
    differences), over the largest one between two baselines, and over 5 % (of the
    baseline's mean length; of the requests, for a finish reason). With one baseline
    launch the 5 % stand for the second.
    """
    found = []
    mean = _mean_length(baseline)
    if mean:
        usual = max(_usual(baselines, length_change), LEAST_LENGTH * mean)
        change = length_change(arm, baseline)
        if change is not None and change.exceeds(usual):
            found.append(
                f"mean output length {change.mean / mean:+.0%} against the baseline's"
                f" {mean:.0f} tokens"
            )
    for reason in sorted(_reasons(arm) | _reasons(baseline)):
        measure = _share_of(reason)
        usual = max(_usual(baselines, measure), LEAST_SHARE)
        change = measure(arm, baseline)
        if change is not None and change.exceeds(usual):
            found.append(
                f"{_share(arm, reason):.0%} end by `{reason}`, of the baseline's"
                f" {_share(baseline, reason):.0%}"
            )
    return tuple(found)


Measure = Callable[[Outputs, Outputs], Change | None]


def length_change(ours: Outputs, theirs: Outputs) -> Change | None:
    """Output tokens, first less second; None with too few pairs that are counted."""
    return _mean_change(
        [
            a.tokens - b.tokens
            for a, b in _pairs(ours, theirs)
            if a.tokens is not None and b.tokens is not None
        ]
    )


def _share_of(reason: str) -> Measure:
    def measure(ours: Outputs, theirs: Outputs) -> Change | None:
        return _mean_change(
            [
                (a.finish_reason == reason) - (b.finish_reason == reason)
                for a, b in _pairs(ours, theirs)
            ]
        )

    return measure


def _usual(baselines: Sequence[Outputs], measure: Measure) -> float:
    """Largest difference between two launches of the baseline."""
    changes = (measure(a, b) for a, b in combinations(baselines, 2))
    return max((abs(c.mean) for c in changes if c is not None), default=0.0)


def _pairs(ours: Outputs, theirs: Outputs) -> list[tuple[Output, Output]]:
    """Answers to the same prompt; a place that holds two prompts pairs nothing."""
    places = sorted(ours.keys() & theirs.keys())
    pairs = ((ours[place], theirs[place]) for place in places)
    return [(a, b) for a, b in pairs if a.prompt_id == b.prompt_id]


def _mean_change(differences: Sequence[int]) -> Change | None:
    count = len(differences)
    if count < ENOUGH_PAIRS:
        return None
    mean = arithmetic_mean(differences)
    squares = math.fsum((d - mean) ** 2 for d in differences)
    return Change(mean, math.sqrt(squares / (count - 1) / count))


def _mean_length(outputs: Outputs) -> float | None:
    known = [o.tokens for o in outputs.values() if o.tokens is not None]
    return arithmetic_mean(known) if known else None


def _reasons(outputs: Outputs) -> set[str]:
    return {o.finish_reason for o in outputs.values()}


def _share(outputs: Outputs, reason: str) -> float:
    return sum(o.finish_reason == reason for o in outputs.values()) / len(outputs)
