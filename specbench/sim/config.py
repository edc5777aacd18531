"""What a simulated engine is programmed to be, and what one of its steps costs. All
durations are in seconds. Values only; the edges (`options`) check them."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class StepCost:
    """Linear cost of one engine step; every term is in seconds."""

    base_s: float
    """Paid once a step, whatever is in it: reading the weights."""
    per_sequence_s: float
    """For each running sequence."""
    per_token_s: float
    """For each token that the target verifies: 1 a decoding sequence without
    drafts, 1 + k with."""
    prefill_per_token_s: float
    """For each prompt token, in the step that takes the request in."""


@dataclass(frozen=True, slots=True)
class SimSpeculation:
    """A drafter that proposes k tokens in a chain."""

    num_speculative_tokens: int
    """k, at least 1."""
    acceptance: tuple[float, ...]
    """Conditional acceptance rate of each position, so k entries in 0..1."""
    draft_step_s: float
    """One drafter step for the whole batch; a step with drafts pays k of them."""


@dataclass(frozen=True, slots=True)
class SimConfig:
    """A whole engine."""

    max_num_seqs: int
    """Sequences that run at once; the others wait in order of arrival."""
    max_model_len: int
    """Prompt and output tokens of one request, at most."""
    cost: StepCost
    speculation: SimSpeculation | None
    """None = plain decoding."""


@dataclass(frozen=True, slots=True)
class StepLoad:
    """What one step has to do."""

    sequences: int
    """Running, prefilling ones included."""
    verified_tokens: int
    """Over the decoding sequences; a prefilling one verifies none."""
    prefill_tokens: int
    draft_steps: int
    """k where some sequence decodes with drafts, else 0."""


def step_seconds(config: SimConfig, load: StepLoad) -> float:
    """Cost of one step; the truth that a measurement has to recover."""
    cost = config.cost
    drafting = config.speculation.draft_step_s if config.speculation else 0.0
    return (
        cost.base_s
        + cost.per_sequence_s * load.sequences
        + cost.per_token_s * load.verified_tokens
        + cost.prefill_per_token_s * load.prefill_tokens
        + drafting * load.draft_steps
    )
