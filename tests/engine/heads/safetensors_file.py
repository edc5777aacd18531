"""Writes weights in the safetensors format: eight bytes with the length of a JSON table
of names, types, shapes and places; the table; the numbers."""

import json
import random
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from pathlib import Path

_SMALL = bytes((byte & 0x80) | 0x3C for byte in range(256))
"""Sign kept, exponent set: bfloat16 numbers of 0.008 to 0.03, of either sign."""


@dataclass(frozen=True, slots=True)
class Tensor:
    """Numbers in bfloat16."""

    shape: tuple[int, ...]
    content: bytes


def untrained(shape: tuple[int, ...], seed: int) -> Tensor:
    """Small random numbers."""
    content = bytearray(random.Random(seed).randbytes(2 * prod(shape)))
    content[1::2] = content[1::2].translate(_SMALL)
    return Tensor(shape, bytes(content))


def ones(shape: tuple[int, ...]) -> Tensor:
    """As norms begin."""
    return Tensor(shape, b"\x80\x3f" * prod(shape))


def write_safetensors(path: Path, tensors: Mapping[str, Tensor]) -> None:
    """All tensors, one after another."""
    table: dict[str, object] = {"__metadata__": {"format": "pt"}}
    place = 0
    for name, tensor in tensors.items():
        end = place + len(tensor.content)
        table[name] = {
            "dtype": "BF16",
            "shape": list(tensor.shape),
            "data_offsets": [place, end],
        }
        place = end
    header = json.dumps(table).encode()
    header += b" " * (-len(header) % 8)
    with path.open("wb") as file:
        file.write(struct.pack("<Q", len(header)) + header)
        for tensor in tensors.values():
            file.write(tensor.content)
