"""Tokens per step: what a request gets for each step of the target model, steps
without a draft included. No engine counts a request's steps, so they come from two
sources that can each only miss steps; the one that missed fewer is taken."""

from collections.abc import Sequence

from specbench.analysis.missing import Missing
from specbench.analysis.requests import token_chunks
from specbench.schema.sample import Outcome, RequestSample


def tokens_per_step(samples: Sequence[RequestSample]) -> float | Missing:
    """Decode tokens per target step over whole requests: sum of D / sum of steps.

    D = a request's output tokens less its first, which prefill gives. Its steps are
    the larger of two counts. By acceptance, D - A: each accepted draft token A saves
    a step; misses steps where the engine counts accepted tokens beyond the stop, at
    most k a request (vLLM 0.32.0 does, v1/core/sched/scheduler.py). By chunks, those
    after the first: the tokens of a step come as one chunk; misses steps where the
    server joins several under load. None when the chunks exceed what acceptance
    allows by more than k a request: then one of the sources means something else.
    """
    decoded = steps = excess = 0
    for sample in samples:
        if sample.outcome is not Outcome.OK or not sample.output_tokens:
            continue
        accepted = accepted_of(sample)
        if accepted is None:
            return Missing("the server gives no acceptance per request")
        by_acceptance = sample.output_tokens - 1 - accepted
        by_chunks = len(token_chunks(sample.chunks)) - 1
        decoded += sample.output_tokens - 1
        steps += max(by_acceptance, by_chunks)
        excess += by_chunks - by_acceptance - _draft_limit(sample)
    if decoded == 0 or steps <= 0:
        return Missing("no request decoded a second token")
    if excess > 0:
        return Missing(
            "more chunks than the accepted tokens leave steps for: the sources disagree"
        )
    return decoded / steps


def _draft_limit(sample: RequestSample) -> int:
    """Draft tokens that one step can hold, by the engine's own word; 0 if unknown."""
    limit = (sample.speculation or {}).get("num_spec_tokens")
    return limit if isinstance(limit, int) else 0


def accepted_of(sample: RequestSample) -> int | None:
    """Accepted draft tokens of one request, by the engine's own word (vLLM 0.32.0:
    `--per-request-spec-decode-metrics`)."""
    if sample.speculation is None:
        return None
    count = sample.speculation.get("num_accepted_draft_tokens")
    return count if isinstance(count, int) else None
