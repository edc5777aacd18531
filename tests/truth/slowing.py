"""A client that is slowed on purpose."""

import os
from pathlib import Path

SLOWED = Path(__file__).with_name("slowed")


def slow_client(pause_s: str) -> dict[str, str]:
    """The environment of a run whose load processes lose the interpreter for 30 ms
    again and again, with so many seconds between."""
    path = [str(SLOWED), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(path),
        "SPECBENCH_TEST_PAUSE_S": pause_s,
    }
