"""How long the prompts of a cell really were, by the server's own count: the wanted
context was reached with a tokenizer and a chat template that may not be the
server's."""

from collections.abc import Sequence

from specbench.schema.findings import PromptLength
from specbench.schema.sample import RequestSample
from specbench.stats.means import arithmetic_mean


def prompt_length(samples: Sequence[RequestSample], wanted: int) -> PromptLength | None:
    """Over the requests that have a count, None without any. `wanted`: tokens, 0 where
    no length was asked for."""
    counts = [s.prompt_tokens for s in samples if s.prompt_tokens is not None]
    if not counts:
        return None
    shortest, longest = min(counts), max(counts)
    return PromptLength(
        mean=arithmetic_mean(counts),
        shortest=shortest,
        longest=longest,
        worst_off=max(abs(longest - wanted), abs(shortest - wanted)) / wanted
        if wanted
        else None,
    )
