"""The kernels that stand in for SGLang's, tried by the Python that serves with them."""

import subprocess
from pathlib import Path

import pytest

from tests.engine.places import SGLANG, need

SCRIPT = Path(__file__).parent / "sglang_cpu" / "try_kernels.py"

pytestmark = pytest.mark.engine


def test_trees_attention_and_verification_are_right() -> None:
    need(SGLANG)
    done = subprocess.run(
        [SGLANG, SCRIPT], capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "200 trees\n"
