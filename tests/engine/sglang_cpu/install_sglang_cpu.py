"""Make an environment in which a real SGLang serves a small model on a CPU.

SGLang's kernel package for CPUs is on no package index, and its wheel asks for several
gigabytes of GPU libraries. So the wheel is installed without its dependencies, after
the pins of requirements.txt, and `kernels/` beside this file stands in for the kernel
package in plain PyTorch. Scheduler, HTTP server, metrics and drafters are SGLang's own;
answers are right; times mean nothing.

    python tests/engine/sglang_cpu/install_sglang_cpu.py [--venv FOLDER]
"""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path.insert(0, str(ROOT / "environments"))

import engine_venv  # type: ignore[import-not-found]  # noqa: E402
from pip_command import (  # type: ignore[import-not-found]  # noqa: E402
    InstallError,
    pip,
    report,
)

VERSION = "0.5.23"
REQUIREMENTS = HERE / "requirements.txt"
KERNELS = HERE / "kernels"

FALLBACK = Path("sglang/srt/arg_groups/overrides.py")
"""Where SGLang decides which attention a CPU gets."""
ASKED = """view.attention_backend == "intel_amx"
        and view.device == "cpu"
        and not get_platform().has_amx
"""
ANSWERED = ASKED.replace("not get_platform().has_amx", "False")

CUDA_ONLY = Path("torchvision/_meta_registrations.py")
"""Describes CUDA operators, which a torch for CPUs does not know."""

CHECK = """
import sgl_kernel, sgl_kernel.speculative, sglang
from sglang.srt.layers.attention.intel_amx_backend import IntelAMXAttnBackend
from sglang.srt.speculative import eagle_utils, ngram_worker
print(sglang.__version__)
"""
"""What serving with drafts imports."""


def fill(venv: Path) -> None:
    python, pins = engine_venv.python_of(venv), str(REQUIREMENTS)
    report("installing torch (about a minute)")
    pip(python, "install", "--constraint", pins, engine_venv.pin(REQUIREMENTS, "torch"))
    report("installing what SGLang needs beside torch (about a minute)")
    pip(python, "install", "--no-deps", "--requirement", pins)
    report(f"installing sglang {VERSION} (some seconds)")
    pip(python, "install", "--no-deps", f"sglang=={VERSION}")
    (packages,) = venv.glob("lib/python*/site-packages")
    change(packages / FALLBACK, ASKED, ANSWERED)
    (packages / CUDA_ONLY).write_text("", encoding="utf-8")
    (packages / "specbench_kernels.pth").write_text(f"{KERNELS}\n", encoding="utf-8")
    engine_venv.expect_import(python, CHECK, VERSION, ("SGLANG_USE_CPU_ENGINE=1",))


def change(path: Path, old: str, new: str) -> None:
    """Without kernels for AMX, SGLang falls back to an attention that cannot draft;
    with the ones that stand in for them it need not."""
    text = path.read_text(encoding="utf-8")
    if text.count(old) != 1:
        raise InstallError(
            f"{path}: does not decide about the CPU's attention as {VERSION} does"
        )
    path.write_text(text.replace(old, new), encoding="utf-8")


RECIPE = engine_venv.Recipe(
    title=f"SGLang {VERSION} (CPU, stand-in kernels)",
    version=1,
    requirements=REQUIREMENTS,
    usual_time="3 to 5 minutes, 3.4 GB on disk",
    fill=fill,
)

if __name__ == "__main__":
    sys.exit(engine_venv.main(RECIPE, ROOT / ".venv-sglang"))
