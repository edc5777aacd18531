"""The smallest input that still fails, by leaving out ever smaller parts."""

from collections.abc import Callable, Sequence
from typing import TypeVar

MAX_TRIES = 3000

S = TypeVar("S", bytes, str, list[int])


def smallest(failing: S, still_fails: Callable[[S], bool]) -> S:
    """A part of `failing` from which no single item can be left out any more (or the
    best one after so many tries)."""
    tries = 0
    size = max(1, len(failing) // 2)
    while size:
        at = 0
        while at < len(failing) and tries < MAX_TRIES:
            less = failing[:at] + failing[at + size :]
            tries += 1
            if still_fails(less):
                failing = less
            else:
                at += size
        size //= 2
    return failing


def complaint(about: Sequence[str], reason: str) -> str:
    """What a failing test says."""
    return "\n".join([*about, f"    -> {reason}"])
