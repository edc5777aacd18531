"""Decides which GPUs an engine gets, so that every launch of a sweep gets the same
ones and their state can be looked up. Nothing here does I/O."""

from collections.abc import Sequence
from dataclasses import dataclass

from specbench.errors import InputError
from specbench.schema.host import GpuFacts

GPUS_KEY = "measure.gpus"
ORDER = "CUDA_DEVICE_ORDER"
NVML_ORDER = "PCI_BUS_ID"
"""The order in which CUDA numbers GPUs as NVML does; left alone it puts the fastest
first (CUDA C++ Programming Guide, environment variables)."""


@dataclass(frozen=True, slots=True)
class GpuLimits:
    """Who says which of the machine's GPUs engines may use."""

    visible: str | None = None
    """CUDA_VISIBLE_DEVICES as it is already set; None = it is not."""
    named: tuple[GpuFacts, ...] | None = None
    """Those that the sweep names; None = it names none, and leaves it open."""

    @property
    def are_chosen(self) -> bool:
        """Whether somebody has chosen them, whoever computes on them."""
        return self.visible is not None or self.named is not None


def named_gpus(
    gpus: Sequence[GpuFacts], entries: Sequence[int | str] | None
) -> tuple[GpuFacts, ...] | None:
    """The GPUs that a sweep names by NVML's numbers or UUIDs; None = it names none.
    Raises InputError, naming the key, for one that is not there, for the same one named
    twice, and for one that is split into parts (MIG)."""
    if entries is None:
        return None
    found: list[GpuFacts] = []
    for i, entry in enumerate(entries):
        key = f"{GPUS_KEY}[{i}]"
        fitting = [gpu for gpu in gpus if _is_named(gpu, entry)]
        if len(fitting) != 1:
            raise InputError(
                f"{key}: {'no' if not fitting else 'more than one'} GPU of this machine"
                f" is {entry}",
                _listed(gpus),
            )
        (gpu,) = fitting
        if gpu in found:
            raise InputError(
                f"{key}: {entry} is GPU {gpu.index}, which is there already, as"
                f" {GPUS_KEY}[{found.index(gpu)}]",
                "name each GPU once",
            )
        if gpu.is_split:
            raise InputError(
                f"{key}: GPU {gpu.index} ({gpu.name}) is split into parts (MIG), which"
                " disturb one another; launches need whole GPUs",
                "name others, or have its MIG mode turned off",
            )
        found.append(gpu)
    return tuple(found)


def allowed_gpus(gpus: Sequence[GpuFacts], limits: GpuLimits) -> tuple[str, ...]:
    """Entries for CUDA_VISIBLE_DEVICES: all GPUs that engines may use, each once.

    Where the variable is already set its entries are kept as they are, in its order.
    Otherwise GPUs are named by UUID, in NVML's order, because what a number means
    depends on CUDA_DEVICE_ORDER (`check_order`). vLLM 0.32.0 understands both
    (platforms/cuda.py, device_control_id_to_physical_device_id); SGLang 0.5.23 leaves
    it to torch (srt/utils/common.py, get_device_sm). Empty: no GPU, or all are hidden.
    """
    if not gpus:
        return ()
    if limits.visible is None:
        entries = tuple(gpu.uuid or str(gpu.index) for gpu in gpus)
    else:
        entries = _visible_entries(limits.visible)
    found: dict[int | str, str] = {}
    for entry in entries:
        gpu = find_gpu(gpus, entry)
        if limits.named is None or gpu in limits.named:
            found.setdefault(entry if gpu is None else gpu.index, entry)
    return tuple(found.values())


def select_gpus(
    gpus: Sequence[GpuFacts], count: int, limits: GpuLimits, *, takes_busy: bool
) -> tuple[str, ...]:
    """`count` of the allowed GPUs, for launches one at a time: idle ones of one model,
    else idle ones, else, where `takes_busy`, the first ones; none where no GPU is
    allowed. Raises InputError when there are some, but too few."""
    allowed = allowed_gpus(gpus, limits)
    if 0 < len(allowed) < count:
        raise InputError(
            f"target.tensor_parallel = {count}, but {describe_allowed(gpus, limits)}",
            f"set target.tensor_parallel to {len(allowed)} or less",
        )
    alike = alike_gpus(gpus, allowed, count)
    for entries in (alike, whole_gpus(gpus, allowed)):
        if len(entries) >= count:
            return entries[:count]
    if allowed and not takes_busy:
        raise InputError(
            f"target.tensor_parallel = {count}, but {describe_busy(gpus, allowed)}",
            f"wait for them, or choose the GPUs to use all the same: in {GPUS_KEY}, or"
            " in CUDA_VISIBLE_DEVICES, which can also name a part of one",
        )
    return allowed[:count]


def check_order(gpus: Sequence[GpuFacts], limits: GpuLimits, order: str | None) -> None:
    """That a number means the same GPU to CUDA and to NVML; `order`: CUDA_DEVICE_ORDER
    as it is already set. Raises InputError."""
    numbers = [entry for entry in allowed_gpus(gpus, limits) if entry.isdecimal()]
    if not numbers or len(gpus) < 2 or order in {None, NVML_ORDER}:
        return
    raise InputError(
        f"CUDA_VISIBLE_DEVICES counts GPUs ({', '.join(numbers)}) while"
        f' {ORDER}="{order}" lets CUDA count them otherwise than NVML does: nobody'
        " could say which are meant",
        f"name them by UUID (nvidia-smi -L), or set {ORDER}={NVML_ORDER}",
    )


def visible_variables(entries: Sequence[str], order: str | None) -> dict[str, str]:
    """Variables that give an engine these GPUs, none where it gets none. Numbers are
    NVML's, so CUDA must count like it unless somebody has said otherwise."""
    if not entries:
        return {}
    return {
        "CUDA_VISIBLE_DEVICES": ",".join(entries),
        ORDER: NVML_ORDER if order is None else order,
    }


def describe_unlisted(gpus: Sequence[GpuFacts], entries: Sequence[str]) -> str:
    """Which GPUs of the entries do not tell who computes on them; empty = all do."""
    named = [gpu for entry in entries if (gpu := find_gpu(gpus, entry))]
    which = ", ".join(str(gpu.index) for gpu in named if gpu.processes is None)
    return f"nobody can say whether others compute on GPU {which}" if which else ""


def describe_busy(gpus: Sequence[GpuFacts], entries: Sequence[str]) -> str:
    """Which GPUs of the entries are not idle and whole; empty = all are."""
    named = [gpu for entry in entries if (gpu := find_gpu(gpus, entry))]
    kinds = {
        "processes compute on GPU": [gpu.index for gpu in named if gpu.processes],
        "split into parts (MIG) is GPU": [gpu.index for gpu in named if gpu.is_split],
    }
    return "; ".join(
        f"{words} {', '.join(map(str, which))}"
        for words, which in kinds.items()
        if which
    )


def describe_allowed(gpus: Sequence[GpuFacts], limits: GpuLimits) -> str:
    """How many GPUs there are, and who says so."""
    number = len(allowed_gpus(gpus, limits))
    who = []
    if limits.visible is not None:
        who.append(f'CUDA_VISIBLE_DEVICES="{limits.visible}"')
    if limits.named is not None:
        who.append(GPUS_KEY)
    said = f"{' and '.join(who)} leave{'s' if len(who) == 1 else ''}"
    where = said if who and gpus else "this machine has"
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


def alike_gpus(
    gpus: Sequence[GpuFacts],
    entries: Sequence[str],
    at_least: int = 1,
    *,
    takes_busy: bool = False,
) -> tuple[str, ...]:
    """Those of the entries that can stand for one another: whole GPUs of one model, the
    first of which there are `at_least` so many; none where there is no such model."""
    models: dict[str, list[str]] = {}
    for entry in whole_gpus(gpus, entries, takes_busy=takes_busy):
        if gpu := find_gpu(gpus, entry):
            models.setdefault(gpu.name, []).append(entry)
    return next((tuple(e) for e in models.values() if len(e) >= at_least), ())


def whole_gpus(
    gpus: Sequence[GpuFacts], entries: Sequence[str], *, takes_busy: bool = False
) -> tuple[str, ...]:
    """Those of the entries that name GPUs that are not split, each once; without
    `takes_busy` only those on which nobody computes, as far as anybody can say."""
    found: dict[int, str] = {}
    for entry in entries:
        gpu = find_gpu(gpus, entry)
        if gpu is None or gpu.is_split or (gpu.processes and not takes_busy):
            continue
        found.setdefault(gpu.index, entry)
    return tuple(found.values())


def without_gpus(
    gpus: Sequence[GpuFacts], entries: Sequence[str], taken: Sequence[str]
) -> tuple[str, ...]:
    """The entries that name none of the GPUs of `taken`, whatever those are called
    there."""
    used = [find_gpu(gpus, entry) for entry in taken]
    return tuple(e for e in entries if e not in taken and find_gpu(gpus, e) not in used)


def _is_named(gpu: GpuFacts, entry: int | str) -> bool:
    if isinstance(entry, int):
        return gpu.index == entry
    return bool(entry) and gpu.uuid.startswith(entry)


def _listed(gpus: Sequence[GpuFacts]) -> str:
    if not gpus:
        return "this machine has no GPU that NVML lists; leave the key out"
    each = ", ".join(f"{gpu.index} ({gpu.name}, {gpu.uuid})" for gpu in gpus)
    return f"NVML lists {each}"


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
