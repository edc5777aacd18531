"""One seeded order of the questions, in which every beginning has a balanced mix of
categories: loads that need few prompts then see the mix of those that need many."""

import random
from collections.abc import Sequence
from itertools import zip_longest

from specbench.schema.prompt import Question


def order_questions(questions: Sequence[Question], seed: int) -> tuple[Question, ...]:
    """Shuffled inside each category, then dealt out one category after the other (by
    name); a category that runs out is passed over."""
    categories: dict[str, list[Question]] = {}
    for question in questions:
        categories.setdefault(question.category, []).append(question)
    piles = [
        _shuffled(categories[name], f"{seed}/{name}") for name in sorted(categories)
    ]
    rounds = zip_longest(*piles)
    return tuple(q for round_ in rounds for q in round_ if q is not None)


def _shuffled(questions: Sequence[Question], seed: str) -> list[Question]:
    # Only random() with a given seed is promised to stay the same in later versions of
    # Python; shuffle() is not. A text as seed goes through SHA-512, not through hash().
    draw = random.Random(seed).random
    return [q for _, q in sorted(((draw(), q) for q in questions), key=lambda p: p[0])]
