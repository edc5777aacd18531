"""Tokens per step: what a request gets for each step of the target model, steps
without a draft included. Where the engine counts a request's steps (SGLang 0.5.23) they
are taken from it. Where it does not (vLLM 0.32.0), they come from two sources that can
each only miss steps; the one that missed fewer is taken."""

from collections.abc import Sequence
from dataclasses import dataclass

from specbench.analysis.missing import Missing
from specbench.analysis.request_drafts import NOT_SAID, DraftsByRequest
from specbench.analysis.requests import token_chunks
from specbench.schema.sample import Outcome, RequestSample


@dataclass(frozen=True, slots=True)
class DecodeSteps:
    """Over whole requests."""

    decode_tokens: int
    """Output tokens less each request's first, which prefill gives."""
    steps: int

    @property
    def tokens_per_step(self) -> float:
        """A ratio of sums."""
        return self.decode_tokens / self.steps


def count_steps(
    samples: Sequence[RequestSample], drafts: DraftsByRequest
) -> DecodeSteps | Missing:
    """Decode tokens D and target steps of the requests that ended well.

    Steps that the engine counts are all of the request: with SGLang (0.5.23) also those
    in which an adaptive drafter paused. Without such a count a request's steps are the
    larger of two. By acceptance, D - A, since each accepted token A saves one; misses
    steps where the engine counts accepted tokens beyond the stop, at most k a request
    (vLLM 0.32.0 does, v1/core/sched/scheduler.py). By chunks, those after the first:
    the tokens of a step come as one chunk; misses steps where the server joins several
    under load. None when the chunks exceed what acceptance allows by more than k a
    request: then one of the sources means something else.
    """
    decoded = steps = excess = 0
    for sample in samples:
        if sample.outcome is not Outcome.OK or not sample.output_tokens:
            continue
        known = drafts.get(sample.index)
        tokens = sample.output_tokens - 1
        if known is None:
            if tokens:
                return Missing(NOT_SAID)
            continue
        decoded += tokens
        if known.steps is not None:
            steps += known.steps
            continue
        by_acceptance = tokens - known.accepted_tokens
        by_chunks = len(token_chunks(sample.chunks)) - 1
        steps += max(by_acceptance, by_chunks)
        # a step can hold so many; 0 where the engine does not say
        excess += by_chunks - by_acceptance - (known.longest_draft or 0)
    if decoded == 0 or steps <= 0:
        return Missing("no request decoded a second token")
    if excess > 0:
        return Missing(
            "more chunks than the accepted tokens leave steps for: the sources disagree"
        )
    return DecodeSteps(decoded, steps)
