"""What goes into the simulated engine and what comes out of it. Values only."""

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple


class FinishReason(StrEnum):
    """Why a request left the engine; the words are vLLM's (0.32.0)."""

    STOP = "stop"
    """It reached its natural end."""
    LENGTH = "length"
    """It reached its output limit."""
    ABORT = "abort"
    """The client went away."""


@dataclass(frozen=True, slots=True)
class SimRequest:
    """One request to the engine."""

    request_id: str
    prompt_tokens: int
    max_tokens: int
    """Output limit, at least 1."""
    stop_after: int | None
    """Natural length of the output in tokens; None = it never stops by itself."""
    draw_key: str
    """Names the random draws: requests with one key and one engine seed meet the
    same acceptances, whatever runs beside them."""
    prefix_blocks: tuple[int, ...] = ()
    """Chained hashes of the prompt's full blocks in order: each stands for its block
    and all before it. Empty = nothing of this prompt can be shared."""

    @property
    def output_tokens(self) -> int:
        """Tokens that it will have produced when it finishes."""
        if self.stop_after is None:
            return self.max_tokens
        return min(self.stop_after, self.max_tokens)

    @property
    def finish_reason(self) -> FinishReason:
        """How it ends if nobody aborts it; a stop at the limit is a stop."""
        if self.stop_after is not None and self.stop_after <= self.max_tokens:
            return FinishReason.STOP
        return FinishReason.LENGTH


@dataclass(frozen=True, slots=True)
class DraftHistory:
    """What became of one request's drafts, over its whole life."""

    acceptance_histogram: tuple[int, ...]
    """Entry j: verification steps that accepted exactly j drafts; k + 1 entries."""
    draft_tokens: int


class StepOutput(NamedTuple):
    """Tokens that one step gave to one request, delivered together. A tuple, because a
    step of a large batch makes hundreds."""

    request_id: str
    tokens: int
    finish: FinishReason | None
    """None = it goes on."""
    drafts: DraftHistory | None
    """With the last output of a request whose engine speculates."""

    @property
    def is_finished(self) -> bool:
        """Whether this was the request's last output."""
        return self.finish is not None


class StepRecord(NamedTuple):
    """One step that has ended: what it worked on and what came of it."""

    rank: int
    """Which data-parallel copy of the engine took it, from 0."""
    began_ns: int
    ended_ns: int
    sequences: int
    """In the step, prefilling ones included."""
    waiting: int
    """Requests left waiting when it began."""
    verified_tokens: int
    prefill_tokens: int
    """Prompt tokens computed, those of preempted requests anew."""
    output_tokens: int
    """Delivered at its end."""
    drafts: int
    """Sequences whose drafts were verified."""
    draft_tokens: int
    accepted_by_position: tuple[int, ...]
    """Drafts accepted at each position, before a stop cut them."""
