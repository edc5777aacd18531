"""Finds the files of a model on this machine: in a folder, or in the cache of the
Hugging Face libraries. Nothing is downloaded."""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path


def find_model_file(model: str, name: str, environ: Mapping[str, str]) -> Path | None:
    """The file `name` of `model`, a folder or a Hugging Face name; None where it is not
    on this machine."""
    files = (folder / name for folder in model_folders(model, environ))
    return next(filter(_is_file, files), None)


def _is_file(path: Path) -> bool:
    """A folder that may not be entered holds no file for us."""
    try:
        return path.is_file()
    except OSError:
        return False


def model_folders(model: str, environ: Mapping[str, str]) -> Iterator[Path]:
    """Where it may lie: the folder of that name, then its revisions in the cache."""
    yield Path(os.path.expanduser(model))  # noqa: PTH111  (its twin can raise)
    yield from _newest_first(cached_snapshots(model, environ))


def cached_snapshots(model: str, environ: Mapping[str, str]) -> Path:
    """The folder of a model's revisions in the cache, whether or not it is there."""
    return _cache(environ) / f"models--{model.replace('/', '--')}" / "snapshots"


def _cache(environ: Mapping[str, str]) -> Path:
    """Where the Hugging Face libraries keep models, by their own variables."""
    if cache := environ.get("HF_HUB_CACHE") or environ.get("HUGGINGFACE_HUB_CACHE"):
        return Path(cache)
    home = Path(environ.get("HOME", "/"))
    base = Path(environ.get("XDG_CACHE_HOME") or home / ".cache")
    return Path(environ.get("HF_HOME") or base / "huggingface") / "hub"


def _newest_first(snapshots: Path) -> list[Path]:
    """Revisions of a cached model; the one that `main` points to comes first."""
    if not snapshots.is_dir():
        return []
    main = snapshots.parent / "refs" / "main"
    name = main.read_text().strip() if main.is_file() else ""
    folders = sorted(snapshots.iterdir(), key=lambda f: f.stat().st_mtime, reverse=True)
    return sorted(folders, key=lambda folder: folder.name != name)
