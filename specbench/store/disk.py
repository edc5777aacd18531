"""Files whole or not at all: written under a temporary name, flushed to the disk,
renamed. The only place of the store that writes; operating-system errors become
ResultsError with the path and a hint here."""

import contextlib
import errno
import os
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

from specbench.errors import ResultsError
from specbench.store.layout import UNFINISHED

_HINTS = {
    errno.ENOSPC: "the disk is full: free some space; what was stored is intact",
    errno.EDQUOT: "the disk quota is used up: free some space; what was stored is"
    " intact",
    errno.EROFS: "the file system is read-only: choose another folder with --results",
    errno.EACCES: "no permission: change it, or choose another folder with --results",
    errno.EPERM: "no permission: change it, or choose another folder with --results",
    errno.ENOENT: "check that the path is right",
}


@contextlib.contextmanager
def results_errors(doing: str, path: Path) -> Iterator[None]:
    """Turns OSError into ResultsError; `doing` is a phrase such as `cannot write`."""
    try:
        yield
    except OSError as error:
        raise ResultsError(
            f"{doing} {path}: {error.strerror or error}",
            hint=_HINTS.get(error.errno or 0, ""),
        ) from error


def make_folder(path: Path) -> None:
    """Create a folder and what is missing above it; fine if it is there."""
    with results_errors("cannot create folder", path):
        path.mkdir(parents=True, exist_ok=True)


def make_new_folder(path: Path) -> None:
    """Create a folder that must not exist yet."""
    make_folder(path.parent)
    with results_errors("cannot create folder", path):
        path.mkdir()


def write_file(path: Path, data: bytes) -> None:
    """Write or replace a file; readers see the old or the new one, never a part."""
    unfinished = path.with_name(UNFINISHED + path.name)
    with results_errors("cannot write", path):
        try:
            _write_through(unfinished, data)
            unfinished.replace(path)
            _sync_folder(path.parent)
        finally:
            # Gone when it was renamed; a failure must not leave half a file.
            unfinished.unlink(missing_ok=True)


def write_folder(path: Path, files: Mapping[str, bytes]) -> None:
    """Write a new folder with its files; it is there complete, or not at all.

    Raises ResultsError also where the folder exists: raw data are written once.
    """
    if path.exists():
        raise ResultsError(
            f"{path} exists already", hint="raw data are written once, never replaced"
        )
    unfinished = path.with_name(UNFINISHED + path.name)
    with results_errors("cannot write", path):
        try:
            # A run that was killed in the middle of this may have left one.
            shutil.rmtree(unfinished, ignore_errors=True)
            unfinished.mkdir(parents=True)
            for name, data in files.items():
                _write_through(unfinished / name, data)
            _sync_folder(unfinished)
            unfinished.rename(path)
            _sync_folder(path.parent)
        finally:
            shutil.rmtree(unfinished, ignore_errors=True)


def read_text(path: Path) -> str:
    """Raises ResultsError where the file is missing, unreadable or not UTF-8."""
    try:
        return read_bytes(path).decode()
    except UnicodeDecodeError as error:
        raise ResultsError(f"{path}: not UTF-8 text: {error}") from error


def read_bytes(path: Path) -> bytes:
    """Raises ResultsError where the file is missing or unreadable."""
    with results_errors("cannot read", path):
        return path.read_bytes()


def _write_through(path: Path, data: bytes) -> None:
    with path.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _sync_folder(path: Path) -> None:
    """Make a rename last; file systems that cannot sync a folder are left alone."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        with contextlib.suppress(OSError):
            os.fsync(descriptor)
    finally:
        os.close(descriptor)
