"""The kernels that stand in for SGLang's, tried by the Python that serves with them."""

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SGLANG = Path(os.environ.get("SPECBENCH_SGLANG", ROOT / ".venv-sglang/bin/python"))
SCRIPT = Path(__file__).parent / "sglang_cpu" / "try_kernels.py"

pytestmark = pytest.mark.engine


def test_trees_attention_and_verification_are_right() -> None:
    if not SGLANG.exists():
        pytest.fail(f"{SGLANG} is missing: make engine-sglang-cpu")
    done = subprocess.run(
        [SGLANG, SCRIPT], capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "200 trees\n"
