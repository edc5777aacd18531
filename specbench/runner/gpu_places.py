"""Which GPUs the launches of each target get, and which targets run at the same time:
no GPU ever serves two launches at once, and those of a target are alike."""

import os
from collections.abc import Mapping, Sequence

from specbench.errors import InputError
from specbench.host.gpu_choice import (
    GPUS_KEY,
    ORDER,
    GpuLimits,
    alike_gpus,
    allowed_gpus,
    check_order,
    describe_allowed,
    describe_busy,
    describe_unlisted,
    named_gpus,
    select_gpus,
    share_gpus,
    without_gpus,
)
from specbench.schema.host import GpuFacts
from specbench.schema.sweep import SweepSpec, Target

SIDE_BY_SIDE = "side-by-side"
ONE_BY_ONE = 'set measure.placement to "sequential": launches then follow one another'
NEEDS_NO_GPU = frozenset({"sim"})
"""Engines that leave the GPUs alone, whatever the machine has."""
CPUS_A_PLACE = 2
"""Where nobody has asked for it, targets run at the same time only where each launch
has so many CPUs: one for its engine, one for its load."""

Shares = tuple[tuple[str, ...], ...]
"""GPUs of each place of a target, as entries of CUDA_VISIBLE_DEVICES."""


class GpuPlaces:
    """Finds the places of one target after another."""

    def __init__(
        self,
        spec: SweepSpec,
        arms: Mapping[str, int],
        gpus: Sequence[GpuFacts],
        cpu_count: int,
        source: str,
    ) -> None:
        """`arms`: how many each target has, the baseline counted in. Raises InputError
        for GPUs that the sweep names and the machine has not got."""
        self._spec = spec
        self._arms = arms
        self._gpus = gpus
        self._cpu_count = cpu_count
        self._source = source
        self.notes: dict[str, None] = {}
        try:
            self._named = named_gpus(gpus, spec.measure.gpus)
        except InputError as error:
            raise InputError(f"{source}: {error.message}", error.hint) from error

    def may_use_any(self) -> bool:
        """Whether some target computes on GPUs."""
        return any(self.allowed(target) for target in self._spec.targets)

    def allowed(self, target: Target) -> tuple[str, ...]:
        """GPUs that the engine may use; none where it computes on the CPU."""
        if target.device == "cpu":
            return ()
        limits = self._limits(target)
        allowed = allowed_gpus(self._gpus, limits)
        order = {**os.environ, **target.env}.get(ORDER)
        try:
            check_order(self._gpus, limits, order)
        except InputError as error:
            where = f"{self._source}: {target.label}"
            raise InputError(f"{where}: {error.message}", error.hint) from error
        if limits.named is not None and not allowed:
            raise InputError(
                f"{self._source}: {GPUS_KEY}: {target.label} may use none of them:"
                f" {describe_allowed(self._gpus, limits)}",
                "name GPUs that CUDA_VISIBLE_DEVICES leaves, or take that variable out"
                f" of {target.label}'s environment",
            )
        return allowed

    def find(self) -> tuple[dict[str, Shares], tuple[tuple[str, ...], ...]]:
        """Of each target its places, one without GPUs where it computes on the CPU; and
        the groups of targets that run at the same time."""
        shares: dict[str, Shares] = {}
        groups: list[list[str]] = []
        is_open = False
        for target in self._spec.targets:
            label = target.label
            can_join = self._can_join(target)
            others = [shares[other] for other in groups[-1]] if is_open else []
            beside = self._beside(target, others) if can_join and others else ()
            shares[label] = beside or self._alone(target)
            if beside:
                groups[-1].append(label)
            else:
                groups.append([label])
            is_open = can_join
            self._tell_busy(target, shares[label])
        self._tell_groups(groups)
        return shares, tuple(map(tuple, groups))

    def too_few(self, target: Target) -> InputError:
        """That launches of the target cannot run side by side."""
        count = target.tensor_parallel
        has = describe_allowed(self._gpus, self._limits(target))
        return InputError(
            f"{self._source}: measure.placement: two launches of {target.label} side by"
            f" side need {2 * count} GPUs (target.tensor_parallel = {count}), and"
            f" {has}",
            ONE_BY_ONE,
        )

    def _alone(self, target: Target) -> Shares:
        """What it gets where no other target runs."""
        allowed = self.allowed(target)
        asked = self._spec.measure.placement
        if not allowed and asked == SIDE_BY_SIDE:
            raise InputError(
                f"{self._source}: measure.placement: {target.label} computes on the"
                " CPU and another target on GPUs; only targets of one kind run side by"
                " side",
                ONE_BY_ONE,
            )
        places, count = self._places(target), target.tensor_parallel
        if places > 1:
            return share_gpus(self._alike(target, places), count, places)
        if asked == SIDE_BY_SIDE:
            return self._unlike(target, allowed)
        limits = self._limits(target)
        takes_busy = limits.are_chosen or target.engine in NEEDS_NO_GPU
        try:
            return (select_gpus(self._gpus, count, limits, takes_busy=takes_busy),)
        except InputError as error:
            where = f"{self._source}: {target.label}"
            raise InputError(f"{where}: {error.message}", error.hint) from error

    def _unlike(self, target: Target, allowed: tuple[str, ...]) -> Shares:
        """As many places as there are GPUs for, whatever they are."""
        count = target.tensor_parallel
        places = min(self._arms[target.label], len(allowed) // count)
        if places < 2:
            raise self.too_few(target)
        self.notes[
            f"{target.label}: the GPUs of its places differ, or others compute on them"
        ] = None
        return share_gpus(allowed, count, places)

    def _beside(self, target: Target, others: Sequence[Shares]) -> Shares:
        """As many places as it has alone, of the same kind of GPU, on GPUs that the
        others leave free; none where there are not enough of them."""
        places, count = self._places(target), target.tensor_parallel
        asked = self._spec.measure.placement
        if asked == SIDE_BY_SIDE and places < 2:
            return ()
        if asked == "auto" and not self._has_cpus(sum(map(len, others)) + places):
            return ()
        taken = [entry for shares in others for place in shares for entry in place]
        left = without_gpus(self._gpus, self._alike(target, places), taken)
        return share_gpus(left, count, places) if len(left) >= places * count else ()

    def _places(self, target: Target) -> int:
        """How many it has alone, on GPUs that are alike: one for each arm, or, as far
        as that is asked for, as many as there are GPUs for; else 1."""
        arms = self._arms[target.label]
        match self._spec.measure.placement:
            case "auto" if self._is_placed(target) and self._alike(target, arms):
                return arms
            case "side-by-side":
                fitting = range(arms, 1, -1)
                return next((n for n in fitting if self._alike(target, n)), 1)
        return 1

    def _alike(self, target: Target, places: int) -> tuple[str, ...]:
        """GPUs of one model, enough for so many places, else none: idle ones, or such
        as the sweep names."""
        allowed, needed = self.allowed(target), places * target.tensor_parallel
        idle = alike_gpus(self._gpus, allowed, needed)
        if idle or self._named is None:
            return idle
        return alike_gpus(self._gpus, allowed, needed, takes_busy=True)

    def _is_placed(self, target: Target) -> bool:
        """Whether GPUs are given to its launches side by side without being asked."""
        return target.port is None and target.engine not in NEEDS_NO_GPU

    def _can_join(self, target: Target) -> bool:
        """Whether other targets may run at the same time. A search goes through one
        target after the other: its budget is machine time."""
        measure, search = self._spec.measure, self._spec.search
        if search.mode == "adaptive" or not self.allowed(target):
            return False
        if measure.placement == "auto":
            return self._is_placed(target)
        return measure.placement == SIDE_BY_SIDE

    def _has_cpus(self, places: int) -> bool:
        """Also where nobody knows how many there are."""
        return not self._cpu_count or self._cpu_count >= CPUS_A_PLACE * places

    def _limits(self, target: Target) -> GpuLimits:
        visible = {**os.environ, **target.env}.get("CUDA_VISIBLE_DEVICES")
        return GpuLimits(visible, self._named)

    def _tell_busy(self, target: Target, shares: Shares) -> None:
        if target.engine in NEEDS_NO_GPU:
            return
        entries = [entry for place in shares for entry in place]
        for describe in (describe_busy, describe_unlisted):
            if said := describe(self._gpus, entries):
                self.notes[f"{target.label}: {said}, where its launches run"] = None

    def _tell_groups(self, groups: Sequence[Sequence[str]]) -> None:
        for group in groups:
            if len(group) > 1:
                self.notes[
                    f"{' and '.join(group)} are measured at the same time, each on GPUs"
                    " of its own"
                ] = None
