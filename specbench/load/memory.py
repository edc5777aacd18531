"""Garbage collection stands still while a cell runs and while its million small values
are made: it would stop the process for milliseconds, the longer the more there is, and
none of them is part of a cycle."""

import contextlib
import gc
from collections.abc import Iterator


@contextlib.contextmanager
def no_collection() -> Iterator[None]:
    """What is there already is not looked at again, either, while this lasts."""
    gc.collect()
    gc.freeze()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
        gc.unfreeze()
