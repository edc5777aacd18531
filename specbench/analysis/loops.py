"""Looping outputs. A model that repeats itself makes every drafter look good, so the
share of such outputs stands beside each figure."""

from collections.abc import Iterable, Iterator

MIN_COPIES = 3
MIN_WORDS = 12
MAX_PERIOD = 32
LONGEST_WORD = 40
LONGEST_RULE = 80
"""Characters of punctuation that may stand in a row for a line in a table."""


def is_looping(text: str) -> bool:
    """Whether some block of 1 to 32 words stands at least three times in a row,
    over at least 12 words.

    Three copies of a list item or a line of code occur in honest text too; twelve
    words of nothing but copies hardly do.
    """
    words = list(_pieces(text))
    return any(
        _longest_run(words, period) >= max(MIN_COPIES * period, MIN_WORDS) - period
        for period in range(1, min(MAX_PERIOD, len(words) // MIN_COPIES) + 1)
    )


def looping_share(texts: Iterable[str]) -> float | None:
    """Share of non-empty outputs that loop; None without any."""
    verdicts = [is_looping(text) for text in texts if text.strip()]
    return sum(verdicts) / len(verdicts) if verdicts else None


def _longest_run(words: list[str], period: int) -> int:
    """Longest stretch of words that each equal the one `period` before. Punctuation
    alone counts only when it is long: the rule under a table's head is no loop."""
    best = run = characters = 0
    has_text = False
    for before, word in zip(words, words[period:], strict=False):
        is_same = before == word
        run = run + 1 if is_same else 0
        characters = characters + len(word) if is_same else 0
        has_text = is_same and (has_text or any(ch.isalnum() for ch in word))
        if has_text or characters > LONGEST_RULE:
            best = max(best, run)
    return best


def _pieces(text: str) -> Iterator[str]:
    """Words; of what is too long for a word, as text without blanks is, characters."""
    for word in text.split():
        if len(word) <= LONGEST_WORD:
            yield word
        else:
            yield from word
