"""Where the engines and the model of these tests lie; environment variables point the
tests at others."""

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
VLLM = Path(os.environ.get("SPECBENCH_VLLM", ROOT / ".venv-vllm/bin/vllm"))
SGLANG = Path(os.environ.get("SPECBENCH_SGLANG", ROOT / ".venv-sglang/bin/python"))
MODEL = Path(os.environ.get("SPECBENCH_MODEL", ROOT / "models/smollm2-135m"))


def need(*paths: Path) -> None:
    """A missing engine fails the test: a skipped check would look like a passed one."""
    for path in paths:
        if not path.exists():
            pytest.fail(
                f"{path} is missing: make engine-vllm-cpu engine-sglang-cpu"
                " model-smollm2"
            )
