"""How much a model's weights take on disk, which is about what they take in memory."""

from pathlib import Path

SAFETENSORS = "*.safetensors"
PICKLED = "pytorch_model*.bin"
REPEATED = "consolidated"
"""Begins the names of files that hold the same weights once more."""


def weights_bytes(folder: Path) -> int | None:
    """Of the files in a model's folder; None where it has none, or cannot be read."""
    try:
        for pattern in (SAFETENSORS, PICKLED):
            files = list(folder.glob(pattern))
            once = [file for file in files if not file.name.startswith(REPEATED)]
            if files:
                return sum(file.stat().st_size for file in once or files)
    except OSError:
        return None
    return None
