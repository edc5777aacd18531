"""Decides which GPUs an engine gets, so that every launch of a sweep gets the same
ones and their state can be looked up. Nothing here does I/O."""

from collections.abc import Sequence

from specbench.errors import InputError
from specbench.schema.host import GpuFacts


def allowed_gpus(gpus: Sequence[GpuFacts], visible: str | None) -> tuple[str, ...]:
    """Entries for CUDA_VISIBLE_DEVICES: all GPUs that engines may use.

    `visible` is the variable as it is already set (None: it is not); its entries are
    kept as they are. Otherwise GPUs are named by UUID, because what an index means
    depends on CUDA_DEVICE_ORDER; vLLM 0.32.0 understands both (platforms/cuda.py,
    device_control_id_to_physical_device_id). Empty: no GPU, or all are hidden.
    """
    if not gpus:
        return ()
    if visible is None:
        return tuple(gpu.uuid or str(gpu.index) for gpu in gpus)
    return _visible_entries(visible)


def select_gpus(
    gpus: Sequence[GpuFacts], count: int, visible: str | None
) -> tuple[str, ...]:
    """The first `count` of the allowed GPUs, for launches one at a time. Raises
    InputError when there are some, but fewer than `count`."""
    allowed = allowed_gpus(gpus, visible)
    if 0 < len(allowed) < count:
        raise InputError(
            f"target.tensor_parallel = {count}, but {describe_allowed(gpus, visible)}",
            f"set target.tensor_parallel to {len(allowed)} or less",
        )
    return allowed[:count]


def describe_allowed(gpus: Sequence[GpuFacts], visible: str | None) -> str:
    """How many GPUs there are, and who says so."""
    number = len(allowed_gpus(gpus, visible))
    where = (
        "this machine has"
        if visible is None or not gpus
        else f'CUDA_VISIBLE_DEVICES="{visible}" leaves'
    )
    return f"{where} {number or 'no'} GPU{'' if number == 1 else 's'}"


def share_gpus(
    entries: Sequence[str], count: int, places: int
) -> tuple[tuple[str, ...], ...]:
    """`count` GPUs for each of the places, none for two of them."""
    return tuple(
        tuple(entries[place * count : (place + 1) * count]) for place in range(places)
    )


def find_gpu(gpus: Sequence[GpuFacts], entry: str) -> GpuFacts | None:
    """The GPU that an entry names: by its number, its UUID, or the UUID's beginning.
    None where no whole GPU is meant, as with a MIG instance."""
    for gpu in gpus:
        if entry == str(gpu.index) or (entry and gpu.uuid.startswith(entry)):
            return gpu
    return None


def alike_and_idle(gpus: Sequence[GpuFacts], entries: Sequence[str]) -> tuple[str, ...]:
    """Those of the entries that can stand for one another: GPUs of the first one's
    model on which nobody computes, each once."""
    found: dict[int, str] = {}
    model: str | None = None
    for entry in entries:
        gpu = find_gpu(gpus, entry)
        if gpu is None or gpu.processes:
            continue
        model = model or gpu.name
        if gpu.name == model:
            found.setdefault(gpu.index, entry)
    return tuple(found.values())


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
