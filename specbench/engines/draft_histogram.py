"""How many drafts had how many tokens accepted, as engines send it for one request,
turned into how many had their i-th token accepted. A histogram that does not fit the
counts beside it is not used: it would move acceptance from one position to another."""

from specbench.wire.counts import read_count

LONGEST = 4096
"""No draft has so many tokens; a longer list is damage."""


def positions_of(
    histogram: object, drafts: int | None, accepted: int
) -> tuple[int, ...] | None:
    """`histogram[k]` drafts had k tokens accepted, so position i was accepted in
    sum(histogram[i:]) of them. None unless it adds up: sum(histogram) = drafts and
    sum(k * histogram[k]) = accepted."""
    if not isinstance(histogram, list) or len(histogram) > LONGEST:
        return None
    read = [read_count(entry) for entry in histogram]
    counts = [count for count in read if count is not None]
    if len(counts) < len(read) or sum(counts) != drafts:
        return None
    if sum(place * count for place, count in enumerate(counts)) != accepted:
        return None
    return tuple(sum(counts[place:]) for place in range(1, len(counts)))


def counts_drafts(histogram: object) -> bool:
    """Whether there is a draft in it, with or without accepted tokens."""
    return isinstance(histogram, list) and any(read_count(one) for one in histogram)
