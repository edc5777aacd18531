"""Which conditions can exist at all: what the KV cache and the context limit of the
baseline admit, and what a drafter knows. Pure; the figures come from the running
engine and from the drafter's files."""

from collections.abc import Iterable

from specbench.schema.cell import Condition


def cannot_fit(
    condition: Condition, max_tokens: int, capacity_tokens: int | None
) -> str | None:
    """Why no arm can serve a condition, in words; None = nothing says so. The baseline
    has the most KV cache, so `capacity_tokens` is its. A closed loop does not fit
    where the prompts of all its slots together exceed the cache: the load would never
    be reached. An open loop has no load to reach, but each request has to fit.
    Prompts as the data set has them (context 0) are of no known length."""
    if condition.context == 0 or capacity_tokens is None:
        return None
    prompts = condition.context * condition.concurrency
    if prompts > capacity_tokens:
        return (
            f"the prompts alone need {prompts:,} tokens of KV cache, and the baseline"
            f" has {capacity_tokens:,}, the most of all arms"
        )
    request = condition.context + max_tokens
    if request > capacity_tokens:
        return (
            f"one request alone, prompt and output, needs {request:,} tokens of KV"
            f" cache, and the baseline has {capacity_tokens:,}, the most of all arms"
        )
    return None


def beyond_length(
    condition: Condition, max_tokens: int, max_model_len: int | None
) -> str | None:
    """Why prompt and output exceed the context limit that the engine serves; None =
    they do not, or it is unknown."""
    if condition.context == 0 or max_model_len is None:
        return None
    request = condition.context + max_tokens
    if request <= max_model_len:
        return None
    return (
        f"prompt and output make {request:,} tokens, more than the {max_model_len:,}"
        " that the engine serves"
    )


def beyond_drafter(
    contexts: Iterable[int], max_tokens: int, positions: int
) -> str | None:
    """What a drafter of so many positions means for these contexts; None = it knows
    all of them, as far as their length is known."""
    beyond = sorted(c for c in contexts if c > 0 and c + max_tokens > positions)
    if not beyond:
        return None
    least = max(0, positions - max_tokens)
    return (
        f"knows {positions:,} positions, prompt and output together: from context"
        f" {least + 1:,} on (max_tokens is {max_tokens:,}) requests go beyond them,"
        " where its drafts are worse or stop; that concerns context"
        f" {', '.join(map(str, beyond))}"
    )
