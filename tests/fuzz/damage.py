"""Blind damage: bytes that no longer mean what they did. Every kind is drawn equally
often, and several may meet in one input."""

import random
from collections.abc import Callable

Damage = Callable[[random.Random, bytes], bytes]

GRAINS = (
    b"\x00",
    b"\xff",
    b"\xc3",
    b"\xed\xa0\xbd",
    b"\xf0\x9f",
    b"\xef\xbb\xbf",
    b"\\ud83d",
    b"\\u0000",
    b"\r",
    b"\n",
    b"\r\n\r\n",
    b"0\r\n\r\n",
    b"data: [DONE]\n\n",
    b"data: ",
    b'"',
    b"}",
    b"[" * 3000,
    b'{"a":' * 1500,
    b"1e999",
    b"-1",
    b"9" * 30,
    b"9" * 5000,
    b"ffffffffffffffff",
    b"NaN",
    b"x" * 70_000,
    b"data: " * 500,
)
"""Pieces that parsers stumble over."""


def _place(rng: random.Random, data: bytes) -> int:
    return rng.randrange(len(data) + 1)


def _flip_bit(rng: random.Random, data: bytes) -> bytes:
    if not data:
        return data
    at = rng.randrange(len(data))
    return data[:at] + bytes([data[at] ^ (1 << rng.randrange(8))]) + data[at + 1 :]


def _delete(rng: random.Random, data: bytes) -> bytes:
    at = _place(rng, data)
    return data[:at] + data[at + rng.randint(1, 40) :]


def _insert(rng: random.Random, data: bytes) -> bytes:
    at = _place(rng, data)
    return data[:at] + rng.randbytes(rng.randint(1, 8)) + data[at:]


def _insert_grain(rng: random.Random, data: bytes) -> bytes:
    at = _place(rng, data)
    return data[:at] + rng.choice(GRAINS) + data[at:]


def _replace_by_grain(rng: random.Random, data: bytes) -> bytes:
    at = _place(rng, data)
    return data[:at] + rng.choice(GRAINS) + data[at + rng.randint(1, 12) :]


def _repeat(rng: random.Random, data: bytes) -> bytes:
    at = _place(rng, data)
    part = data[at : at + rng.randint(1, 120)]
    return data[:at] + part * rng.randint(2, 4) + data[at + len(part) :]


def _truncate(rng: random.Random, data: bytes) -> bytes:
    return data[: _place(rng, data)]


def _behead(rng: random.Random, data: bytes) -> bytes:
    return data[_place(rng, data) :]


def _swap_lines(rng: random.Random, data: bytes) -> bytes:
    lines = data.split(b"\n")
    a, b = rng.randrange(len(lines)), rng.randrange(len(lines))
    lines[a], lines[b] = lines[b], lines[a]
    return b"\n".join(lines)


def _swap_stretches(rng: random.Random, data: bytes) -> bytes:
    a, b, c, d = sorted(_place(rng, data) for _ in range(4))
    return data[:a] + data[c:d] + data[b:c] + data[a:b] + data[d:]


def _change_digit(rng: random.Random, data: bytes) -> bytes:
    places = [at for at, byte in enumerate(data) if chr(byte).isdecimal()]
    if not places:
        return data
    at = rng.choice(places)
    new = rng.choice([b"0", b"9", b"-", b".", b"1e9", b"99999999999", b""])
    return data[:at] + new + data[at + 1 :]


KINDS: tuple[Damage, ...] = (
    _flip_bit,
    _delete,
    _insert,
    _insert_grain,
    _replace_by_grain,
    _repeat,
    _truncate,
    _behead,
    _swap_lines,
    _swap_stretches,
    _change_digit,
)


def damaged(rng: random.Random, data: bytes) -> bytes:
    """One kind of damage, or up to three."""
    for _ in range(rng.choice((1, 1, 2, 3))):
        data = rng.choice(KINDS)(rng, data)
    return data
