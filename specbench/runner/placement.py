"""Decides where launches run: one after the other on the same GPUs or CPUs, or side by
side, each place with GPUs (on a machine without any: CPUs) that no other has."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from specbench.errors import InputError
from specbench.host.affinity import CpuShares, share_cpus, split_cpus
from specbench.host.gpu_choice import GPUS_KEY, find_gpu
from specbench.host.machine import read_host, usable_cpus
from specbench.planning.order import first_places
from specbench.runner.gpu_places import ONE_BY_ONE, SIDE_BY_SIDE, GpuPlaces
from specbench.schema.host import HostFacts
from specbench.schema.sweep import SweepSpec


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
    """By the target's label."""
    client_cpus: tuple[int, ...] | None
    """For the load generator; None = wherever the system likes."""
    cpu_count: int
    """CPUs that the load generator may use."""
    notes: tuple[str, ...] = ()
    """What a reader of the figures should know, one sentence each."""
    together: tuple[tuple[str, ...], ...] = ()
    """Groups of targets that run at the same time, by their labels; empty = one target
    after the other."""

    @property
    def counts(self) -> Mapping[str, int]:
        """Places of each target."""
        return {label: len(places) for label, places in self.places.items()}

    @property
    def most_places(self) -> int:
        """Launches that run at the same time."""
        return 1 + max(max(self.numbered(label)) for label in self.places)

    def numbered(self, label: str) -> Mapping[int, Place]:
        """The places of a target by the number that its launches have as `place`; no
        other target that runs at the same time has the same."""
        first = first_places(self.counts, self.together).get(label, 0)
        return dict(enumerate(self.places[label], first))


def place_sweep(
    spec: SweepSpec, arms: Mapping[str, int], source: str, *, will_launch: bool
) -> Placement:
    """Places on this machine as it is now. `arms`: how many each target has, the
    baseline counted in; `source` stands in messages. Raises InputError for what the
    machine has not got."""
    host, cpus = read_host(), usable_cpus()
    if will_launch:
        return find_placement(spec, arms, host, cpus, source)
    return place_urls(spec, host, cpus, source)


def find_placement(
    spec: SweepSpec,
    arms: Mapping[str, int],
    host: HostFacts,
    cpus: tuple[int, ...],
    source: str,
) -> Placement:
    """Places for every target, of a machine with these CPUs to use."""
    finder = GpuPlaces(spec, arms, host.gpus, len(cpus), source)
    is_side_by_side = spec.measure.placement == SIDE_BY_SIDE
    if finder.may_use_any() or (on_gpu(spec, host) and not is_side_by_side):
        found, together = finder.find()
        return Placement(
            host=host,
            places={
                label: tuple(Place(gpus, None, cpus) for gpus in shares)
                for label, shares in found.items()
            },
            client_cpus=None,
            cpu_count=len(cpus),
            notes=tuple(finder.notes),
            together=together,
        )
    if is_side_by_side:
        for target in spec.targets:
            if target.device == "gpu":
                raise finder.too_few(target)
        return _place_on_cpus(spec, host, _share_cpus(cpus, arms, source))
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
    if spec.measure.gpus is not None:
        raise InputError(
            f"{source}: {GPUS_KEY} is for engines that specbench launches, not for"
            " servers that already run",
            "leave the key out",
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


def _place_on_cpus(spec: SweepSpec, host: HostFacts, shares: CpuShares) -> Placement:
    engines = tuple(Place((), share, share) for share in shares.engines)
    return Placement(
        host=host,
        places={target.label: engines for target in spec.targets},
        client_cpus=shares.client,
        cpu_count=len(shares.client),
        notes=shares.notes,
    )


def _share_cpus(
    cpus: tuple[int, ...], arms: Mapping[str, int], source: str
) -> CpuShares:
    """Sets of CPUs for as many places as there is room for, the same for all targets:
    no more than any has arms."""
    for places in range(min(arms.values()), 1, -1):
        shares = share_cpus(cpus, places)
        if shares is not None:
            return shares
    count = len(cpus) or "an unknown number of them"
    raise InputError(
        f"{source}: measure.placement: two launches side by side need 3 CPUs,"
        " one for each engine and one for the load generator; specbench may use"
        f" {count}",
        ONE_BY_ONE,
    )
