"""What the largest cell of a sweep needs of memory, and which conditions by that cannot
fit. Pure; sizes of files, configs and the machine come in. Unknown stays unknown."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from specbench.planning.capacity import cannot_fit
from specbench.planning.engine_args import find_option
from specbench.planning.expand import admission_caps
from specbench.schema.cell import Condition
from specbench.schema.context import PlannedOut
from specbench.schema.sweep import SweepSpec, Target
from specbench.search.grid import grid_conditions
from specbench.theory.kv_memory import KvMemory

KV_DTYPE = "kv-cache-dtype"
DTYPE = "dtype"
GPU_SHARE = "gpu-memory-utilization"


@dataclass(frozen=True, slots=True)
class ModelSize:
    """A target or draft model."""

    name: str
    weights_bytes: int | None
    """On disk; None = its files are not on this machine."""
    kv: KvMemory


@dataclass(frozen=True, slots=True)
class Room:
    """Memory that an engine has."""

    total_bytes: int | None
    words: str
    """Of what, or why it is not known."""
    is_for_cache: bool = False
    """Whether all of it is for the KV cache."""


@dataclass(frozen=True, slots=True)
class CellNeed:
    """KV cache of the cell that needs the most, when all its requests are about to
    end."""

    condition: Condition
    sequences: int
    """At most, of an open loop, which has no number of its own."""
    tokens: int
    is_at_least: bool
    """Whether prompts of unknown length come on top."""
    bytes: int | None


@dataclass(frozen=True, slots=True)
class MemoryPlan:
    """Memory of one target."""

    target: str
    model: ModelSize
    drafters: Mapping[str, ModelSize]
    """By arm; of those that have weights of their own."""
    room: Room
    gpu_share: float | None
    """Of the GPU memory, that the engine is told to use; None = it is not told."""
    largest: CellNeed
    capacity_tokens: int | None
    """Of the baseline's KV cache, at most; None = not known."""
    misfits: tuple[PlannedOut, ...]
    """What by this reckoning no arm can serve."""


def kept_dtype(target: Target) -> str | None:
    """In what the engine is told to keep keys and values; None = as the model's config
    says."""
    for option in (KV_DTYPE, DTYPE):
        key = find_option(target.args, option)
        if key is not None and str(target.args[key]) != "auto":
            return str(target.args[key])
    return None


def plan_memory(
    spec: SweepSpec,
    target: Target,
    model: ModelSize,
    drafters: Mapping[str, ModelSize],
    room: Room,
) -> MemoryPlan:
    """Of one target of the sweep."""
    capacity = _capacity(target, model, room)
    return MemoryPlan(
        target=target.label,
        model=model,
        drafters=drafters,
        room=room,
        gpu_share=gpu_share(target),
        largest=_largest(spec, target, model.kv),
        capacity_tokens=capacity,
        misfits=tuple(_misfits(spec, target, capacity)),
    )


def _largest(spec: SweepSpec, target: Target, kv: KvMemory) -> CellNeed:
    needs = [
        _need(spec, target, condition, kv)
        for condition in grid_conditions(target.label, spec.workload, spec.load)
    ]
    return max(needs, key=lambda need: need.tokens)


def _need(
    spec: SweepSpec, target: Target, condition: Condition, kv: KvMemory
) -> CellNeed:
    sequences = condition.concurrency
    if condition.is_open:
        sequences = admission_caps(target, spec.load).max_num_seqs
    tokens = sequences * (condition.context + spec.workload.max_tokens)
    return CellNeed(
        condition=condition,
        sequences=sequences,
        tokens=tokens,
        is_at_least=condition.context == 0,
        bytes=None if kv.bytes_per_token is None else tokens * kv.bytes_per_token,
    )


def _capacity(target: Target, model: ModelSize, room: Room) -> int | None:
    """What is left for the cache. At most: an engine also keeps room for the step that
    it computes."""
    per_token = model.kv.bytes_per_token
    if room.total_bytes is None or per_token is None:
        return None
    if room.is_for_cache:
        return room.total_bytes // per_token
    if model.weights_bytes is None:
        return None
    usable = room.total_bytes * (gpu_share(target) or 1.0) - model.weights_bytes
    return max(0, int(usable // per_token))


def gpu_share(target: Target) -> float | None:
    """What the engine is told to use of the GPU memory; None = it is not told, or in
    no number that makes sense."""
    key = find_option(target.args, GPU_SHARE)
    if key is None:
        return None
    try:
        share = float(target.args[key])
    except ValueError:
        return None
    return share if 0 < share <= 1 else None


def _misfits(
    spec: SweepSpec, target: Target, capacity: int | None
) -> Iterator[PlannedOut]:
    for condition in grid_conditions(target.label, spec.workload, spec.load):
        why = cannot_fit(condition, spec.workload.max_tokens, capacity)
        if why is not None:
            yield PlannedOut(condition, why)
