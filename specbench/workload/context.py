"""The context axis: prompts of a wanted number of tokens, made of real text with the
question last. Each prompt, and each length, opens with a stretch of its own, so that no
prefix cache serves it. Pure: text and tokenizer come in."""

import math
import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from specbench.schema.prompt import Message, Prompt, SkippedEntry
from specbench.workload.prompts import Opening, put_marker

CountTokens = Callable[[str], int]
Render = Callable[[Sequence[Message]], str]
"""Messages as the one text that the model reads."""

_GAP = "\n\n"
_WORD = re.compile(r"(?<!\S)\S")
_LONGEST_WORD = 12
"""Characters that may be left out so that a stretch ends with a word."""
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

    def cut(self, position: int, length: int) -> str:
        """About `length` characters for the prompt at `position`, ending with a word.
        Past its end the text goes on from its beginning."""
        index = (self.first + position * self.step) % len(self.starts)
        start = self.starts[index]
        rounds = -(-(start + length) // len(self.text))
        text = self.text if rounds <= 1 else (self.text + _GAP) * rounds
        end = start + length
        if end < len(text) and not text[end].isspace():
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

    def opening(self, dataset: str, context: int) -> Opening:
        """How the prompts of `dataset` open to have `context` tokens; 0 leaves them as
        they are."""
        if context == 0:
            return put_marker
        points = [(d, c) for d in self.datasets for c in self.contexts if c > 0]
        share = points.index((dataset, context))
        stretches = divide_text(self.text, share, len(points), self.seed)
        ruler = self.ruler

        def open_prompt(prompt: Prompt, marker: str, position: int) -> Prompt:
            def lengthened(characters: int) -> Prompt:
                filler = stretches.cut(position, characters)
                start = marker + filler + _GAP if filler else marker
                return put_marker(prompt, start, position)

            return _fit(lengthened, context, ruler)

        return open_prompt


def tolerance(wanted: int) -> int:
    """How far from the wanted length a prompt may be, in tokens."""
    return max(8, wanted // 50)


def divide_text(text: str, share: int, shares: int, seed: int) -> Stretches:
    """The `share`-th (from 0) of the `shares` parts into which the words of `text` are
    dealt, in a seeded order."""
    starts = tuple(match.start() for match in _WORD.finditer(text))[share::shares]
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


def find_overlong(
    prompts: Sequence[Prompt], wanted: int, ruler: PromptRuler
) -> tuple[SkippedEntry, ...]:
    """Prompts that are longer than `wanted` by themselves: they are used as they are,
    and a run says so."""
    if wanted == 0:
        return ()
    measured = ((prompt, ruler.measure(prompt.messages)) for prompt in prompts)
    return tuple(
        SkippedEntry(
            prompt.prompt_id,
            f"has {tokens} tokens by itself, more than the context of {wanted};"
            " asked as it is",
        )
        for prompt, tokens in measured
        if tokens > wanted + tolerance(wanted)
    )


def _fit(
    lengthened: Callable[[int], Prompt], wanted: int, ruler: PromptRuler
) -> Prompt:
    """The longest prompt found that is not over `wanted`. Guesses by tokens per
    character, since each count costs a pass over the whole text; bisects where a guess
    leaves the bracket. Ends at half a per cent."""
    best = lengthened(0)
    bare = tokens = ruler.measure(best.messages)
    fits, exceeds = 0, _MOST_CHARACTERS * wanted
    density = 4.0
    good_enough = wanted - max(2, wanted // 200)
    aim = (good_enough + wanted) / 2 - bare
    for _ in range(_MOST_STEPS):
        if tokens >= good_enough or exceeds - fits <= 1:
            break
        guess = round(aim * density)
        if not fits < guess < exceeds:
            guess = (fits + exceeds) // 2
        candidate = lengthened(guess)
        found = ruler.measure(candidate.messages)
        density = guess / max(1, found - bare)
        if found > wanted:
            exceeds = guess
        else:
            best, tokens, fits = candidate, found, guess
    return best
