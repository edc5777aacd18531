"""Tokens per step: what a request gets for each step of the target model, steps
without a draft included. No engine counts a request's steps, so they come from two
sources that each err to one side, and count only where the two agree."""

from collections.abc import Sequence

from specbench.analysis.acceptance import Missing
from specbench.analysis.requests import token_chunks
from specbench.schema.sample import Outcome, RequestSample

AGREEMENT = 0.05
"""Largest relative difference of the two sources that still gives a figure."""


def tokens_per_step(samples: Sequence[RequestSample]) -> float | Missing:
    """Decode tokens per target step, over whole requests.

    D = output tokens less each request's first, which prefill gives.
    By acceptance, D / (D - A): each accepted draft token A saves a step; too high
    where the engine counts accepted tokens beyond a stop (vLLM 0.32.0 does,
    v1/core/sched/scheduler.py).
    By chunks, D / C: the server sends the tokens of a step as one chunk; too high
    where it joins steps under load. The lower one is reported.
    """
    decoded = accepted = steps = 0
    for sample in samples:
        if sample.outcome is not Outcome.OK or not sample.output_tokens:
            continue
        count = accepted_of(sample)
        if count is None:
            return Missing("the server gives no acceptance per request")
        decoded += sample.output_tokens - 1
        accepted += count
        steps += len(token_chunks(sample.chunks)) - 1
    if decoded == 0 or steps == 0:
        return Missing("no request decoded a second token")
    if accepted >= decoded:
        return Missing("more draft tokens accepted than tokens decoded")
    by_acceptance = decoded / (decoded - accepted)
    by_chunks = decoded / steps
    low, high = sorted((by_acceptance, by_chunks))
    if high / low - 1 > AGREEMENT:
        return Missing(
            f"the sources disagree: {by_acceptance:.3f} by accepted tokens,"
            f" {by_chunks:.3f} by chunks"
        )
    return low


def accepted_of(sample: RequestSample) -> int | None:
    """Accepted draft tokens of one request, by the engine's own word (vLLM 0.32.0:
    `--per-request-spec-decode-metrics`)."""
    if sample.speculation is None:
        return None
    count = sample.speculation.get("num_accepted_draft_tokens")
    return count if isinstance(count, int) else None
