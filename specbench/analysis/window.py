"""The measured part of a cell: from the instant when every slot has finished its
first request that did not fail (all are busy, a generation has turned over) to the
instant when the first slot runs dry. Ramp and drain are outside, by the same rule for
every arm."""

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from specbench.analysis.requests import token_arrivals
from specbench.schema.sample import Outcome, RequestSample
from specbench.units import NS_PER_S, seconds_between


@dataclass(frozen=True, slots=True)
class Window:
    """A stretch of monotonic time, in ns."""

    open_ns: int
    close_ns: int
    all_busy_ns: int
    """All slots had sent their first request; at or before the opening."""

    @property
    def seconds(self) -> float:
        """Length."""
        return seconds_between(self.open_ns, self.close_ns)

    def had_full_load(self, sample: RequestSample) -> bool:
        """Whether all slots were busy from a request's sending to its end. A slot's
        first request never counts: it met the opening burst."""
        return self.all_busy_ns < sample.sent_ns and sample.end_ns <= self.close_ns


@dataclass(frozen=True, slots=True)
class NoWindow:
    """Why there is no window."""

    reason: str


def find_window(
    samples: Sequence[RequestSample], concurrency: int
) -> Window | NoWindow:
    """The window of a closed-loop cell, from its requests alone."""
    by_slot: dict[int, list[RequestSample]] = defaultdict(list)
    for sample in samples:
        by_slot[sample.slot].append(sample)
    if len(by_slot) < concurrency:
        return NoWindow(f"only {len(by_slot)} of {concurrency} slots sent a request")
    if any(len(sent) < 2 for sent in by_slot.values()):
        return NoWindow(
            "some slot sent one request only, so no generation turned over:"
            " send at least 2 requests a slot"
        )
    firsts = [
        min((s.end_ns for s in sent if s.outcome is not Outcome.FAILED), default=None)
        for sent in by_slot.values()
    ]
    turned_over = [end for end in firsts if end is not None]
    if len(turned_over) < len(firsts):
        return NoWindow("in some slot every request failed")
    opened = max(turned_over)
    closed = min(max(s.end_ns for s in sent) for sent in by_slot.values())
    if closed <= opened:
        return NoWindow(
            "the first slot ran dry before the last one had turned over:"
            " send more requests a slot"
        )
    all_busy = max(min(s.sent_ns for s in sent) for sent in by_slot.values())
    return Window(opened, closed, all_busy)


PARTS = 12
"""Equal parts of a window over which its tokens are told apart."""


@dataclass(frozen=True, slots=True)
class WindowTokens:
    """Output tokens that arrived in a window."""

    by_slot: tuple[tuple[float, ...], ...]
    """For each slot of the closed loop the tokens in each of the window's parts."""
    is_exact: bool
    is_known: bool
    """False where a request with text has no count from the server."""

    @property
    def total(self) -> float:
        """Over all slots and parts."""
        return math.fsum(tokens for parts in self.by_slot for tokens in parts)

    @property
    def by_part(self) -> tuple[float, ...]:
        """Over all slots; one number a part."""
        return tuple(
            math.fsum(parts[place] for parts in self.by_slot) for place in range(PARTS)
        )


def tokens_in_window(samples: Sequence[RequestSample], window: Window) -> WindowTokens:
    """Count tokens by arrival instant; failed requests are left out."""
    by_slot: dict[int, list[float]] = {s.slot: [0.0] * PARTS for s in samples}
    exact = known = True
    length_ns = window.close_ns - window.open_ns
    for sample in samples:
        if sample.outcome is Outcome.FAILED:
            continue
        if sample.output_tokens is None and any(c.text for c in sample.chunks):
            known = False
        parts = by_slot[sample.slot]
        for arrival in token_arrivals(sample):
            since_ns = arrival.instant_ns - window.open_ns
            if 0 < since_ns <= length_ns:
                parts[(since_ns - 1) * PARTS // length_ns] += arrival.tokens
                exact = exact and arrival.is_exact
    slots = tuple(tuple(by_slot[slot]) for slot in sorted(by_slot))
    return WindowTokens(slots, exact, known)


def mean_in_flight(samples: Sequence[RequestSample], window: Window) -> float:
    """Time-weighted mean of requests in flight, as the client saw it."""
    busy = sum(
        max(
            0,
            min(s.end_ns, window.close_ns) - max(s.sent_ns, window.open_ns),
        )
        for s in samples
    )
    return busy / NS_PER_S / window.seconds
