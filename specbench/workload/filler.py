"""The text that makes prompts longer: the language reference that comes with Python, in
natural English with code in it. Licensed under the PSF licence and already installed,
so nothing has to be fetched or shipped. This module reads it; it decides nothing."""

import hashlib
import platform
from dataclasses import dataclass

from specbench.errors import InputError


@dataclass(frozen=True, slots=True)
class FillerText:
    """A long text with its origin. It differs between versions of Python, so results
    are only comparable where the hash is the same; a run keeps it."""

    text: str
    name: str
    licence: str
    sha256: str
    """Of the text in UTF-8."""


def read_filler() -> FillerText:
    """The documentation topics of this Python, in the order of their names. Raises
    InputError where the installation left them out."""
    try:
        from pydoc_data.topics import topics  # half a megabyte; only when needed
    except ImportError:
        raise InputError(
            "this Python has no documentation topics, so no prompt can be lengthened",
            "Install the full standard library (pydoc_data), or use context = [0].",
        ) from None
    text = "\n\n".join(topics[name].strip() for name in sorted(topics))
    return FillerText(
        text=text,
        name=f"Python {platform.python_version()} documentation topics (pydoc_data)",
        licence="PSF-2.0",
        sha256=hashlib.sha256(text.encode()).hexdigest(),
    )
