"""What this machine knows of a sweep's memory before anything starts: the models' files
and configs, the GPUs."""

import math
from collections.abc import Mapping

from specbench.engines.drafters import drafter_model
from specbench.host.model_weights import weights_bytes
from specbench.planning.memory import (
    MemoryPlan,
    ModelSize,
    Room,
    kept_dtype,
    plan_memory,
)
from specbench.runner.drafters import CONFIG, read_config
from specbench.runner.placement import Place, Placement, with_gpus
from specbench.schema.host import HostFacts
from specbench.schema.sweep import SweepSpec, Target
from specbench.theory.kv_memory import KvMemory, kv_memory
from specbench.units import BYTES_PER_GIB
from specbench.workload.model_files import find_model_file

CPU_CACHE = "VLLM_CPU_KVCACHE_SPACE"
"""GiB of KV cache of vLLM on a CPU."""


def sweep_memory(
    spec: SweepSpec, placement: Placement, environ: Mapping[str, str]
) -> tuple[MemoryPlan, ...]:
    """Of each target; an A/A run has the same baseline, and its drafters are left
    unused."""
    return tuple(_of_target(spec, t, placement, environ) for t in spec.targets)


def _of_target(
    spec: SweepSpec, target: Target, placement: Placement, environ: Mapping[str, str]
) -> MemoryPlan:
    env = {**environ, **target.env}
    drafters = {
        arm.name: model_size(model, None, env)
        for arm in spec.arms
        if arm.is_for(target.label)
        and (model := drafter_model(arm.speculative)) is not None
    }
    place = placement.places[target.label][0]
    return plan_memory(
        spec,
        target,
        model_size(target.model, kept_dtype(target), env),
        drafters,
        find_room(target, place, placement.host, env),
    )


def model_size(model: str, dtype: str | None, environ: Mapping[str, str]) -> ModelSize:
    """From its files, where they are on this machine."""
    file = find_model_file(model, CONFIG, environ)
    if file is None:
        why = f"no {CONFIG} of {model} on this machine"
        return ModelSize(model, None, KvMemory(None, why))
    kv = kv_memory(read_config(model, environ), dtype)
    return ModelSize(model, weights_bytes(file.parent), kv)


def find_room(
    target: Target, place: Place, host: HostFacts, env: Mapping[str, str]
) -> Room:
    """Memory of the engine's GPUs, or what vLLM is told to take on a CPU."""
    if place.gpus:
        return _gpu_room(place, host)
    if target.engine != "vllm":
        return Room(None, f"what {target.engine} takes on a CPU is not known")
    given = env.get(CPU_CACHE, "")
    try:
        size = float(given)
    except ValueError:
        size = 0.0
    if not 0 < size < math.inf:
        return Room(None, f"{CPU_CACHE} is not set, and vLLM chooses by itself")
    return Room(int(size * BYTES_PER_GIB), f"{CPU_CACHE} = {given}", is_for_cache=True)


def _gpu_room(place: Place, host: HostFacts) -> Room:
    gpus = with_gpus(host, place.gpus).gpus
    sizes = [g.memory_total_bytes for g in gpus if g.memory_total_bytes is not None]
    if len(sizes) < len(place.gpus):
        return Room(None, f"NVML does not tell the memory of {', '.join(place.gpus)}")
    names = ", ".join(dict.fromkeys(gpu.name for gpu in gpus))
    return Room(sum(sizes), f"{len(gpus)}x {names}")
