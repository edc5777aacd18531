"""What a simulated engine is programmed to be, and what one of its steps costs. All
durations are in seconds. Values only; the edges (`options`) check them."""

from dataclasses import dataclass, replace
from typing import NamedTuple


@dataclass(frozen=True, slots=True)
class StepCost:
    """Cost of one engine step, linear but for `eager_s`; terms are in seconds."""

    base_s: float
    """Paid once a step, whatever is in it: reading the weights."""
    per_sequence_s: float
    """For each running sequence."""
    per_token_s: float
    """For each token that the target verifies: 1 a decoding sequence without
    drafts, 1 + k with."""
    prefill_per_token_s: float
    """For each prompt token, in the step that computes it."""
    per_context_token_s: float = 0.0
    """For each token of KV that the decoding sequences hold when the step begins:
    attention reads them all."""
    eager_s: float = 0.0
    """Added to a step that verifies more tokens than `graph_tokens`: its kernels are
    launched one by one, not replayed as one CUDA graph. An arm with k drafts comes to
    that limit at a batch k + 1 times smaller than its baseline, so that it may lose
    between the two and pay on either side."""
    graph_tokens: int | None = None
    """Verified tokens of the largest graph that was captured; None = there is one for
    every step. Prompt tokens do not count: they have a price of their own."""


@dataclass(frozen=True, slots=True)
class SimSpeculation:
    """A drafter that proposes k tokens in a chain."""

    num_speculative_tokens: int
    """k, at least 1."""
    acceptance: tuple[float, ...]
    """Conditional acceptance rate of each position, so k entries in 0..1."""
    draft_step_s: float
    """One drafter step for the whole batch; a step with drafts pays k of them."""
    draft_per_sequence_s: float = 0.0
    """Added to each drafter step for each decoding sequence."""


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
    kv_capacity_tokens: int | None = None
    """KV tokens that fit, rounded down to whole blocks; None = the longest request in
    every slot, so that nothing ever waits for memory."""
    block_size: int = 16
    """Tokens of one KV block."""
    prefix_caching: bool = False
    """Whether full blocks of a prompt are kept and found again."""
    max_num_batched_tokens: int | None = None
    """Prompt and verified tokens that one step may compute, so that a long prompt is
    taken in over several steps; None = no limit."""
    ranks: int = 1
    """Data-parallel copies of the engine, each with all of the caps above."""


class StepLoad(NamedTuple):
    """What one step has to do. A tuple, because each step makes one."""

    sequences: int
    """In the step, prefilling ones included."""
    verified_tokens: int
    """Over the decoding sequences; a prefilling one verifies none."""
    prefill_tokens: int
    draft_steps: int
    """k where some sequence decodes with drafts, else 0."""
    context_tokens: int = 0
    """Prompt and output tokens of the decoding sequences."""
    drafting_sequences: int = 0
    """Sequences that decode with drafts."""


def step_seconds(config: SimConfig, load: StepLoad) -> float:
    """Cost of one step; the truth that a measurement has to recover."""
    cost, drafter = config.cost, config.speculation
    seconds = (
        cost.base_s
        + cost.per_sequence_s * load.sequences
        + cost.per_token_s * load.verified_tokens
        + cost.prefill_per_token_s * load.prefill_tokens
        + cost.per_context_token_s * load.context_tokens
    )
    if cost.graph_tokens is not None and load.verified_tokens > cost.graph_tokens:
        seconds += cost.eager_s
    if drafter is not None:
        seconds += load.draft_steps * (
            drafter.draft_step_s
            + drafter.draft_per_sequence_s * load.drafting_sequences
        )
    return seconds


def blocks_for(tokens: int, block_size: int) -> int:
    """KV blocks that hold so many tokens."""
    return -(-tokens // block_size)


def kv_capacity_blocks(config: SimConfig) -> int:
    """KV blocks of one rank."""
    if config.kv_capacity_tokens is not None:
        return config.kv_capacity_tokens // config.block_size
    return config.max_num_seqs * blocks_for(config.max_model_len, config.block_size)


def slowed(config: SimConfig, factor: float) -> SimConfig:
    """The same engine with every cost of a step multiplied, the drafter's too."""
    cost, drafter = config.cost, config.speculation
    slower_cost = replace(
        cost,
        base_s=cost.base_s * factor,
        per_sequence_s=cost.per_sequence_s * factor,
        per_token_s=cost.per_token_s * factor,
        prefill_per_token_s=cost.prefill_per_token_s * factor,
        per_context_token_s=cost.per_context_token_s * factor,
        eager_s=cost.eager_s * factor,
    )
    if drafter is not None:
        drafter = replace(
            drafter,
            draft_step_s=drafter.draft_step_s * factor,
            draft_per_sequence_s=drafter.draft_per_sequence_s * factor,
        )
    return replace(config, cost=slower_cost, speculation=drafter)
