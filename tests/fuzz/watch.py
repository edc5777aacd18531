"""A hang as a failure. CPU time is what counts: a busy machine is no hang."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

CPU_S = 10.0
"""Hundreds of times what any of these inputs needs."""


class HangError(BaseException):
    """Not an Exception, so that no handler on the way takes it for a bad input."""


def _ring(number: int, frame: FrameType | None) -> None:
    raise HangError(f"no end after {CPU_S:g} s of CPU time")


@contextmanager
def alarm() -> Iterator[None]:
    """Armed for one batch or one input; `rewind` starts it again."""
    before = signal.signal(signal.SIGVTALRM, _ring)
    rewind()
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def rewind() -> None:
    """The next input has its whole time again."""
    signal.setitimer(signal.ITIMER_VIRTUAL, CPU_S)
