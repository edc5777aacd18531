"""What the target model makes of a request's drafts: one seeded stream of accepted
counts a request, one draw a verification step, whatever runs beside it. A step that
could hold fewer drafts than k takes its draw all the same and cuts it, so that the
stream stays the same."""

import random
from collections.abc import Sequence
from itertools import accumulate
from operator import mul

_MOST_AT_ONCE = 64
"""How far a stream is drawn ahead; it does not change the stream."""


class AcceptanceLaw:
    """Chance of each accepted count, from conditional rates by position.

    At least j drafts are accepted with chance a1 a2 ... aj."""

    def __init__(self, conditional: Sequence[float]) -> None:
        self.counts = range(len(conditional) + 1)
        at_least = accumulate(conditional, mul)
        self.at_most = [1.0 - reached for reached in at_least] + [1.0]
        """Entry j: chance of j accepted drafts or fewer."""


class AcceptanceDraws:
    """The stream of one request."""

    __slots__ = ("_law", "_random", "ahead")

    def __init__(self, law: AcceptanceLaw, key: str) -> None:
        self._law = law
        # A string seed is hashed (SHA-512) by `random`, so it holds across processes.
        self._random = random.Random(key)
        self.ahead: list[int] = []
        """Counts drawn already; the next one is the last."""

    def refill(self, wanted: int) -> list[int]:
        """Draw ahead once `ahead` is empty; returns `ahead`."""
        size = max(1, min(wanted, _MOST_AT_ONCE))
        law = self._law
        drawn = self._random.choices(law.counts, cum_weights=law.at_most, k=size)
        drawn.reverse()
        self.ahead = drawn
        return drawn
