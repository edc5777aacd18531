"""Chained hashes of a prompt's full blocks, as a prefix cache compares them: a block's
hash covers its tokens and all before them: equal hashes mean equal prefixes. Pure."""

import hashlib
from collections.abc import Sequence


def prefix_blocks(tokens: Sequence[str | int], block_size: int) -> tuple[int, ...]:
    """One 64-bit hash for each full block of `block_size` tokens, in order."""
    hashes = []
    chain = b""
    for start in range(0, len(tokens) - block_size + 1, block_size):
        block = "\0".join(map(str, tokens[start : start + block_size]))
        chain = hashlib.blake2b(chain + block.encode(), digest_size=8).digest()
        hashes.append(int.from_bytes(chain, "big"))
    return tuple(hashes)
