"""Says why a program could not be started, in words that lead to the repair."""

import os
from pathlib import Path


def explain_missing(executable: str, search_path: str) -> tuple[str, str]:
    """Message and hint for an executable that the system did not find or refused.

    `search_path` is the PATH in which a bare name was looked up.
    """
    if os.sep in executable:
        return _explain_file(executable)
    for folder in search_path.split(os.pathsep):
        candidate = str(Path(folder) / executable)
        # os.access, not Path.exists, which raises in a folder that may not be searched
        if folder and os.access(candidate, os.F_OK):
            return _explain_file(candidate)
    return (
        f'target.executable: no "{executable}" was found on PATH ({search_path})',
        "set target.executable to the engine's own command, for example"
        f" .venv-{executable}/bin/{executable}",
    )


def _explain_file(name: str) -> tuple[str, str]:
    where = f"target.executable: {name}"
    if not os.access(name, os.F_OK):
        return (
            f"{where} does not exist, or its folder may not be searched (looked for"
            f" {Path(name).absolute()})",
            "a relative path counts from the folder in which specbench was started",
        )
    if Path(name).is_dir():
        return f"{where} is a folder", "name the command inside it"
    if not os.access(name, os.X_OK):
        return f"{where} exists but is not executable", f"chmod +x {name}"
    return (
        f"{where} exists, but the interpreter that its first line names does not:"
        f" {_first_line(Path(name))}",
        "an environment that was moved has to be made again",
    )


def _first_line(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return file.readline(200).decode("utf-8", errors="replace").strip()
    except OSError as error:
        return f"it cannot be read ({error.strerror})"
