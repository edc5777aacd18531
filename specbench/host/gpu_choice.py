"""Decides which GPUs an engine gets, so that every launch of a sweep gets the same
ones and their state can be looked up. Nothing here does I/O."""

from collections.abc import Sequence

from specbench.errors import InputError
from specbench.schema.host import GpuFacts


def select_gpus(
    gpus: Sequence[GpuFacts], count: int, visible: str | None
) -> tuple[str, ...]:
    """Entries for the engine's CUDA_VISIBLE_DEVICES: the first `count` GPUs.

    `visible` is the variable as it is already set (None: it is not); its entries are
    kept as they are. Otherwise GPUs are named by UUID, because what an index means
    depends on CUDA_DEVICE_ORDER; vLLM 0.32.0 understands both (platforms/cuda.py,
    device_control_id_to_physical_device_id). Empty: no GPU, or all are hidden.
    Raises InputError when there are some, but fewer than `count`.
    """
    if not gpus:
        return ()
    if visible is None:
        allowed = tuple(gpu.uuid or str(gpu.index) for gpu in gpus)
        where = "this machine has"
    else:
        allowed = _visible_entries(visible)
        where = f'CUDA_VISIBLE_DEVICES="{visible}" leaves'
    if not allowed:
        return ()
    if len(allowed) < count:
        raise InputError(
            f"target.tensor_parallel = {count}, but {where} {len(allowed)}"
            f" GPU{'' if len(allowed) == 1 else 's'}",
            f"set target.tensor_parallel to {len(allowed)} or less",
        )
    return allowed[:count]


def _visible_entries(visible: str) -> tuple[str, ...]:
    """CUDA takes the list up to the first entry that is no device, such as -1 (CUDA C++
    Programming Guide, environment variables)."""
    entries: list[str] = []
    for entry in visible.split(","):
        name = entry.strip()
        if not name or name.startswith("-"):
            break
        entries.append(name)
    return tuple(entries)
