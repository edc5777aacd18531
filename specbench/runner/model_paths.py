"""Whether a model is given as a path of this machine or as a name that the engine looks
up by itself."""

from pathlib import Path


def is_path(model: str) -> bool:
    """`org/name` may be a name on a hub, unless its first part is a folder here."""
    parts = Path(model).parts
    return not is_remote(model) and (
        model.startswith(("/", "./", "../", "~"))
        or len(parts) > 2
        or (len(parts) == 2 and Path(parts[0]).is_dir())
        or (len(parts) == 1 and Path(model).is_dir())
    )


def is_remote(model: str) -> bool:
    """Weights behind an address: `s3://bucket/model`."""
    return "://" in model
