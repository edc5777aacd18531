"""Decides which CPUs the engine and the load generator get, and pins this process. On a
machine without a GPU the engine computes on the CPU, so a client beside it would
measure its own disturbance; with a GPU the engine's CPU work is left alone."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

_THREADS = Path("/proc/self/task")


@dataclass(frozen=True, slots=True)
class CpuSplit:
    """Who runs where. None = wherever the system likes."""

    engine: tuple[int, ...] | None
    client: tuple[int, ...] | None
    note: str | None
    """Why nothing is split, where that can cost accuracy."""


def split_cpus(cpus: Sequence[int], has_gpu: bool) -> CpuSplit:
    """Without a GPU: the last usable CPU for the client, all others for the engine."""
    if has_gpu:
        return CpuSplit(engine=None, client=None, note=None)
    if len(cpus) < 2:
        what = "one CPU" if cpus else "an unknown number of CPUs"
        return CpuSplit(
            engine=None,
            client=None,
            note=f"{what} for engine and client: they share it, and each disturbs the"
            " other's times",
        )
    ordered = sorted(cpus)
    return CpuSplit(engine=tuple(ordered[:-1]), client=(ordered[-1],), note=None)


@contextmanager
def pin_this_process(cpus: Sequence[int] | None) -> Iterator[None]:
    """Keep all threads of this process on `cpus` while the context lasts; None: leave
    them. Children started meanwhile inherit it, unless they are given CPUs of their
    own."""
    if cpus is None:
        yield
        return
    before = {thread: os.sched_getaffinity(thread) for thread in _list_threads()}
    try:
        for thread in before:
            _allow(thread, cpus)
        yield
    finally:
        # Threads born meanwhile inherited the pin; they get the main thread's CPUs.
        main = before.get(os.getpid(), set(cpus))
        for thread in _list_threads():
            _allow(thread, before.get(thread, main))


def _list_threads() -> list[int]:
    return [int(folder.name) for folder in _THREADS.iterdir()]


def _allow(thread: int, cpus: Sequence[int] | set[int]) -> None:
    try:
        os.sched_setaffinity(thread, cpus)
    except ProcessLookupError:  # it ended meanwhile
        return
