"""A sample as columns, for the way from a load process to its parent: a cell can hold a
million chunks, and columns are pickled in a fraction of the time."""

import array
from collections.abc import Iterable
from dataclasses import fields
from itertools import repeat
from operator import attrgetter
from typing import Any, NamedTuple

from specbench.schema.sample import Chunk, RequestSample

UNKNOWN = -1
"""Stands for a count that the server did not send; counts are never below 0."""

_PLAIN = tuple(f.name for f in fields(RequestSample) if f.name != "chunks")
_take_plain = attrgetter(*_PLAIN)


class PackedSample(NamedTuple):
    """One request."""

    plain: tuple[Any, ...]
    """All fields but the chunks, in their order."""
    arrivals_ns: "array.array[int]"
    texts: tuple[str, ...]
    reasoning: bytes
    """1 for a chunk of reasoning, else 0."""
    tokens_so_far: "array.array[int]"


def pack_sample(sample: RequestSample) -> PackedSample:
    """As columns."""
    columns = tuple(zip(*sample.chunks, strict=True)) or ((), (), (), ())
    arrivals, texts, reasoning, counts = columns
    return PackedSample(
        plain=_take_plain(sample),
        arrivals_ns=array.array("q", arrivals),
        texts=texts,
        reasoning=bytes(reasoning),
        tokens_so_far=array.array(
            "q", [UNKNOWN if count is None else count for count in counts]
        ),
    )


def unpack_sample(packed: PackedSample) -> RequestSample:
    """As it was."""
    reasoning: Iterable[bool] = map(bool, packed.reasoning)
    if not any(packed.reasoning):
        reasoning = repeat(False, len(packed.reasoning))
    counts: Iterable[int | None] = packed.tokens_so_far
    if UNKNOWN in packed.tokens_so_far:
        counts = [None if count == UNKNOWN else count for count in counts]
    columns = zip(packed.arrivals_ns, packed.texts, reasoning, counts, strict=True)
    chunks = tuple(map(Chunk._make, columns))
    return RequestSample(**dict(zip(_PLAIN, packed.plain, strict=True)), chunks=chunks)
