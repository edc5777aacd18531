"""The GPUs that a sweep names, as far as they can be told without a machine."""

import pytest

from tests.unit.planning.sweep_texts import SOUND, complaint, read, spoiled


def with_gpus(entries: str) -> str:
    return spoiled("replicates = 2", f"gpus = [{entries}]")


def test_gpus_are_named_by_number_or_uuid() -> None:
    spec = read(with_gpus('0, 3, "GPU-abc"'))
    assert spec.measure.gpus == [0, 3, "GPU-abc"]
    assert read(SOUND).measure.gpus is None


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        ("1, 0, 1", "measure.gpus[2]: 1 is there already, as measure.gpus[0]"),
        ('"MIG-1"', "measure.gpus[0]: MIG-1 is a part of a GPU (MIG), and the other"),
        ('"0"', "measure.gpus[0]: expected the number of a GPU as `nvidia-smi` lists"),
        ('""', "measure.gpus[0]: expected the number of a GPU as `nvidia-smi` lists"),
        ("-1", "measure.gpus[0]: expected a number of at least 0"),
        ("true", "measure.gpus[0]: expected a whole number"),
        ("", "measure.gpus: expected a list of at least 1 entry"),
    ],
)
def test_what_names_no_gpu_or_one_twice_is_refused(entries: str, message: str) -> None:
    assert complaint(with_gpus(entries)).startswith(f"sweeps/x.toml: {message}")
