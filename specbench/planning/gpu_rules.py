"""Rules about the GPUs that a sweep names, as far as they can be told without looking
at the machine. Pure."""

from collections.abc import Iterator

from specbench.planning.problems import Place, Problem, describe_place
from specbench.planning.wording import describe_value
from specbench.schema.sweep import Measure

PLACE: Place = ("measure", "gpus")
UUID_START = "GPU-"


def check_gpus(measure: Measure) -> Iterator[Problem]:
    """Whole GPUs, each once."""
    first: dict[int | str, int] = {}
    for i, entry in enumerate(measure.gpus or ()):
        owner = first.setdefault(entry, i)
        if owner != i:
            where = describe_place((*PLACE, owner))
            yield Problem((*PLACE, i), f"{entry} is there already, as {where}")
        elif isinstance(entry, str) and entry.startswith("MIG"):
            yield Problem(
                (*PLACE, i),
                f"{entry} is a part of a GPU (MIG), and the other parts would disturb"
                " it; expected whole GPUs",
            )
        elif isinstance(entry, str) and not entry.startswith(UUID_START):
            yield Problem(
                (*PLACE, i),
                "expected the number of a GPU as `nvidia-smi` lists it, or a UUID that"
                f' begins with "{UUID_START}", got {describe_value(entry)}',
            )
