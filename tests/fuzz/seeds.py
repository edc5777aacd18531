"""Where the randomness comes from. The plain test run draws the same inputs each time,
so that a change is judged and not luck; `make test-fuzz` gives another seed and more
time."""

import os
import random

SEED = int(os.environ.get("SPECBENCH_FUZZ_SEED", "20261130"))
TIMES = int(os.environ.get("SPECBENCH_FUZZ_TIMES", "1"))
"""How many times as many random inputs as the plain run draws."""


def randomness(name: str) -> random.Random:
    """A source of its own for each test, so that none shifts another's inputs."""
    return random.Random(f"{SEED}/{name}")


def announce(name: str, count: int, what: str) -> None:
    """The line that a reader of `pytest -s`, or of a failure, finds."""
    print(f"fuzz seed {SEED}: {name}: {count:,} {what}")  # noqa: T201
