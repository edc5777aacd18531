"""Looks into an engine's own installation, beside its program, for what depends on its
version: cheaper than its `--help`, which takes vLLM ten seconds and more."""

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class _Source:
    """Where a flag stands in a package."""

    package: str
    files: tuple[str, ...]
    """Inside the package; it may be in any of them."""
    field: str
    """How it is called there."""


_FLAGS = {
    "--per-request-spec-decode-metrics": _Source(
        "vllm", ("config/observability.py",), "per_request_spec_decode_metrics"
    ),
    "--cuda-graph-max-bs-decode": _Source(
        "sglang",
        ("srt/arg_groups/fields/exec_.py", "srt/server_args.py"),
        "cuda_graph_max_bs_decode",
    ),
}
"""Flags that not all versions have (vLLM 0.32.0, SGLang 0.5.23)."""


def find_flags(executable: str | None, package: str | None) -> str | None:
    """Those of the known flags that the engine has, as its help would name them; None
    where its installation cannot be found."""
    installed = [f / package for f in _site_packages(executable)] if package else []
    installed = [folder for folder in installed if folder.is_dir()]
    if not installed:
        return None
    return " ".join(
        flag
        for flag, source in _FLAGS.items()
        if source.package == package
        and any(_has(folder, source) for folder in installed)
    )


def find_version(executable: str | None, package: str | None) -> str | None:
    """By the name of the folder that an installer leaves beside the package; None where
    there is none."""
    if package is None:
        return None
    found = [
        path.name.removesuffix(".dist-info").partition("-")[2]
        for folder in _site_packages(executable)
        for path in sorted(folder.glob(f"{package}-*.dist-info"))
    ]
    return found[0] if found else None


def has_module(executable: str | None, module: str) -> bool | None:
    """Whether the engine's environment has a Python package, by the name that is
    imported. None where it cannot be told: there is no such environment, or it uses
    packages from elsewhere too."""
    folders = list(_site_packages(executable))
    names = (module, f"{module}.py", f"{module}-*.dist-info")
    if any(next(folder.glob(name), None) for folder in folders for name in names):
        return True
    return False if any(_is_closed(folder) for folder in folders) else None


def _is_closed(folder: Path) -> bool:
    """An environment made without the system's packages."""
    made = folder.parent.parent.parent / "pyvenv.cfg"
    text = made.read_text(encoding="utf-8") if made.is_file() else ""
    return "include-system-site-packages = false" in text


def _site_packages(executable: str | None) -> Iterator[Path]:
    """Of the environment that the program lies in; a Python there is a link to one
    elsewhere, and stands for the environment all the same."""
    program = shutil.which(executable) if executable else None
    if program is not None:
        root = Path(program).absolute().parent.parent
        yield from sorted(root.glob("lib/python3*/*-packages"))


def _has(folder: Path, source: _Source) -> bool:
    texts = (folder / file for file in source.files)
    return any(
        source.field in path.read_text(encoding="utf-8", errors="replace")
        for path in texts
        if path.is_file()
    )
