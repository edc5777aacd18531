"""The context axis: prompts of a wanted number of tokens, made of real text with the
question last. Each prompt, and each length, opens with a stretch of its own, so that no
prefix cache serves it. Pure: text and tokenizer come in."""

import math
import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from specbench.schema.prompt import Message, Prompt
from specbench.workload.prompts import Opening, put_marker

CountTokens = Callable[[str], int]
Render = Callable[[Sequence[Message]], str]
"""Messages as the one text that the model reads."""

_GAP = "\n\n"
_WORD = re.compile(r"(?<!\S)\S")
_LONGEST_WORD = 12
"""Characters that may be left out so that a stretch ends with a word."""
_MARKER_ROOM = 16
"""Tokens that the marks before a prompt and the gap behind the text may take."""
_MOST_STEPS = 24
_MOST_CHARACTERS = 64
"""A token; no tokenizer makes longer ones of English text on average."""


def join_contents(messages: Sequence[Message]) -> str:
    """Stands in for a chat template that is not known; misses its few tokens."""
    return "\n".join(message.content for message in messages)


@dataclass(frozen=True, slots=True)
class PromptRuler:
    """Measures prompts in the model's own tokens."""

    count: CountTokens
    render: Render = join_contents

    def measure(self, messages: Sequence[Message]) -> int:
        """Tokens of the whole prompt."""
        return self.count(self.render(messages))


@dataclass(frozen=True, slots=True)
class Stretches:
    """Places in a text where the prompts of one length may begin: words, each used by
    one prompt only, and by no other length."""

    text: str
    starts: tuple[int, ...]
    first: int
    step: int
    """Shares no factor with the number of starts: all come before one repeats."""

    def cut(self, position: int, length: int, *, by_words: bool = True) -> str:
        """About `length` characters for the prompt at `position`; `by_words`: ending
        with a word. Past its end the text goes on from its beginning."""
        index = (self.first + position * self.step) % len(self.starts)
        start = self.starts[index]
        rounds = -(-(start + length) // len(self.text))
        text = self.text if rounds <= 1 else (self.text + _GAP) * rounds
        end = start + length
        if by_words and end < len(text) and not text[end].isspace():
            blank = max(text.rfind(mark, start, end) for mark in " \n")
            # a long word, such as a rule of dashes, is cut: it holds too many tokens
            if end - blank <= _LONGEST_WORD or blank < start:
                end = max(start, blank)
        return text[start:end].rstrip()


@dataclass(frozen=True, slots=True)
class ContextAxis:
    """Everything that is needed to lengthen the prompts of a sweep."""

    text: str
    datasets: tuple[str, ...]
    contexts: tuple[int, ...]
    seed: int
    ruler: PromptRuler
    _bare: dict[tuple[Message, ...], int] = field(
        default_factory=dict, compare=False, repr=False
    )
    """Lengths of prompts by themselves: a large data set is measured once."""

    def opening(self, dataset: str, context: int) -> Opening:
        """How the prompts of `dataset` open to have `context` tokens; 0 leaves them as
        they are."""
        if context == 0:
            return put_marker
        stretches = self._stretches(dataset, context)
        ruler = self.ruler

        def open_prompt(prompt: Prompt, marker: str, position: int) -> Prompt:
            def lengthened(characters: int, by_words: bool) -> Prompt:
                filler = stretches.cut(position, characters, by_words=by_words)
                start = marker + filler + _GAP if filler else marker
                return put_marker(prompt, start, position)

            return _fit(lengthened, context, ruler)

        return open_prompt

    def takes(self, prompt: Prompt, context: int) -> bool:
        """Whether a prompt is short enough by itself to be made `context` tokens
        long."""
        if context == 0:
            return True
        return self.bare_length(prompt) + _MARKER_ROOM <= context

    def bare_length(self, prompt: Prompt) -> int:
        """Tokens of a prompt as the data set has it."""
        if prompt.messages not in self._bare:
            self._bare[prompt.messages] = self.ruler.measure(prompt.messages)
        return self._bare[prompt.messages]

    def lacking_text(self, most_prompts: int) -> str | None:
        """Why the text is too short for these contexts, where it is: no prompt holds
        the same stretch twice, and the `most_prompts` of a cell all begin at places of
        their own."""
        longest = max(self.contexts)
        tokens = self.ruler.count(self.text[: _MOST_CHARACTERS * longest])
        if tokens < longest:
            return f"has {tokens} tokens, fewer than the context of {longest}"
        shares = len(self._points())
        places = len(_starts(self.text)) // shares
        if places < most_prompts:
            return (
                f"gives {places} words to begin with for each data set and context,"
                f" fewer than the {most_prompts} prompts of the largest cell"
            )
        return None

    def _points(self) -> list[tuple[str, int]]:
        return [(d, c) for d in self.datasets for c in self.contexts if c > 0]

    def _stretches(self, dataset: str, context: int) -> Stretches:
        points = self._points()
        share = points.index((dataset, context))
        return divide_text(self.text, share, len(points), self.seed)


def tolerance(wanted: int) -> int:
    """How far from the wanted length a prompt may be, in tokens: 2 %."""
    return wanted // 50


@lru_cache(maxsize=2)
def _starts(text: str) -> tuple[int, ...]:
    return tuple(match.start() for match in _WORD.finditer(text))


def divide_text(text: str, share: int, shares: int, seed: int) -> Stretches:
    """The `share`-th (from 0) of the `shares` parts into which the words of `text` are
    dealt, in a seeded order."""
    starts = _starts(text)[share::shares]
    if not starts:
        raise ValueError("the text has too few words")
    draw = random.Random(f"{seed}/{share}").random
    first = int(draw() * len(starts))
    step = next(
        step
        for step in range(1 + int(draw() * len(starts)), len(starts) + 2)
        if math.gcd(step, len(starts)) == 1
    )
    return Stretches(text, starts, first, step)


def _fit(
    lengthened: Callable[[int, bool], Prompt], wanted: int, ruler: PromptRuler
) -> Prompt:
    """The longest prompt found that is not over `wanted`. Guesses by tokens per
    character, since each count costs a pass over the whole text; bisects where a guess
    leaves the bracket. Ends at half a per cent. Where whole words are too coarse for
    that, as at short contexts, the last one is cut."""
    good_enough = wanted - min(tolerance(wanted), max(2, wanted // 200))
    search = _Search.begin(lengthened, wanted, ruler)
    search.run(good_enough, by_words=True)
    if search.tokens < good_enough:
        search.fits = max(0, search.fits - _LONGEST_WORD)
        search.run(good_enough, by_words=False)
    return search.best


@dataclass(slots=True)
class _Search:
    """For the number of characters that makes a prompt as long as it is to be."""

    lengthened: Callable[[int, bool], Prompt]
    wanted: int
    ruler: PromptRuler
    best: Prompt
    bare: int
    """Tokens without any text before the prompt."""
    tokens: int
    """Of the best one."""
    fits: int = 0
    exceeds: int = 0
    density: float = 4.0
    """Characters for each token."""

    @classmethod
    def begin(
        cls,
        lengthened: Callable[[int, bool], Prompt],
        wanted: int,
        ruler: PromptRuler,
    ) -> "_Search":
        """With the prompt as it is."""
        best = lengthened(0, True)
        bare = ruler.measure(best.messages)
        most = _MOST_CHARACTERS * wanted
        return cls(lengthened, wanted, ruler, best, bare, bare, exceeds=most)

    def run(self, good_enough: int, *, by_words: bool) -> None:
        """Until the best is good enough, or nothing lies in between."""
        aim = (good_enough + self.wanted) / 2 - self.bare
        for _ in range(_MOST_STEPS):
            if self.tokens >= good_enough or self.exceeds - self.fits <= 1:
                return
            guess = round(aim * self.density)
            if not self.fits < guess < self.exceeds:
                guess = (self.fits + self.exceeds) // 2
            candidate = self.lengthened(guess, by_words)
            found = self.ruler.measure(candidate.messages)
            self.density = guess / max(1, found - self.bare)
            if found > self.wanted:
                self.exceeds = guess
            else:
                self.fits = guess
                if found >= self.tokens:
                    self.best, self.tokens = candidate, found
