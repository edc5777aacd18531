"""Reads a data set, shipped or the user's own, from one file. Entries that cannot be
used are values with place and reason; only a file without any use is an error."""

import difflib
import hashlib
import os
from pathlib import Path

from specbench.errors import InputError
from specbench.schema.prompt import Dataset
from specbench.workload.entries import split_entries
from specbench.workload.formats import read_questions
from specbench.workload.shipped import list_shipped

MAX_BYTES = 1 << 30
"""The largest ShareGPT file that people use has about 0.7 GB."""

_SHOWN_REASONS = 3
NOT_TEXT = {
    b"\xff\xfe": "UTF-16 text; save it as UTF-8",
    b"\xfe\xff": "UTF-16 text; save it as UTF-8",
    b"\x1f\x8b": "a gzip file; unpack it first",
    b"PK\x03\x04": "a zip file; unpack it first",
    b"\x28\xb5\x2f\xfd": "a zstd file; unpack it first",
    b"PAR1": "a Parquet file; export it as JSON lines first",
}


def load_dataset(name_or_path: str) -> Dataset:
    """A shipped data set by name, else a file by path; the name of the result is what
    was asked for. Raises InputError naming the file."""
    path = find_dataset(name_or_path)
    return parse_dataset(read_bytes(path), name_or_path, str(path))


def find_dataset(name_or_path: str) -> Path:
    """A shipped name wins over a file of that name; `./name` means the file."""
    shipped = list_shipped()
    if name_or_path in shipped:
        return shipped[name_or_path]
    path = os.path.expanduser(name_or_path)  # noqa: PTH111  (its twin can raise)
    if os.path.lexists(path):
        return Path(path)
    close = difflib.get_close_matches(name_or_path, shipped, n=1)
    meant = f" Did you mean {close[0]}?" if close else ""
    raise InputError(
        f"{name_or_path}: neither a shipped data set nor a file",
        f"Shipped: {', '.join(shipped) or 'none found'}.{meant}",
    )


def read_bytes(path: Path, most: int | None = None) -> bytes:
    """The whole file, of at most so many bytes (MAX_BYTES unless given); it is hashed,
    so it is read at once."""
    most = MAX_BYTES if most is None else most
    try:
        if path.is_dir():
            raise InputError(f"{path}: is a directory", "Give one file of it.")
        if not path.is_file():
            raise InputError(f"{path}: is not a regular file", "Save it to a file.")
        size = path.stat().st_size
        if size > most:
            raise InputError(
                f"{path}: {size} bytes, more than the {most} that are read",
                "Take a part of it, e.g. its first lines.",
            )
        return path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from error


def parse_dataset(data: bytes, name: str, path: str) -> Dataset:
    """The data set in the bytes of a file; `path` stands in messages."""
    for start, what in NOT_TEXT.items():
        if data.startswith(start):
            raise InputError(f"{path}: is {what}")
    entries, broken = split_entries(data, path)
    questions, unusable = read_questions(entries)
    skipped = tuple(
        entry for _, entry in sorted((*broken, *unusable), key=lambda pair: pair[0])
    )
    if not questions:
        reasons = [f"{s.where}: {s.reason}" for s in skipped[:_SHOWN_REASONS]]
        if len(skipped) > _SHOWN_REASONS:
            reasons.append(f"and {len(skipped) - _SHOWN_REASONS} more")
        raise InputError(
            f"{path}: no usable prompt ({'; '.join(reasons) or 'nothing is in it'})",
            'Expected lines such as {"prompt": "..."}, MT-Bench or ShareGPT entries.',
        )
    return Dataset(
        name=name,
        path=path,
        sha256=hashlib.sha256(data).hexdigest(),
        questions=tuple(questions),
        skipped=skipped,
    )
