"""Bytes cut in every way that a network may cut them."""

from itertools import pairwise

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy


@st.composite
def _cut(draw: DrawFn, data: bytes) -> list[bytes]:
    inner = st.sets(st.integers(0, len(data)), max_size=12)
    places = [0, *sorted(draw(inner)), len(data)]
    return [data[start:end] for start, end in pairwise(places)]


def cut(data: bytes) -> SearchStrategy[list[bytes]]:
    """Lists of pieces (some empty) that make up `data`."""
    return _cut(data)


def single_bytes(data: bytes) -> list[bytes]:
    """The finest cut."""
    return [data[i : i + 1] for i in range(len(data))]


@st.composite
def _mutate(draw: DrawFn, data: bytes) -> bytes:
    mutated = bytearray(data)
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(mutated)))
        length = draw(st.integers(0, 6))
        mutated[at : at + length] = draw(st.binary(max_size=6))
    return bytes(mutated)


def mutate(data: bytes) -> SearchStrategy[bytes]:
    """`data` with a few bytes replaced, inserted or left out."""
    return _mutate(data)
