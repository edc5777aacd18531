"""Looping outputs. A model that repeats itself makes every drafter look good, so the
share of such outputs stands beside each figure."""

from collections.abc import Iterable

MIN_COPIES = 3
MIN_WORDS = 12
MAX_PERIOD = 32


def is_looping(text: str) -> bool:
    """Whether some block of 1 to 32 words stands at least three times in a row,
    over at least 12 words.

    Three copies of a list item or a line of code occur in honest text too; twelve
    words of nothing but copies hardly do.
    """
    words = text.split()
    return any(
        _longest_run(words, period) + period >= max(MIN_COPIES * period, MIN_WORDS)
        for period in range(1, min(MAX_PERIOD, len(words) // MIN_COPIES) + 1)
    )


def looping_share(texts: Iterable[str]) -> float | None:
    """Share of non-empty outputs that loop; None without any."""
    verdicts = [is_looping(text) for text in texts if text.strip()]
    return sum(verdicts) / len(verdicts) if verdicts else None


def _longest_run(words: list[str], period: int) -> int:
    """Longest stretch of words that each equal the one `period` before."""
    best = run = 0
    for before, word in zip(words, words[period:], strict=False):
        run = run + 1 if before == word else 0
        best = max(best, run)
    return best
