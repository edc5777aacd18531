"""The text of the simulator's outputs: one made-up word a token, drawn from the prompt
alone. The seed and the drafter have no part in it, so that an arm gives the same text
as its baseline, as lossless speculation does; and it does not loop."""

import random
from collections.abc import Iterator

_ONSETS = ("b", "d", "f", "g", "k", "l", "m", "n", "p", "r", "s", "t", "v", "z")
_VOWELS = ("a", "e", "i", "o", "u")
_VOCABULARY = tuple(
    f" {first}{vowel}{second}{end}"
    for first in _ONSETS
    for vowel in _VOWELS
    for second in _ONSETS
    for end in _VOWELS
)
_DRAWN_AT_ONCE = 64


def output_words(prompt_key: str) -> Iterator[str]:
    """Endless words, each with the blank before it; one a token."""
    draws = random.Random(f"words/{prompt_key}")
    while True:
        yield from draws.choices(_VOCABULARY, k=_DRAWN_AT_ONCE)
