"""Finds the data sets that come with specbench: in the installed package, or in the
checkout beside it. Their names are the file names without the ending."""

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent.parent
_FOLDERS = (_PACKAGE / "_datasets", _PACKAGE.parent / "datasets")
_ENDINGS = {".jsonl", ".json"}


def list_shipped(folders: tuple[Path, ...] = _FOLDERS) -> dict[str, Path]:
    """Names with paths, by name. Empty only where an installation is damaged."""
    for folder in folders:
        if folder.is_dir():
            files = sorted(p for p in folder.iterdir() if p.suffix in _ENDINGS)
            return {path.stem: path for path in files}
    return {}
