"""Decides which CPUs the engine and the load generator get, and pins this process. On a
machine without a GPU the engine computes on the CPU, so a client beside it would
measure its own disturbance; with a GPU the engine's CPU work is left alone."""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

_THREADS = Path("/proc/self/task")
_TOPOLOGY = "/sys/devices/system/cpu/cpu{}/topology"

Core = tuple[int, int]
"""Package and number of a physical core."""


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


@dataclass(frozen=True, slots=True)
class CpuShares:
    """CPUs of engines that run at the same time; nobody shares one."""

    engines: tuple[tuple[int, ...], ...]
    """One set for each place, of equally many cores."""
    client: tuple[int, ...]
    notes: tuple[str, ...]
    """What can still cost accuracy, one sentence each."""


def share_cpus(
    cpus: Sequence[int],
    places: int,
    core_of: Callable[[int], Core | None] | None = None,
) -> CpuShares | None:
    """Equal sets for the places and one for the client, of whole physical cores where
    there are enough; None where the CPUs do not suffice. The client gets what is left
    over, and at least as many cores as there are places where each of these keeps one:
    its processes would make one another late on fewer."""
    cores = _group(cpus, core_of or read_core)
    notes = []
    if len(cores) <= places:
        cores = [[cpu] for cpu in sorted(cpus)]
        notes.append(
            "the CPUs of engines and client share physical cores: each disturbs the"
            " others' times"
        )
    if len(cores) <= places:
        return None
    for_client = places if len(cores) >= 2 * places else 1
    each = (len(cores) - for_client) // places
    if len(cores) - each * places < places:
        notes.append(
            f"the load of {places} places comes from fewer CPUs than that: expect void"
            " cells"
        )
    return CpuShares(
        engines=tuple(
            _flat(cores[place * each : (place + 1) * each]) for place in range(places)
        ),
        client=_flat(cores[each * places :]),
        notes=tuple(notes),
    )


def read_core(cpu: int) -> Core | None:
    """The physical core of a CPU, as Linux tells it; None where it does not."""
    folder = Path(_TOPOLOGY.format(cpu))
    try:
        return (
            int((folder / "physical_package_id").read_text()),
            int((folder / "core_id").read_text()),
        )
    except (OSError, ValueError):
        return None


def _group(
    cpus: Sequence[int], core_of: Callable[[int], Core | None]
) -> list[list[int]]:
    """CPUs by physical core, in the order of packages; each by itself where a core is
    not known."""
    known = {cpu: core_of(cpu) for cpu in sorted(cpus)}
    groups: dict[Core, list[int]] = {}
    for cpu, core in known.items():
        groups.setdefault(core or (-1, cpu), []).append(cpu)
    return [groups[core] for core in sorted(groups)]


def _flat(groups: Sequence[Sequence[int]]) -> tuple[int, ...]:
    return tuple(sorted(cpu for group in groups for cpu in group))


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
