"""The time per output token over many requests at once: long answers count as much as
their tokens do. Time adds up and requests do not, so what is asked of the whole load
(what a step costs, which share of it is prefill) starts from this mean."""

import math
from collections.abc import Sequence

from specbench.analysis.requests import RequestFigures
from specbench.schema.sample import RequestSample


def mean_tpot_by_token(
    samples: Sequence[RequestSample], figures: Sequence[RequestFigures]
) -> float | None:
    """Sum of (last - first arrival) / sum of the tokens that came in it, in seconds;
    None where no request has a TPOT. `figures` are those of `samples`, in order."""
    seconds: list[float] = []
    tokens = 0
    for sample, figure in zip(samples, figures, strict=True):
        if figure.tpot is None or sample.output_tokens is None:
            continue
        count = sample.output_tokens - _head(sample, figure)
        seconds.append(figure.tpot * count)
        tokens += count
    return math.fsum(seconds) / tokens if tokens else None


def _head(sample: RequestSample, figure: RequestFigures) -> int:
    """Tokens that the request's TPOT leaves out: its first text chunk's, or one."""
    if figure.tpot_is_usual:
        return 1
    first = next(chunk for chunk in sample.chunks if chunk.text)
    return first.tokens_so_far or 0
