"""Distributions of latencies over requests. A request without a figure takes no
part: it is not a zero."""

from collections.abc import Iterable, Sequence

from specbench.analysis.requests import RequestFigures
from specbench.schema.findings import Distribution
from specbench.stats.means import arithmetic_mean
from specbench.stats.quantiles import quantile


def distribution(values: Iterable[float | None]) -> Distribution | None:
    """Summary of the values that exist; None when none does."""
    present = sorted(v for v in values if v is not None)
    if not present:
        return None
    return Distribution(
        n=len(present),
        mean=arithmetic_mean(present),
        p50=quantile(present, 0.50),
        p90=quantile(present, 0.90),
        p95=quantile(present, 0.95),
        p99=quantile(present, 0.99),
    )


def itl_distribution(figures: Sequence[RequestFigures]) -> Distribution | None:
    """Inter-token latency: each gap spread over the tokens of its chunk, counted
    once a token. None unless every chunk's count is known."""
    per_token: list[float] = []
    for request in figures:
        waited = 0.0
        for gap, tokens in request.gaps:
            if tokens is None:
                return None
            waited += gap
            # text without a new token, held back before: the next token bears its gap
            if tokens > 0:
                per_token.extend([waited / tokens] * tokens)
                waited = 0.0
    return distribution(per_token)


def gap_distribution(figures: Sequence[RequestFigures]) -> Distribution | None:
    """Time between stream chunks; not a time per token."""
    return distribution(gap for request in figures for gap, _ in request.gaps)
