"""A sample's chunks as columns, for the way from a load process to its parent: a cell
can hold a million chunks, and a column is pickled in a fraction of the time."""

import array
from dataclasses import dataclass, replace

from specbench.schema.sample import Chunk, RequestSample

UNKNOWN = -1
"""Stands for a count that the server did not send; counts are never below 0."""


@dataclass(frozen=True, slots=True)
class PackedSample:
    """One request, its chunks apart from the rest."""

    sample: RequestSample
    """Without chunks."""
    arrivals_ns: "array.array[int]"
    texts: tuple[str, ...]
    reasoning: bytes
    """1 for a chunk of reasoning, else 0."""
    tokens_so_far: list[int]


def pack_sample(sample: RequestSample) -> PackedSample:
    """As columns."""
    columns = tuple(zip(*sample.chunks, strict=True)) or ((), (), (), ())
    arrivals, texts, reasoning, counts = columns
    return PackedSample(
        sample=replace(sample, chunks=()),
        arrivals_ns=array.array("q", arrivals),
        texts=texts,
        reasoning=bytes(reasoning),
        # a list, since a server may send a count of any size
        tokens_so_far=[UNKNOWN if count is None else count for count in counts],
    )


def unpack_sample(packed: PackedSample) -> RequestSample:
    """As it was."""
    columns = zip(
        packed.arrivals_ns,
        packed.texts,
        map(bool, packed.reasoning),
        [None if count == UNKNOWN else count for count in packed.tokens_so_far],
        strict=True,
    )
    return replace(packed.sample, chunks=tuple(map(Chunk._make, columns)))
