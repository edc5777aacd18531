"""Decides where launches run: one after the other on the same GPUs or CPUs, or side by
side, each place with GPUs (on a machine without any: CPUs) that no other has."""

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from specbench.errors import InputError
from specbench.host.affinity import CpuShares, share_cpus, split_cpus
from specbench.host.gpu_choice import (
    alike_and_idle,
    allowed_gpus,
    describe_allowed,
    find_gpu,
    select_gpus,
    share_gpus,
)
from specbench.host.machine import read_host, usable_cpus
from specbench.schema.host import HostFacts
from specbench.schema.sweep import SweepSpec, Target

SIDE_BY_SIDE = "side-by-side"
NEEDS_NO_GPU = frozenset({"sim"})
"""Engines that leave the GPUs alone, whatever the machine has."""
ONE_BY_ONE = 'set measure.placement to "sequential": launches then follow one another'


@dataclass(frozen=True, slots=True)
class Place:
    """What one launch at a time has for itself."""

    gpus: tuple[str, ...] = ()
    """Entries of CUDA_VISIBLE_DEVICES; empty = the engine computes on the CPU."""
    engine_cpus: tuple[int, ...] | None = None
    """CPUs for the engine's computing; None = it computes on GPUs, or they are not
    split."""
    usable_cpus: tuple[int, ...] = ()
    """CPUs that the engine's processes may use at all; empty = whichever."""


@dataclass(frozen=True, slots=True)
class Placement:
    """Where all launches of a sweep run."""

    host: HostFacts
    """The machine on which that was decided."""
    places: Mapping[str, tuple[Place, ...]]
    """By the target's label; a launch's `place` is a position here."""
    client_cpus: tuple[int, ...] | None
    """For the load generator; None = wherever the system likes."""
    cpu_count: int
    """CPUs that the load generator may use."""
    notes: tuple[str, ...] = ()
    """What a reader of the figures should know, one sentence each."""

    @property
    def counts(self) -> Mapping[str, int]:
        """Places of each target."""
        return {label: len(places) for label, places in self.places.items()}

    @property
    def most_places(self) -> int:
        """Launches that run at the same time."""
        return max(self.counts.values())


def place_sweep(
    spec: SweepSpec, arms: int, source: str, *, will_launch: bool
) -> Placement:
    """Places on this machine as it is now. `arms` counts the baseline in; `source`
    stands in messages. Raises InputError for what the machine has not got."""
    host, cpus = read_host(), usable_cpus()
    if will_launch:
        return find_placement(spec, arms, host, cpus, source)
    return place_urls(spec, host, cpus, source)


def find_placement(
    spec: SweepSpec,
    arms: int,
    host: HostFacts,
    cpus: tuple[int, ...],
    source: str,
) -> Placement:
    """Places for every target, of a machine with these CPUs to use."""
    finder = _Finder(spec, arms, host, cpus, source)
    is_side_by_side = spec.measure.placement == SIDE_BY_SIDE
    if finder.has_gpu or (on_gpu(spec, host) and not is_side_by_side):
        places = {target.label: finder.find(target) for target in spec.targets}
        return Placement(host, places, None, len(cpus), tuple(finder.notes))
    if is_side_by_side:
        shares = finder.share_cpus()
        engines = tuple(Place((), share, share) for share in shares.engines)
        return Placement(
            host=host,
            places={target.label: engines for target in spec.targets},
            client_cpus=shares.client,
            cpu_count=len(shares.client),
            notes=shares.notes,
        )
    split = split_cpus(cpus, has_gpu=False)
    place = Place((), split.engine, cpus)
    return Placement(
        host=host,
        places={target.label: (place,) for target in spec.targets},
        client_cpus=split.client,
        cpu_count=len(split.client or cpus),
        notes=(split.note,) if split.note else (),
    )


def place_urls(
    spec: SweepSpec, host: HostFacts, cpus: tuple[int, ...], source: str
) -> Placement:
    """Servers that already run: one place, and nothing to choose. Raises InputError
    where the sweep asks for more."""
    if spec.measure.placement == SIDE_BY_SIDE:
        raise InputError(
            f'{source}: measure.placement = "side-by-side" is for engines that'
            " specbench launches, not for servers that already run",
            ONE_BY_ONE,
        )
    one = {target.label: (Place(),) for target in spec.targets}
    return Placement(host, one, None, len(cpus))


def on_gpu(spec: SweepSpec, host: HostFacts) -> bool:
    """Whether any engine of the sweep computes on GPUs of this machine."""
    return bool(host.gpus) and any(t.device != "cpu" for t in spec.targets)


def with_gpus(host: HostFacts, entries: Iterable[str]) -> HostFacts:
    """The machine with those of its GPUs only that the entries name."""
    named = {gpu.index: gpu for e in entries if (gpu := find_gpu(host.gpus, e))}
    return replace(host, gpus=tuple(named[index] for index in sorted(named)))


def _visible(target: Target) -> str | None:
    return {**os.environ, **target.env}.get("CUDA_VISIBLE_DEVICES")


class _Finder:
    """Finds the places of one target after another."""

    def __init__(
        self,
        spec: SweepSpec,
        arms: int,
        host: HostFacts,
        cpus: tuple[int, ...],
        source: str,
    ) -> None:
        self._spec = spec
        self._arms = arms
        self._host = host
        self._cpus = cpus
        self._source = source
        self.notes: list[str] = []
        self.has_gpu = any(self._allowed(target) for target in spec.targets)

    def find(self, target: Target) -> tuple[Place, ...]:
        """In a sweep of which some target computes on GPUs."""
        allowed = self._allowed(target)
        if allowed and self._spec.measure.placement != "sequential":
            shares = self._share_gpus(target, allowed)
            if len(shares) > 1:
                return tuple(Place(share, None, self._cpus) for share in shares)
        elif not allowed and self._spec.measure.placement == SIDE_BY_SIDE:
            raise InputError(
                f"{self._source}: measure.placement: {target.label} computes on the"
                " CPU and another target on GPUs; only targets of one kind run side by"
                " side",
                ONE_BY_ONE,
            )
        if not allowed:
            return (Place((), None, self._cpus),)
        first = select_gpus(self._host.gpus, target.tensor_parallel, _visible(target))
        return (Place(first, None, self._cpus),)

    def share_cpus(self) -> CpuShares:
        """Sets of CPUs for as many places as there is room for."""
        for target in self._spec.targets:
            if target.device == "gpu":
                raise self._too_few_gpus(target)
        for places in range(self._arms, 1, -1):
            shares = share_cpus(self._cpus, places)
            if shares is not None:
                return shares
        count = len(self._cpus) or "an unknown number of them"
        raise InputError(
            f"{self._source}: measure.placement: two launches side by side need 3 CPUs,"
            " one for each engine and one for the load generator; specbench may use"
            f" {count}",
            ONE_BY_ONE,
        )

    def _share_gpus(
        self, target: Target, allowed: tuple[str, ...]
    ) -> tuple[tuple[str, ...], ...]:
        """Sets of GPUs for the places; fewer than two where that is not possible, and
        nobody has asked for it."""
        count = target.tensor_parallel
        alike = alike_and_idle(self._host.gpus, allowed)
        if self._spec.measure.placement == "auto":
            is_possible = (
                target.port is None
                and target.engine not in NEEDS_NO_GPU
                and len(alike) >= self._arms * count
            )
            return share_gpus(alike, count, self._arms if is_possible else 1)
        entries = alike if len(alike) >= 2 * count else allowed
        places = min(self._arms, len(entries) // count)
        if places < 2:
            raise self._too_few_gpus(target)
        if entries is not alike:
            self.notes.append(
                f"{target.label}: the GPUs of its places differ, or others compute on"
                " them"
            )
        return share_gpus(entries, count, places)

    def _allowed(self, target: Target) -> tuple[str, ...]:
        """GPUs that the engine may use; none where it computes on the CPU."""
        if target.device == "cpu":
            return ()
        return allowed_gpus(self._host.gpus, _visible(target))

    def _too_few_gpus(self, target: Target) -> InputError:
        count = target.tensor_parallel
        has = describe_allowed(self._host.gpus, _visible(target))
        return InputError(
            f"{self._source}: measure.placement: two launches of {target.label} side by"
            f" side need {2 * count} GPUs (target.tensor_parallel = {count}), and"
            f" {has}",
            ONE_BY_ONE,
        )
