"""The plain decode steps of a server without speculation, as its chunks show them.

Without speculation a token is one step of the engine. Between `sent` and its first
token a request is in prefill (or waits for it, which looks the same from outside); a
step during which no request of the cell was in that state is a plain one. The stretches
without prefill are found once for the whole cell; what a request brings to one is told
by its first and last chunk in it."""

import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from specbench.analysis.missing import Missing
from specbench.schema.sample import Chunk, RequestSample
from specbench.units import NS_PER_S

ENOUGH_STEPS = 30
"""Behind a mean. Steps, not gaps, since every request of a batch sees the same one."""


@dataclass(frozen=True, slots=True)
class PlainDecoding:
    """The steps of a baseline during which no request was in prefill."""

    step_s: float
    """Mean time of one."""
    error: float
    """Relative standard error of that: steps in a row are one observation."""
    steps: int
    gaps: int
    """Chunk gaps in which they were seen, each by all requests of the batch."""


def plain_decoding(
    samples: Sequence[RequestSample], chosen: Sequence[RequestSample]
) -> PlainDecoding | Missing:
    """Plain steps as the chunks of the `chosen` requests show them. `samples`: all
    requests of the cell, warm-up and failed ones included, since all shared its steps.
    """
    begins, ends = _quiet_stretches(samples)
    times, tokens, steps = ([0] * len(begins) for _ in range(3))
    gaps = 0
    for sample in chosen:
        instants, counts = _token_instants(sample.chunks)
        for place, first, last in _parts(instants, begins, ends):
            count = counts[last] - counts[first]
            times[place] += instants[last] - instants[first]
            tokens[place] += count
            steps[place] = max(steps[place], count)
            gaps += last - first
    seen = sum(steps)
    if seen < ENOUGH_STEPS:
        return Missing(
            f"only {seen} decode steps ran while no request was in prefill;"
            f" {ENOUGH_STEPS} are needed"
        )
    step_ns = sum(times) / sum(tokens)
    if not step_ns:
        return Missing("the tokens of plain decode steps all came at one instant")
    return PlainDecoding(
        step_s=step_ns / NS_PER_S,
        error=_relative_error(times, tokens, step_ns),
        steps=seen,
        gaps=gaps,
    )


def _quiet_stretches(
    samples: Sequence[RequestSample],
) -> tuple[list[int], list[int]]:
    """Begins and ends of the stretches during which no request was between `sent` and
    its first token; the last one is open."""
    busy = sorted((s.sent_ns, _first_token_ns(s)) for s in samples)
    begins: list[int] = []
    ends: list[int] = []
    until = busy[0][0] if busy else 0
    for sent, first_token in busy:
        if sent > until:
            begins.append(until)
            ends.append(sent)
        until = max(until, first_token)
    begins.append(until)
    ends.append(max((s.end_ns for s in samples), default=until))
    return begins, ends


def _first_token_ns(sample: RequestSample) -> int:
    """Or the end of a request that brought none."""
    for chunk in sample.chunks:
        if chunk.text or chunk.tokens_so_far:
            return chunk.arrival_ns
    return sample.end_ns


def _token_instants(chunks: Sequence[Chunk]) -> tuple[list[int], list[int]]:
    """Instants at which the running count rose, and what it rose to."""
    instants: list[int] = []
    counts: list[int] = []
    so_far = 0
    for arrival_ns, _, _, count in chunks:
        if count is not None and count > so_far:
            instants.append(arrival_ns)
            counts.append(count)
            so_far = count
    return instants, counts


def _parts(
    instants: Sequence[int], begins: Sequence[int], ends: Sequence[int]
) -> Iterator[tuple[int, int, int]]:
    """(stretch, first, last chunk in it) of one request, where it has two or more."""
    if len(instants) < 2:
        return
    place = bisect_right(ends, instants[0])
    first = 0
    while place < len(begins) and begins[place] < instants[-1]:
        first = bisect_left(instants, begins[place], first)
        last = bisect_right(instants, ends[place], first) - 1
        if last > first:
            yield place, first, last
            first = last
        place += 1


def _relative_error(
    times: Sequence[int], tokens: Sequence[int], step_ns: float
) -> float:
    """Of a ratio of two sums over independent stretches (Cochran 1977, Sampling
    Techniques, 6.13); 0 for a single one, whose spread is unknown."""
    squares = [
        (time - step_ns * count) ** 2
        for time, count in zip(times, tokens, strict=True)
        if count
    ]
    if len(squares) < 2:
        return 0.0
    count = len(squares)
    return math.sqrt(count / (count - 1) * math.fsum(squares)) / sum(times)
