"""A sound sweep file and ways to spoil it."""

import pytest

from specbench.errors import InputError
from specbench.planning.read_sweep import parse_sweep
from specbench.schema.sweep import SweepSpec

ENGINES = ("vllm", "sim")

SOUND = """
[target]
model = "org/Some-Model-8B"
engine = "vllm"
executable = ".venv-vllm/bin/vllm"
args = { max-model-len = 4096 }

[[arms]]
name = "ngram-k3"
speculative = { method = "ngram", num_speculative_tokens = 3 }

[workload]
datasets = ["mt-bench-style"]
max_tokens = 256

[load]
concurrency = [1, 4, 16]

[measure]
replicates = 2
"""

TWO_TARGETS = """
[[targets]]
model = "org/small"
engine = "sim"

[[targets]]
model = "org/large"
engine = "sim"

[[arms]]
name = "k3"
speculative = { method = "ngram" }

[workload]
datasets = ["mt-bench-style"]

[load]
concurrency = [1, 2]
"""


def spoiled(old: str, new: str, text: str = SOUND) -> str:
    assert old in text
    return text.replace(old, new)


def read(text: str, *overrides: str) -> SweepSpec:
    return parse_sweep(text, "sweeps/x.toml", overrides, ENGINES)


def complaint(text: str, *overrides: str) -> str:
    """What is said of a file that is not sound."""
    with pytest.raises(InputError) as caught:
        read(text, *overrides)
    return caught.value.message
