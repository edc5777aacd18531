"""Looks into an engine's own installation, beside its program, for flags that depend on
its version: cheaper than its `--help`, which takes vLLM ten seconds and more."""

from pathlib import Path

_FLAG_SOURCES = {
    "--per-request-spec-decode-metrics": (
        "vllm/config/observability.py",
        "per_request_spec_decode_metrics",
    ),
}
"""Flag -> the installed file and the name in it (vLLM 0.32.0)."""


def find_flags(executable: str | None) -> str | None:
    """Those of the known flags that the engine has, as its help would name them; None
    where its installation cannot be found."""
    if executable is None:
        return None
    program = Path(executable).absolute()
    packages = list(program.parent.parent.glob("lib/python3*/site-packages"))
    known = []
    is_found = False
    for folder in packages:
        for flag, (file, name) in _FLAG_SOURCES.items():
            source = folder / file
            if source.is_file():
                is_found = True
                if name in source.read_text(encoding="utf-8", errors="replace"):
                    known.append(flag)
            elif (folder / "vllm").is_dir():
                is_found = True
    return " ".join(known) if is_found else None
