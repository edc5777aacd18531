"""Expected yield of draft-and-verify, from acceptance rates. Only conditional rates
enter the formulas: the chance that position i is accepted given that all before it
were. A rate by position that engines report, accepted at i / drafts, is unconditional
and has to be converted first. Pure arithmetic; nothing here knows an engine."""

from collections.abc import Sequence


def expected_tokens_per_step(conditional: Sequence[float]) -> float:
    """Tokens that one verification step yields on average, its bonus token included.

    `conditional[i]` is the acceptance rate of draft position i given that all
    positions before it were accepted; one entry a draft, so its length is k.
    E = 1 + a1 + a1 a2 + ... + a1 ... ak: the sum of the chances that at least so
    many drafts are accepted. Computed from the inside out, which loses no digits.
    """
    expected = 1.0
    for rate in reversed(conditional):
        _check_rate(rate)
        expected = 1.0 + rate * expected
    return expected


def expected_tokens_at_rate(rate: float, drafts: int) -> float:
    """The same where every position has one conditional rate a, with k drafts.

    E = (1 - a^(k+1)) / (1 - a), and k + 1 at a = 1 (Leviathan et al. 2023, "Fast
    Inference from Transformers via Speculative Decoding", equation 1). Summed
    instead of divided, because the quotient loses its digits close to a = 1.
    """
    if drafts < 0:
        raise ValueError(f"drafts must not be negative, got {drafts}")
    return expected_tokens_per_step([rate] * drafts)


def speedup(
    tokens_per_step: float, drafts: int, draft_cost: float, verify_cost: float = 1.0
) -> float:
    """Predicted speedup S = E / (k c + v) over plain decoding at the same batch.

    `draft_cost` is c, one drafter step over one plain target step; `verify_cost` is
    v, one verification pass over one plain target step. With v = 1 this is the form
    of Leviathan et al. 2023, theorem 3.8; v grows with the batch.
    """
    step_cost = drafts * draft_cost + verify_cost
    if step_cost <= 0:
        raise ValueError(f"a speculative step must cost something, got {step_cost}")
    return tokens_per_step / step_cost


def unconditional_from_conditional(conditional: Sequence[float]) -> tuple[float, ...]:
    """Chance that position i is accepted, counted over all drafts."""
    rates = []
    reached = 1.0
    for rate in conditional:
        _check_rate(rate)
        reached *= rate
        rates.append(reached)
    return tuple(rates)


def conditional_from_unconditional(
    by_position: Sequence[float],
) -> tuple[float | None, ...]:
    """Accepted at i / accepted at i-1, from accepted at i / drafts.

    None where position i-1 was never accepted: nothing is known about position i.
    Raises ValueError where the rates rise, which no chain of drafts can do.
    """
    rates: list[float | None] = []
    before = 1.0
    for rate in by_position:
        _check_rate(rate)
        if rate > before:
            raise ValueError(f"rates by position must not rise: {rate} after {before}")
        rates.append(rate / before if before > 0 else None)
        before = rate
    return tuple(rates)


def _check_rate(rate: float) -> None:
    if not 0.0 <= rate <= 1.0:
        raise ValueError(f"an acceptance rate lies in 0..1, got {rate}")
