"""The text that makes prompts longer: the language reference that comes with Python, in
natural English with code in it, or files of the user's own. The former is licensed
under the PSF licence and already installed, so nothing has to be fetched or shipped.
This module reads; it decides nothing."""

import hashlib
import os
import platform
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from specbench.errors import InputError
from specbench.workload.readers import NOT_TEXT, read_bytes

MAX_TEXT_BYTES = 16 << 20
"""Of one file; the longest novels have 4 MB."""
UNKNOWN_LICENCE = "unknown: a file of the user's"


@dataclass(frozen=True, slots=True)
class FillerText:
    """A long text with its origin. The documentation topics differ between versions of
    Python, so results are only comparable where the hash is the same; a run keeps
    it."""

    text: str
    name: str
    licence: str
    sha256: str
    """Of the file, or of the text in UTF-8."""

    @property
    def words(self) -> int:
        """How long it is."""
        return len(self.text.split())


def read_fillers(files: Sequence[str], where: str) -> tuple[FillerText, ...]:
    """The user's files, else the documentation topics. `where`: file and key that name
    them, for messages. Raises InputError."""
    if not files:
        return (read_topics(),)
    return tuple(
        read_own_text(name, f"{where}[{index}]") for index, name in enumerate(files)
    )


def join_fillers(fillers: Sequence[FillerText]) -> str:
    """One text of all, with a paragraph's end between them."""
    return "\n\n".join(filler.text for filler in fillers)


def read_topics() -> FillerText:
    """The documentation topics of this Python, in the order of their names. Raises
    InputError where the installation left them out."""
    try:
        from pydoc_data.topics import topics  # half a megabyte; only when needed
    except ImportError:
        raise InputError(
            "this Python has no documentation topics, so no prompt can be lengthened",
            "Install the full standard library (pydoc_data), give texts of your own"
            " (workload.texts), or use context = [0].",
        ) from None
    text = "\n\n".join(topics[name].strip() for name in sorted(topics))
    return FillerText(
        text=text,
        name=f"Python {platform.python_version()} documentation topics (pydoc_data)",
        licence="PSF-2.0",
        sha256=hashlib.sha256(text.encode()).hexdigest(),
    )


def read_own_text(name: str, where: str) -> FillerText:
    """A file of UTF-8 text, relative to the folder that the run is started in."""
    path = Path(os.path.expanduser(name))  # noqa: PTH111  (its twin can raise)
    if not os.path.lexists(path):
        raise InputError(
            f"{where}: there is no file {name!r} (looked at {path.absolute()})",
            "Give a file of UTF-8 text; paths are relative to the folder that the run"
            " is started in.",
        )
    try:
        data = read_bytes(path, MAX_TEXT_BYTES)
        text = _decode(data, path)
    except InputError as error:
        raise InputError(f"{where}: {error.message}", error.hint) from error
    return FillerText(
        text=text,
        name=name,
        licence=UNKNOWN_LICENCE,
        sha256=hashlib.sha256(data).hexdigest(),
    )


def _decode(data: bytes, path: Path) -> str:
    for start, what in NOT_TEXT.items():
        if data.startswith(start):
            raise InputError(f"{path}: is {what}")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(
            f"{path}: line {line}: not valid UTF-8: byte 0x{data[error.start]:02x}",
            "Save it as UTF-8 text.",
        ) from None
    if "\x00" in text:
        raise InputError(f"{path}: holds zero bytes, so it is no text")
    if not text.strip():
        raise InputError(f"{path}: holds no words")
    return text.replace("\r\n", "\n").strip()
