"""Ways to cut bytes into reads, as sorted places of cuts."""

import random
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

Cuts = Sequence[int]

_BLANK_LINE = re.compile(rb"\r\n\r\n(?:\r\n)?|\n\n(?:\r\n)?|\r\r|\n\r\n")


def pieces_of(data: bytes, cuts: Cuts) -> list[bytes]:
    """The reads; none is empty."""
    return [data[a:b] for a, b in pairwise((0, *cuts, len(data)))]


def single_cuts(data: bytes) -> Iterator[Cuts]:
    """Two reads, cut at every place there is."""
    return ((at,) for at in range(1, len(data)))


def all_pairs(data: bytes) -> Iterator[Cuts]:
    """Three reads, every pair of places."""
    last = len(data)
    return ((a, b) for a in range(1, last) for b in range(a + 1, last))


def even_cuts(data: bytes) -> Iterator[Cuts]:
    """Reads of equal size: one byte at a time, two, three and so on."""
    for size in (1, 2, 3, 5, 7, 16, 61, 256):
        yield range(size, len(data), size)


def random_pair(rng: random.Random, data: bytes) -> Cuts:
    """Three reads."""
    return sorted(rng.sample(range(1, len(data)), 2))


def random_many(rng: random.Random, data: bytes) -> Cuts:
    """Up to some twenty cuts, anywhere."""
    return sorted(
        rng.sample(range(1, len(data)), min(rng.randint(3, 20), len(data) - 1))
    )


def random_at_ends(rng: random.Random, data: bytes) -> Cuts:
    """Cuts at, before and after line ends and colons, where decoders have states."""
    places = [
        at + shift
        for at, byte in enumerate(data)
        if byte in b"\r\n:"
        for shift in (0, 1, 2)
        if 0 < at + shift < len(data)
    ]
    return sorted(set(rng.choices(places, k=rng.randint(1, 12))))


def random_whole(rng: random.Random, data: bytes) -> Cuts:
    """Reads that are whole lines, events or chunks, as most reads of a quiet network
    are, with a stray cut here and there."""
    ends = [
        found.end() for found in _BLANK_LINE.finditer(data) if found.end() < len(data)
    ]
    cuts = {end for end in ends if rng.random() < 0.9}
    cuts |= {rng.randrange(1, len(data)) for _ in range(rng.choice((0, 0, 1, 2)))}
    return sorted(cuts)


RANDOM_KINDS = (random_pair, random_many, random_at_ends, random_whole)
