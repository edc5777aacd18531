"""Install vLLM for NVIDIA GPUs into an environment of its own.

A plain pip install of the pinned release with all its dependencies. It installs on a
machine without a GPU as well; the check at the end only asks the command for its
version. Serving needs a driver that knows CUDA 13 (`nvidia-smi` shows the version).
"""

from __future__ import annotations

import sys
from pathlib import Path

import engine_venv
from pip_command import pip, report

VERSION = "0.32.0"
HERE = Path(__file__).resolve().parent
REQUIREMENTS = HERE / "vllm-cuda.txt"


def fill(venv: Path) -> None:
    report("installing vLLM and all that it needs (most of the time goes here)")
    python = engine_venv.python_of(venv)
    pip(python, "install", "--requirement", str(REQUIREMENTS))
    engine_venv.expect_version(venv, "vllm", VERSION)


RECIPE = engine_venv.Recipe(
    title=f"vLLM {VERSION} (CUDA)",
    version=1,
    requirements=REQUIREMENTS,
    usual_time="5 to 20 minutes, several GB to fetch",
    fill=fill,
)

if __name__ == "__main__":
    sys.exit(engine_venv.main(RECIPE, HERE.parent / ".venv-vllm-cuda"))
