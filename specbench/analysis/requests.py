"""Figures of one request from its arrival instants and the server's token counts.
A chunk is not a token: with speculation one chunk carries all tokens of a step."""

import itertools
from dataclasses import dataclass

from specbench.schema.sample import Chunk, Outcome, RequestSample
from specbench.units import seconds_between


@dataclass(frozen=True, slots=True)
class RequestFigures:
    """Latencies of one request in seconds; None = the request has no such figure."""

    ttft: float | None
    e2e: float | None
    """Sent to last generated text."""
    tpot: float | None
    """(last - first arrival) / (N - n1), n1 = tokens of the first text chunk. The last
    arrival is that of the last token: an end token counts in N and has no text."""
    tpot_is_usual: bool
    """n1 is unknown, so `tpot` is the usual form."""
    tpot_usual: float | None
    """(last - first arrival) / (N - 1)."""
    gaps: tuple[tuple[float, int | None], ...]
    """(chunk gap, tokens of the chunk that ended it) for each chunk after the
    first; None where the server sends no running count."""


@dataclass(frozen=True, slots=True)
class TokenArrival:
    """Tokens that arrived together."""

    instant_ns: int
    tokens: float
    is_exact: bool
    """False where the server's total was spread evenly over the chunks."""


NO_FIGURES = RequestFigures(None, None, None, False, None, ())


def derive_figures(sample: RequestSample) -> RequestFigures:
    """Latencies of a request that ended well; a failed one has none."""
    if sample.outcome is Outcome.FAILED:
        return NO_FIGURES
    carriers = token_chunks(sample.chunks)
    first = next((c for c in carriers if c.text), None)
    if first is None:
        return NO_FIGURES
    carriers = carriers[carriers.index(first) :]
    last = carriers[-1]
    last_text = next(c for c in reversed(carriers) if c.text)
    span = seconds_between(first.arrival_ns, last.arrival_ns)
    total = sample.output_tokens
    first_count = first.tokens_so_far
    usual = _per_token(span, total, 1)
    return RequestFigures(
        ttft=seconds_between(sample.sent_ns, first.arrival_ns),
        e2e=seconds_between(sample.sent_ns, last_text.arrival_ns),
        tpot=usual if first_count is None else _per_token(span, total, first_count),
        tpot_is_usual=first_count is None,
        tpot_usual=usual,
        gaps=_gaps(carriers),
    )


def token_chunks(chunks: tuple[Chunk, ...]) -> list[Chunk]:
    """Chunks that brought tokens: with text, or with a raised running count (an end
    token has no text; a character still incomplete has none yet)."""
    carriers: list[Chunk] = []
    count = 0
    has_counts = False
    for chunk in chunks:
        so_far = chunk.tokens_so_far
        if not has_counts and carriers and not chunk.text:
            # the first count, behind texts that had none: the total, with the ending
            so_far = None
        has_counts = has_counts or so_far is not None
        if chunk.text or (so_far is not None and so_far > count):
            carriers.append(chunk)
        if so_far is not None:
            count = max(count, so_far)
    return carriers


def token_arrivals(sample: RequestSample) -> list[TokenArrival]:
    """When how many tokens of a request arrived. Where the server sends running
    counts these are exact; else its total is spread evenly over the chunks."""
    carriers = token_chunks(sample.chunks)
    if not carriers:
        return []
    if all(c.tokens_so_far is not None for c in carriers):
        arrivals = []
        before = 0
        for chunk in carriers:
            so_far = chunk.tokens_so_far or 0
            arrivals.append(TokenArrival(chunk.arrival_ns, so_far - before, True))
            before = so_far
        rest = (sample.output_tokens or before) - before
        if rest > 0:
            # counted only by the last usage: it came by the last chunk at the latest
            last = arrivals[-1]
            arrivals[-1] = TokenArrival(last.instant_ns, last.tokens + rest, False)
        return arrivals
    if sample.output_tokens is None:
        return []
    share = sample.output_tokens / len(carriers)
    exact = sample.output_tokens == 1 and len(carriers) == 1
    return [TokenArrival(c.arrival_ns, share, exact) for c in carriers]


def _per_token(span: float, total: int | None, head: int) -> float | None:
    """Seconds a token after the first `head` ones; None when there are none."""
    if total is None or total <= head:
        return None
    return span / (total - head)


def _gaps(carriers: list[Chunk]) -> tuple[tuple[float, int | None], ...]:
    gaps = []
    for before, chunk in itertools.pairwise(carriers):
        tokens = None
        if chunk.tokens_so_far is not None and before.tokens_so_far is not None:
            tokens = chunk.tokens_so_far - before.tokens_so_far
        gaps.append((seconds_between(before.arrival_ns, chunk.arrival_ns), tokens))
    return tuple(gaps)
