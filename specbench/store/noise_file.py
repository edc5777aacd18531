"""Launch noise of this machine, as its A/A runs have shown it, kept in the user's state
folder so that later sweeps with few launches can rest on it."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from specbench.schema.comparison import NoiseRecord
from specbench.store.disk import (
    make_folder,
    read_text,
    results_errors,
    write_file,
)
from specbench.store.format import from_json, to_json
from specbench.store.layout import safe_name

Records = tuple[NoiseRecord, ...]


def noise_path(hostname: str, env: Mapping[str, str] = os.environ) -> Path:
    """Where this machine's noise lies; a home folder may serve several machines."""
    return state_folder(env) / "noise" / f"{safe_name(hostname)}.json"


def state_folder(env: Mapping[str, str] = os.environ) -> Path:
    """Where specbench keeps what it learns about machines. (XDG Base Directory
    Specification 0.8: a relative path there is to be ignored.)"""
    given = env.get("XDG_STATE_HOME", "")
    state = Path(given) if given.startswith("/") else Path.home() / ".local" / "state"
    return state / "specbench"


def read_noise(path: Path) -> Records:
    """All records, newest last; none where there is no file. Raises ResultsError where
    the file cannot be read: an A/A run takes long, so that nothing is thrown away."""
    with results_errors("cannot read", path):
        is_there = path.exists()
    if not is_there:
        return ()
    return from_json(Records, read_text(path), str(path))


def add_noise(path: Path, new: Sequence[NoiseRecord]) -> None:
    """Keep records behind the earlier ones, in place of those for the same settings.
    Raises ResultsError."""
    replaced = {_settings(record) for record in new}
    kept = [r for r in read_noise(path) if _settings(r) not in replaced]
    make_folder(path.parent)
    write_file(path, (to_json([*kept, *new], indent=2) + "\n").encode())


def _settings(record: NoiseRecord) -> tuple[str, ...]:
    return (record.engine, record.model, record.device, record.settings)
