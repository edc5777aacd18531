"""When tokens that the engine has made leave in a chunk. The rule is vLLM's (0.32.0,
`v1/engine/output_processor.py`, `--stream-interval`): the first tokens at once, then
as soon as at least N are unsent, and all that is left at the end. SGLang's 0.5.23
option of that name does the same."""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import repeat

RANDOM_SIZES = (1, 2, 3, 4)
"""N of a chunk under `random`, equally likely."""


@dataclass(frozen=True, slots=True)
class StreamInterval:
    """The rule of one server."""

    tokens: int | None = 1
    """N, at least 1; None = drawn anew for each chunk from RANDOM_SIZES."""

    def sizes(self, seed: int, request_key: str) -> Iterator[int]:
        """N of one request's chunks after the first, without end. Requests with one
        key and one seed meet the same."""
        if self.tokens is not None:
            return repeat(self.tokens)
        return _drawn_sizes(random.Random(f"interval/{seed}/{request_key}"))


def _drawn_sizes(draws: random.Random) -> Iterator[int]:
    while True:
        yield from draws.choices(RANDOM_SIZES, k=32)


class ChunkGate:
    """Decides step by step for one request. `unsent` counts what waits."""

    __slots__ = ("_needed", "_sizes", "unsent")

    def __init__(self, sizes: Iterator[int]) -> None:
        self._sizes = sizes
        self._needed = 1  # the first tokens go at once
        self.unsent = 0

    def offer(self, tokens: int, *, is_last: bool) -> int:
        """Tokens of one step; how many go out now (0 = none, they wait)."""
        ready = self.unsent + tokens
        if ready < self._needed and not is_last:
            self.unsent = ready
            return 0
        self.unsent = 0
        self._needed = next(self._sizes)
        return ready
