"""Units as types and the factors between them. Inside the package an instant is an
integer count of nanoseconds on one monotonic clock, a duration is in seconds."""

from typing import NewType

Nanoseconds = NewType("Nanoseconds", int)
"""An instant on the monotonic clock; only differences mean something."""

Seconds = NewType("Seconds", float)

NS_PER_S = 1_000_000_000
BYTES_PER_GIB = 2**30


def seconds_between(start: int, end: int) -> float:
    """Seconds from one monotonic instant (ns) to another."""
    return (end - start) / NS_PER_S
