"""Install SGLang for NVIDIA GPUs into an environment of its own.

A plain pip install of the pinned release with all its dependencies. It installs on a
machine without a GPU as well; the check at the end only asks Python for its version.
Serving needs a driver that knows CUDA 13 (`nvidia-smi` shows the version).
"""

from __future__ import annotations

import sys
from pathlib import Path

import engine_venv
from pip_command import pip, report

VERSION = "0.5.23"
HERE = Path(__file__).resolve().parent
REQUIREMENTS = HERE / "sglang-cuda.txt"


def fill(venv: Path) -> None:
    report("installing SGLang and all that it needs (most of the time goes here)")
    python = engine_venv.python_of(venv)
    pip(python, "install", "--requirement", str(REQUIREMENTS))
    # its command line starts only where there is a GPU
    engine_venv.expect_import(
        python, "import sglang; print(sglang.__version__)", VERSION
    )


RECIPE = engine_venv.Recipe(
    title=f"SGLang {VERSION} (CUDA)",
    version=1,
    requirements=REQUIREMENTS,
    usual_time="5 to 20 minutes, several GB to fetch",
    fill=fill,
)

if __name__ == "__main__":
    sys.exit(engine_venv.main(RECIPE, HERE.parent / ".venv-sglang-cuda"))
